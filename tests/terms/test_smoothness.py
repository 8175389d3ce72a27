import numpy as np
import pytest
from tests.terms.cases import graph, state

from manifact.graphs import SumOfGraphs
from manifact.terms import EntropicSmoothness, Smoothness


@pytest.mark.parametrize("name", ["affinity", "landmark", "labels", "sum"])
def test_zeros_of_V_leave_the_entropic_penalty_finite(name):
    s = state()
    V = s.V.copy()
    V[2] = 0
    assert np.isfinite(EntropicSmoothness(graph(name), 3.0).value(s.replace("V", V)))


@pytest.mark.parametrize("cls", [Smoothness, EntropicSmoothness])
def test_two_penalties_become_one_of_both_graphs(cls):
    one, other = cls(graph("knn"), 2.0), cls(graph("labels"), 0.5)
    both = one.added(other)
    assert isinstance(both.graph, SumOfGraphs)
    assert both.value(state()) == pytest.approx(one.value(state()) + other.value(state()), rel=1e-12)


def test_a_rough_solve_beside_an_exact_one_makes_no_exact_one():
    rough, exact = EntropicSmoothness(graph("knn"), 2.0, exact=False), EntropicSmoothness(graph("knn"), 2.0)
    assert exact.added(exact).exact
    assert not rough.added(exact).exact
