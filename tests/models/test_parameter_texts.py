"""What docstrings say of solvers, iterations and tolerances is what is done."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from manifact.graphs import KNNGraph
from manifact.models.base import Factorization
from manifact.models.parameter_texts import SHARED, shared_text
from manifact.models.registry import entries
from manifact.terms import LOSSES

MODELS = sorted((entry.cls for entry in entries().values() if issubclass(entry.cls, Factorization)), key=str)
CASES = [
    (cls, given) for cls in MODELS for given in ([{"loss": name} for name in LOSSES] if hasattr(cls, "loss") else [{}])
]
each_model = pytest.mark.parametrize("cls", MODELS, ids=lambda cls: cls.__name__)
each_case = pytest.mark.parametrize(("cls", "given"), CASES, ids=[f"{cls.__name__} {given}" for cls, given in CASES])


def told(cls: type, parameter: str) -> tuple[str, str]:
    """The type of a parameter and its description, in one line each."""
    found = re.search(rf"^{parameter} : (.*)\n((?:    .*\n)+)", cls.__doc__, re.MULTILINE)
    return found[1], " ".join(found[2].split())


def plan(cls: type, **given: Any) -> Any:
    X = np.random.default_rng(0).random((30, 8))
    model = cls(n_components=3, random_state=0, **given)
    problem = model._pose(X, np.arange(30) % 3, None)
    return model._plan(problem)


def iterations(text: str, solver: str, near: bool) -> int:
    """The number that the sentence gives for a solver."""
    sentence = text.partition("None means ")[2]
    own = {
        name: int(n)
        for n, who in re.findall(r'(\d+) for ((?:"\w+"(?: and )?)+)', sentence)
        for name in who.split('"')[1::2]
    }
    few, _, rest = sentence.partition(" from the")
    if rest:
        return int(few) if near else own[solver]
    return own.get(solver) or int(re.match(r"\d+", sentence)[0])


@each_case
def test_solvers_are_those_that_the_model_takes(cls: type, given: dict[str, str]) -> None:
    kind, text = told(cls, "solver")
    made = cls(**given)
    offered = re.findall(r'"(\w+)"', kind.partition("}")[0])
    assert offered[0] == "auto"
    assert set(made._solvers) <= set(offered[1:])
    assert set(offered[1:]) == {name for other, more in CASES if other is cls for name in cls(**more)._solvers}
    of_loss = rf'"(\w+)" for "{given["loss"]}"' if given and '" for "' in text else r'"auto" is "(\w+)"'
    assert re.search(of_loss, text)[1] == made._solver_name


@each_case
def test_iterations_are_those_that_are_planned(cls: type, given: dict[str, str]) -> None:
    _, text = told(cls, "max_iter")
    usual = cls(**given)._solver_name
    assert iterations(text, usual, near=True) == plan(cls, **given).max_iter
    for solver in cls(**given)._solvers:
        near = solver == usual and cls(**given).init == "auto"
        assert iterations(text, solver, near) == plan(cls, solver=solver, **given).max_iter
        assert iterations(text, solver, near=False) == plan(cls, solver=solver, init="random", **given).max_iter


@each_case
def test_tolerance_is_the_one_that_is_planned(cls: type, given: dict[str, str]) -> None:
    _, text = told(cls, "tol")
    sentence = text.partition("None means ")[2]
    to_the_end = re.findall(r'"(\w+)"', sentence.partition("runs all")[0])
    for solver in cls(**given)._solvers:
        meant = 0.0 if solver in to_the_end else float(re.match(r"[\de.-]+?(?=[.,] )", sentence)[0])
        assert plan(cls, solver=solver, **given).tol == meant


@pytest.mark.parametrize("cls", [cls for cls in MODELS if hasattr(cls, "default_graph")], ids=lambda cls: cls.__name__)
def test_graph_is_the_one_that_is_built(cls: type) -> None:
    _, text = told(cls, "graph")
    (meant,) = re.findall(r"None means ``(\w+)\((.*?)\)``", text)
    made = cls().default_graph()
    assert meant[0] == type(made).__name__
    if isinstance(made, KNNGraph):
        assert f'weight="{made.weight}"' in meant[1]
        assert str(made.n_neighbors) in meant[1] or "n_neighbors" in meant[1]


@each_model
def test_starts_are_those_that_are_known(cls: type) -> None:
    from manifact.models.parameters import INITS

    kind, _ = told(cls, "init")
    assert set(re.findall(r'"(\w+)"', kind.partition("}")[0])) == set(INITS)


def test_auto_is_random_where_it_says_so() -> None:
    X = np.random.default_rng(0).random((30, 8))
    random = [cls for cls in MODELS if '"auto" is "random".' in told(cls, "init")[1]]
    assert {"LNMF", "SparseNMF"} <= {cls.__name__ for cls in random}
    y = np.arange(30) % 3
    # NMF's begins after a short run, which few samples do not have.
    for cls in [cls for cls in MODELS if cls.__name__ != "NMF"]:
        auto, drawn = (
            cls(3, init=init, max_iter=1, random_state=0).fit(X, y).components_ for init in ("auto", "random")
        )
        assert np.array_equal(auto, drawn) == (cls in random), cls.__name__


def test_what_a_class_says_itself_is_not_said_again() -> None:
    from manifact import AffinityNMF

    for name in ("n_components", "init", "normalize", "smoothness_"):
        assert len(re.findall(rf"^{name} : ", AffinityNMF.__doc__, re.MULTILINE)) == 1
    assert "graph_reg" not in AffinityNMF.__doc__
    assert "max_iter" not in shared_text(SHARED["{common parameters}"], AffinityNMF, {"max_iter", "tol"}).split(" : ")


@each_model
def test_lines_are_no_longer_than_the_code(cls: type) -> None:
    assert max(map(len, cls.__doc__.splitlines())) <= 120
