"""What samples that are gone leave of the affinity term, and how it places those of a block."""

import numpy as np
import pytest
from tests.conftest import problem
from tests.terms.cases import embedding

from manifact.backends import as_data
from manifact.terms.affinity_statistics import AffinityStatistics
from manifact.terms.statistics_protocol import Hold

MU, L1, L2 = 0.05, 0.2, 0.3


def rows(F, times, *, alone, mu=MU):
    """V of a block beside samples that are gone, the statistics of these, and the block's slope without them."""
    X, V, U = problem()[0], problem()[2], problem()[3]
    known = AffinityStatistics.of_fit(U, problem(seed=1)[2], embedding(), 2.0)
    for _ in range(times):
        V = known.rows(as_data(X), U, None if alone else V, F, mu, Hold(l1=L1, l2=L2))
    return V, known, 2 * (V @ U.T - X) @ U + L1 + L2 * V


def test_a_fit_that_is_gone_leaves_the_strength_of_its_affinity():
    _, _, V, U = problem()
    share = MU * np.sum((embedding() @ embedding().T) ** 2) / 0.7
    known = AffinityStatistics.of_fit(U, V, embedding(), share)
    assert known.explained == pytest.approx(share)
    assert known.strength(0.7) == pytest.approx(MU)


@pytest.mark.parametrize("alone", [True, False], ids=["each row on its own", "beside each other as well"])
def test_rows_come_to_rest_where_all_that_holds_them_has_its_minimum(alone):
    F = embedding(empty=0)
    V, known, slope = rows(F, 300, alone=alone)
    slope += 4 * MU * (V @ known.VV - F @ known.FV)
    if not alone:
        slope += 4 * MU * (V @ (V.T @ V) - F @ (F.T @ V))
    assert (V > 0).mean() > 0.3
    np.testing.assert_allclose(slope[V > 0], 0, atol=1e-6)
    assert slope.min() > -1e-6


@pytest.mark.parametrize("alone", [True, False])
def test_rows_without_directions_do_not_know_of_other_samples(alone):
    F = embedding(empty=5)
    V, other = (rows(F, 3, alone=alone, mu=mu)[0] for mu in (MU, 3 * MU))
    np.testing.assert_array_equal(V[:5], other[:5])
    assert not np.isclose(V[5:], other[5:]).all(axis=1).any()


def test_sums_over_faded_samples_and_a_block_are_what_they_are_called(rng):
    X, _, V, U = problem()
    F, A, known = embedding(empty=5), rng.random(V.shape), AffinityStatistics.of_fit(U, V, embedding(), 2.0)
    both = known.faded(0.25).counted(as_data(X), F).joined(as_data(X), V, A, F)
    np.testing.assert_allclose(both.FF, 0.25 * known.FF + F.T @ F)
    np.testing.assert_allclose(both.XF, 0.25 * known.XF + X.T @ F)
    np.testing.assert_allclose(both.FV, 0.25 * known.FV + F.T @ V)
    np.testing.assert_allclose(both.VV, 0.25 * known.VV + V[5:].T @ V[5:])
    np.testing.assert_allclose(both.both.G, 0.25 * known.both.G + V.T @ V + A.T @ A)
    np.testing.assert_allclose(both.both.B, 0.25 * known.both.B + X.T @ (V + A))
    alone = known.joined(as_data(X), V, None, F).both
    np.testing.assert_allclose(alone.G, known.both.G + V.T @ V)
    np.testing.assert_allclose(alone.B, known.both.B + X.T @ V)


def test_samples_without_directions_have_no_affinity():
    _, _, V, U = problem()
    known = AffinityStatistics.of_fit(U, V, np.zeros((24, 3)), 2.0)
    assert (known.explained, known.strength(0.7)) == (0, 0)
    np.testing.assert_array_equal(known.VV, 0)
