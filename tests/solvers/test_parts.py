import numpy as np
import pytest

from manifact.graphs import KNNGraph
from manifact.solvers.parts import Parts
from manifact.terms import ElasticNet, EntropicSmoothness, Frobenius, KullbackLeibler, Redundancy, Smoothness

SMOOTH = Smoothness(KNNGraph(2).build(np.eye(4)), 1.0)


@pytest.mark.parametrize(("terms", "held"), [
    ([], False), ([SMOOTH], True), ([ElasticNet("V", 1.0, 0.0)], True), ([ElasticNet("U", 0.0, 1.0)], False),
    ([SMOOTH, ElasticNet("U", 0.0, 1.0)], False),
])  # fmt: skip
def test_a_basis_is_held_where_a_penalty_on_V_alone_would_let_it_grow(terms, held):
    assert Parts.of([Frobenius(), *terms], Frobenius, Smoothness).holds_basis is held


def test_terms_without_an_exact_step_are_refused():
    with pytest.raises(TypeError, match="no exact step for Redundancy beside Frobenius"):
        Parts.of([Frobenius(), Redundancy(1.0)], Frobenius, Smoothness)
    with pytest.raises(TypeError, match="no exact step for Frobenius beside KullbackLeibler"):
        Parts.of([Frobenius()], KullbackLeibler, EntropicSmoothness)
