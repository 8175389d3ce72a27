"""What two runs are about is the same where every number is."""

import numpy as np
import pytest
from scipy import sparse

from manifact.solvers import content_digest
from manifact.solvers.content_digest import digest, samples_digest


def test_arrays_without_entries_differ_by_their_shape_and_type():
    empty = [np.zeros((0, 3)), np.zeros((3, 0)), np.zeros(0), np.zeros(0, dtype=np.float32)]
    assert len({digest(value) for value in [*empty, np.zeros(1)]}) == 5
    assert digest(empty[0]) == digest(np.ones((0, 3)))


def test_arrays_of_one_number_differ_by_it_and_by_their_dimensions():
    one = [np.array(1.0), np.array([1.0]), np.array([[1.0]]), np.array(2.0), np.array([2.0])]
    assert len({digest(value) for value in one}) == 5
    assert digest(one[0]) == digest(np.array(1.0))


@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray, sparse.csr_array])
def test_the_number_of_rows_that_are_hashed_at_a_time_makes_no_difference(kind, rng, monkeypatch):
    X = kind(rng.random((50, 7)) * (rng.random((50, 7)) < 0.5))
    whole = digest(X), samples_digest(X)
    for size in (1, 100, 1000):
        monkeypatch.setattr(content_digest, "BLOCK_BYTES", size)
        assert (digest(X), samples_digest(X)) == whole
