import numpy as np
import pytest
from tests.terms.cases import state

from manifact.terms import Frobenius, SimplexBasis


def test_columns_of_the_basis_sum_to_one_and_at_first_V_takes_the_scale():
    s = state()
    inside = SimplexBasis().start(s)
    np.testing.assert_allclose(inside.U.sum(axis=0), 1)
    assert Frobenius().value(inside) == pytest.approx(Frobenius().value(s))
    np.testing.assert_allclose(SimplexBasis().impose(s.U, s.U), inside.U)


def test_a_part_that_explains_nothing_stays():
    s = SimplexBasis().start(state())
    empty = s.U.copy()
    empty[:, 1] = 0
    after = SimplexBasis().impose(empty, s.U)
    np.testing.assert_array_equal(after[:, 1], s.U[:, 1])
    np.testing.assert_allclose(after.sum(axis=0), 1)


def test_a_part_without_entries_starts_inside_as_well():
    s = state()
    U = s.U.copy()
    U[:, 1] = 0
    begun = SimplexBasis().start(s.replace("U", U))
    np.testing.assert_allclose(begun.U.sum(axis=0), 1)
    np.testing.assert_allclose(begun.U[:, 1], 1 / len(U))
