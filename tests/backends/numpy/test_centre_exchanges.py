"""Centres that go where they are missed more, held against all scores computed anew."""

import numpy as np
import pytest

from manifact.backends.numpy.centre_exchanges import _Held, exchanged
from manifact.backends.numpy.kernels.centre_exchange import exchange


def held(F, centres):
    """Labels and Σ_j max_i <f_j, c_i> − ‖c_i‖²/2."""
    scores = F @ centres.T - (centres**2).sum(axis=1) / 2
    return scores.argmax(axis=1), scores.max(axis=1).sum()


def means(F, labels, k):
    return np.array([F[labels == c].sum(axis=0) / max(1, (labels == c).sum()) for c in range(k)])


def squares(F, labels):
    return sum(((F[labels == c] - F[labels == c].mean(axis=0)) ** 2).sum() for c in np.unique(labels))


@pytest.mark.parametrize("rounds", [0, 1, 2, 5])
def test_only_what_changes_is_looked_at_and_nothing_is_missed(rounds, rng):
    F, k = rng.standard_normal((120, 6)), 9
    # Clusters that centres are the means of, and those that are nearest to these, are not the same yet.
    state = _Held.of(F, rng.integers(0, k, 120), k)
    places, found = np.array([5, 40, 77, 101]), np.empty(120, dtype=np.int64)
    sums = exchange(np.ascontiguousarray(F.T), *state.centres, 3, places, rounds, found)

    centres, own = means(F, state.members, k), state.own
    best = max(places, key=lambda place: np.maximum(F @ F[place] - F[place] @ F[place] / 2, own).sum())
    centres[3] = F[best]
    labels, total = held(F, centres)
    for _ in range(rounds):
        labels, total = held(F, means(F, labels, k))
    assert np.array_equal(found, labels)
    assert sums == pytest.approx(total, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_two_centres_in_one_group_part(dtype, rng):
    groups = np.repeat([0, 1, 2, 3], 30)
    F = (4 * np.eye(4)[groups] + 0.1 * rng.standard_normal((120, 4))).astype(dtype)
    # Group 0 has two centres, and groups 2 and 3 share one.
    start = np.where(groups == 0, np.arange(120) % 2, np.where(groups == 1, 2, 3))
    labels = exchanged(F, start, 4, 20, np.random.RandomState(0))
    assert squares(F, labels) < 0.1 * squares(F, start)
    assert all(len(np.unique(labels[groups == group])) == 1 for group in range(4))


def test_equal_rows_have_nowhere_to_go():
    F = np.ones((10, 3), dtype=np.float32) / np.float32(np.sqrt(3))
    labels = exchanged(F, np.arange(10) % 3, 3, 20, np.random.RandomState(0))
    assert squares(F, labels) == pytest.approx(0, abs=1e-10)
