import numpy as np
import pytest
from tests.conftest import problem
from tests.terms.cases import state

from manifact.terms import ElasticNet, Orthogonality, Redundancy


@pytest.mark.parametrize("form", ["dense", "csr", "kernel"])
@pytest.mark.parametrize("signed", [False, True])
def test_overlap_of_concepts_is_that_of_their_basis_vectors(form, signed):
    """The basis is XᵀC, not C."""
    s = state("concepts", form, weighted=True, signed=signed)
    basis = (problem()[0] - 0.3 * signed).T @ s.U
    overlaps = basis.T @ basis
    assert Redundancy(0.7).value(s) == pytest.approx(0.7 * np.sum(overlaps))
    assert Orthogonality(0.7).value(s) == pytest.approx(0.7 * (np.sum(overlaps) - np.trace(overlaps)))


def test_orthogonal_basis_vectors_cost_nothing():
    s = state()
    U = np.eye(17)[:, :4]
    assert Orthogonality(0.7).value(s.replace("U", U)) == 0
    assert Redundancy(0.7).value(s.replace("U", U)) == pytest.approx(0.7 * 4)


def test_a_penalty_names_a_factor():
    with pytest.raises(ValueError, match="block='A' must be 'V' or 'U'; for A take OnSecond"):
        ElasticNet("A", 1.0, 1.0)


def test_penalties_on_one_factor_add_up():
    both = ElasticNet("V", 1.0, 2.0).added(ElasticNet("V", 0.5, 0.25))
    assert (both.block, both.l1, both.l2) == ("V", 1.5, 2.25)
    assert ElasticNet("V", 1.0, 2.0).added(ElasticNet("U", 1.0, 2.0)) is None
