"""Sums that exact solvers minimise, each with terms on all blocks, for tests that go over solvers."""

from tests.terms.cases import embedding, graph, state

from manifact.solvers.all_solvers import SOLVERS
from manifact.terms import (
    Affinity,
    ElasticNet,
    EntropicSmoothness,
    Frobenius,
    KullbackLeibler,
    OnSecond,
    Repulsion,
    SimplexBasis,
    Smoothness,
    Structure,
)

#: The kind of state and the terms.
SUMS = {
    "mu": ("factors", [Frobenius(), Smoothness(graph("knn"), 0.3)]),
    "bcd": ("factors", [Frobenius(), Smoothness(graph("knn"), 0.3), ElasticNet("V", 0.01, 0.02)]),
    "newton": ("factors", [KullbackLeibler(), EntropicSmoothness(graph("knn"), 0.05)]),
    "simplex": (
        "factors",
        [Frobenius(), SimplexBasis(), Structure(graph("knn"), 0.3, Repulsion(graph("far"), 0.1))],
    ),
    "affinity": (
        "two representations",
        [Frobenius(), OnSecond(Frobenius()), Affinity(embedding(), 0.05), ElasticNet("U", 0.01, 0.0)],
    ),
}


def start_of(solver, form="dense", weighted=False):
    """The terms, the solver, and a state to start from."""
    kind, terms = SUMS[solver]
    found = SOLVERS[solver]
    return terms, found, found.begin(terms, state(kind, form, weighted))


def assert_same_state(one, other):
    """All factors, and all products that are carried along, to the last bit."""
    mine, theirs = one.arrays(), other.arrays()
    assert set(mine) == set(theirs)
    for name in mine:
        assert mine[name].tobytes() == theirs[name].tobytes(), name


def assert_same_memory(one, other):
    """What solvers remember, to the last bit."""
    assert set(one) == set(other)
    for name, value in one.items():
        if hasattr(value, "arrays"):
            assert_same_state(value, other[name])
        else:
            assert value == other[name], name
