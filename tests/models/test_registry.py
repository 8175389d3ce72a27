"""No model can be forgotten, and no two are called alike."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone
from tests.conftest import problem

import manifact
from manifact import GNMF, AffinityNMF, baselines, models
from manifact.models.base import Factorization
from manifact.models.registry import Entry, entries, find, on_command_line, register


def subclasses(cls):
    for direct in cls.__subclasses__():
        yield direct
        yield from subclasses(direct)


def ours(classes):
    return {cls for cls in classes if cls.__module__.partition(".")[0] == "manifact"}


def public(module):
    listed = {getattr(module, name) for name in module.__all__}
    return {cls for cls in listed if isinstance(cls, type) and issubclass(cls, Factorization)}


def test_every_factorisation_that_is_public_is_listed():
    listed = ours(entry.cls for entry in entries().values())
    everywhere = public(manifact) | public(models) | public(baselines)
    assert len(everywhere) >= 13
    assert listed == everywhere


def test_every_factorisation_that_no_other_builds_on_is_listed():
    """A class that is meant to be used, and was declared without its paper, would be one of these."""
    entries()
    last = {cls for cls in ours(subclasses(Factorization)) if not ours(cls.__subclasses__())}
    assert last
    assert last <= {entry.cls for entry in entries().values()}


def test_what_the_command_line_offers_is_what_the_package_offers():
    assert ours(entry.cls for entry in on_command_line().values()) == public(manifact) == public(models)
    assert {"nmf", "gnmf", "affinity", "spnmf", "lpnmf"} <= set(on_command_line())


def test_names_on_the_command_line_are_unique():
    names = [entry.name for entry in entries().values() if entry.name]
    assert len(set(names)) == len(names) == len(on_command_line())


@pytest.mark.parametrize("entry", entries().values(), ids=list(entries()))
def test_every_model_can_be_had_as_it_was_published(entry):
    model = entry.cls.as_published(7, random_state=3)
    usual = entry.cls(7, random_state=3).get_params()
    assert type(model) is entry.cls
    mine = model.get_params(deep=False)
    if mine.get("graph") is not None:
        assert mine.pop("graph").get_params() == model.default_graph().set_params(copies="each").get_params()
        usual.pop("graph")
    assert mine == usual | dict(entry.published)
    assert entry.cls.as_published().n_components == 10
    for name, value in entry.published.items():
        assert entry.cls.as_published(7, **{name: usual[name]}).get_params()[name] == usual[name], (name, value)


def test_gnmf_can_be_had_with_the_protocol_of_its_authors():
    model = GNMF.as_published(3, random_state=0)
    assert (model.solver, model.init, model.graph_reg, model.max_iter) == ("mu", "random", 100.0, 100)
    assert (model.n_init, model.init_iter) == (10, 30)
    assert (GNMF.as_published(3, graph_reg=1.0).graph_reg, GNMF.as_published(3).graph.copies) == (1.0, "each")
    assert GNMF.as_published(3, graph=None).graph is None
    X = problem(n=40)[0]
    by_hand = GNMF(
        3, solver="mu", init="random", graph_reg=100.0, n_init=10, init_iter=30, max_iter=100, random_state=0
    )
    np.testing.assert_array_equal(model.fit_transform(X), by_hand.fit_transform(X))
    assert model.n_iter_ == 100


def test_every_model_says_whose_it_is_and_can_be_set_as_the_command_line_does():
    for entry in entries().values():
        assert entry.paper, entry.cls
        assert set(entry.command_line) <= set(entry.cls().get_params()), entry.cls
        assert not set(entry.formerly) & set(entries())


def declared(name, module):
    return dataclass(type(name, (Factorization,), {"__module__": module}))


def test_a_second_model_of_one_name_is_refused():
    before = entries()
    with pytest.raises(
        ValueError,
        match=r"a model NMF is already declared in manifact\.models\.nmf: give the one in elsewhere another name",
    ):
        register(Entry(declared("NMF", "elsewhere"), paper="nobody's"))
    assert entries() == before


def test_a_second_model_of_one_name_on_the_command_line_is_refused():
    before = entries()
    with pytest.raises(
        ValueError, match="NMF is already called 'nmf' on the command line: give OtherNMF in elsewhere another name"
    ):
        register(Entry(declared("OtherNMF", "elsewhere"), name="nmf"))
    assert entries() == before


def test_a_class_that_is_declared_anew_takes_its_old_place(monkeypatch):
    monkeypatch.setattr("manifact.models.registry._entries", dict(entries()))
    for _ in range(2):
        again = Entry(declared("Mine", "notebook"), name="mine")
        register(again)
        assert entries()["Mine"] is again


class TestFormerNames:
    @pytest.mark.parametrize("module", [manifact, models], ids=lambda module: module.__name__)
    def test_it_warns_who_uses_it_and_gives_the_class(self, module):
        with pytest.warns(DeprecationWarning, match=r"JointNMF is now called AffinityNMF: .* version 1\.0") as seen:
            old = module.JointNMF
        assert old is AffinityNMF
        assert [warning.filename for warning in seen] == [__file__]

    def test_it_can_be_imported_by_name(self):
        with pytest.warns(DeprecationWarning, match="JointNMF is now called AffinityNMF"):
            from manifact import JointNMF
        assert isinstance(clone(JointNMF(3)), AffinityNMF)

    def test_new_names_do_not_warn_and_old_ones_are_not_shown(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert manifact.AffinityNMF is AffinityNMF
        assert "JointNMF" not in dir(manifact)
        assert "JointNMF" not in entries()
        assert find("JointNMF").cls is AffinityNMF

    @pytest.mark.parametrize("module", [manifact, models], ids=lambda module: module.__name__)
    @pytest.mark.parametrize("name", ["NoSuchNMF", "no_such_module", "LNMF"])
    def test_what_is_not_there_is_not_there(self, module, name):
        with pytest.raises(AttributeError, match=f"module '{module.__name__}' has no attribute '{name}'"):
            getattr(module, name)


def test_who_builds_on_a_model_has_its_published_settings():
    class Mine(GNMF):
        pass

    mine, theirs = (cls.as_published(3).get_params() for cls in (Mine, GNMF))
    assert mine.pop("graph") is not theirs.pop("graph")
    assert mine == theirs
