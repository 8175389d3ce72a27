import numpy as np
import pytest
from scipy import sparse

from manifact import GNMF
from manifact.backends.numpy.neighbor_search import nearest
from manifact.graphs import KNNGraph, LandmarkGraph
from manifact.utils.progress import open_steps, showing, steps


@pytest.fixture
def X(rng):
    return rng.random((40, 6))


def test_steps_are_drawn_only_where_somebody_asked(capsys):
    with steps("work", 4) as advance:
        advance(4)
    with showing(False), steps("work", 4) as advance:
        advance(4)
    assert capsys.readouterr().err == ""
    with showing(True), steps("work", 4) as advance:
        advance(3)
    shown = capsys.readouterr().err
    assert "work" in shown
    assert "75%" in shown


def test_a_bar_grows_with_work_that_is_newly_known(capsys):
    with open_steps("work") as tally:
        tally.more(4)
        tally.advance(1)
    assert capsys.readouterr().err == ""
    with showing(True), open_steps("work") as tally:
        tally.more(2)
        tally.more(2)
        tally.advance(1)
    assert "25%" in capsys.readouterr().err


def test_who_asks_outside_is_heard_inside_and_only_there(capsys):
    with showing(True), showing(False), steps("inner", 1):
        pass
    assert "inner" in capsys.readouterr().err
    with steps("after", 1):
        pass
    assert capsys.readouterr().err == ""


def test_an_error_ends_what_was_asked(capsys):
    with pytest.raises(ZeroDivisionError), showing(True):
        raise ZeroDivisionError
    with steps("after", 1):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("query_kind", [None, np.asarray, sparse.csr_array])
def test_every_search_ends_at_the_end_of_its_bar(X, kind, query_kind, capsys, monkeypatch):
    monkeypatch.setattr("manifact.backends.numpy.neighbor_search.SHARED_CACHE", 1000)
    monkeypatch.setattr("manifact.backends.numpy.neighbor_search.MOVE", 100)
    with showing(True):
        nearest(kind(X), 3, None if query_kind is None else query_kind(X[:7]), progress=steps)
    assert "100%" in capsys.readouterr().err


def test_a_graph_shows_its_search_if_asked(X, capsys):
    KNNGraph(3).build(X)
    assert capsys.readouterr().err == ""
    KNNGraph(3, verbose=True).build(X)
    assert "neighbours" in capsys.readouterr().err


@pytest.mark.parametrize("graph", [None, KNNGraph(3), LandmarkGraph(5)])
def test_a_model_shows_its_graph_and_does_not_change_it(X, graph, capsys):
    parameters = None if graph is None else graph.get_params()
    GNMF(2, graph_reg=0.1, graph=graph, max_iter=2, random_state=0).fit(X)
    assert capsys.readouterr().err == ""
    GNMF(2, graph_reg=0.1, graph=graph, max_iter=2, random_state=0, verbose=True).fit(X)
    assert "neighbours" in capsys.readouterr().err
    assert graph is None or graph.get_params() == parameters
