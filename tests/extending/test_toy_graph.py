import numpy as np
import pytest
from sklearn.base import clone

import manifact
from manifact import GNMF, SPNMF, AffinityNMF
from manifact.graphs import KNNGraph


@pytest.fixture
def X(rng):
    """A signal that drifts from one pattern to another."""
    way = np.linspace(0, 1, 40)[:, None]
    patterns = rng.random((2, 12))
    return (1 - way) * patterns[0] + way * patterns[1] + 0.2 * rng.random((40, 12))


def test_it_is_the_graph_it_says(toy):
    W = toy("graph").TimeGraph(reach=2).build(np.zeros((5, 1))).W.toarray()
    j, s = np.indices((5, 5))
    np.testing.assert_array_equal(W, (abs(j - s) <= 2) & (j != s))


@pytest.mark.parametrize("n", [1, 2])
def test_few_samples(toy, n):
    assert toy("graph").TimeGraph(reach=9).build(np.zeros((n, 1))).n_samples == n


@pytest.mark.parametrize("solver", ["mu", "bcd"])
def test_models_take_it(toy, X, solver):
    graph = toy("graph").TimeGraph()
    fits = [GNMF(2, graph=graph, graph_reg=reg, solver=solver, random_state=0).fit(X) for reg in (0.0, 10.0)]
    assert (np.diff(fits[1].objective_) <= 1e-12 * fits[1].objective_[0]).all()
    assert fits[1].smoothness_ < fits[0].smoothness_


@pytest.mark.parametrize("cls", [AffinityNMF, SPNMF])
def test_so_do_models_that_ask_more_of_a_graph(toy, X, cls):
    model = cls(2, graph=toy("graph").TimeGraph(), random_state=0).fit(X)
    assert model.graph_.n_samples == len(X)


def test_it_is_searched_added_and_weighted_like_others(toy, X):
    model = GNMF(2, graph=toy("graph").TimeGraph() + 0.5 * KNNGraph(3), random_state=0)
    model = clone(model).set_params(graph__timegraph__reach=3).fit(X)
    assert model.graph.get_params()["timegraph__reach"] == 3
    with pytest.raises(ValueError, match="reach=0 must be an integer >= 1"):
        GNMF(2, graph=toy("graph").TimeGraph(reach=0)).fit(X)


def test_files_hold_it_by_its_parameters(toy, X, tmp_path):
    model = GNMF(2, graph=toy("graph").TimeGraph(reach=2), random_state=0).fit(X)
    model.save(tmp_path / "model.safetensors")
    again = manifact.load(tmp_path / "model.safetensors")
    assert type(again.graph) is toy("graph").TimeGraph
    assert again.graph.reach == 2
    np.testing.assert_array_equal(again.graph_.W.toarray(), model.graph_.W.toarray())


class Undeclared(KNNGraph):
    """A builder that files do not know."""


def test_builders_that_do_not_declare_it_are_refused_in_one_sentence(X, tmp_path):
    path = tmp_path / "model.safetensors"
    with pytest.raises(TypeError, match=r"^graph=Undeclared\(\) cannot be saved: [^\n]* declare it by stored[^\n]*$"):
        GNMF(2, graph=Undeclared(), random_state=0).fit(X).save(path)
    assert not path.exists()
