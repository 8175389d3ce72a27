"""Copies among samples are found whatever the matrix is, and nothing else is called one."""

import numpy as np
import pytest
from scipy import sparse

from manifact.utils import equal_rows
from manifact.utils.equal_rows import first_equal_rows, number_of_copies


def plainly(X):
    """The same by a dictionary of rows."""
    seen = {}
    return [seen.setdefault((row + 0.0).tobytes(), number) for number, row in enumerate(np.asarray(X, dtype=float))]


def with_copies(n=300, m=7, seed=0, density=0.3):
    random = np.random.default_rng(seed)
    X = np.where(random.random((n, m)) < density, random.integers(1, 4, (n, m)), 0).astype(float)
    X[n // 2 :] = X[random.integers(0, n // 2, n - n // 2)]
    return X


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, bool])
def test_dense_rows(dtype):
    X = with_copies().astype(dtype)
    first = first_equal_rows(X)
    assert first.tolist() == plainly(X)
    assert number_of_copies(first) == 300 - len(np.unique(X, axis=0)) >= 150


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array, sparse.coo_array, sparse.csr_matrix])
def test_sparse_rows_are_the_same_copies(make):
    X = with_copies(density=0.1)
    assert first_equal_rows(make(X)).tolist() == plainly(X)


def test_blocks_do_not_change_what_is_found(monkeypatch):
    X = with_copies(n=500, m=5, seed=1)
    monkeypatch.setattr(equal_rows, "BLOCK", 8)
    assert first_equal_rows(X).tolist() == plainly(X)
    assert first_equal_rows(sparse.csr_array(X)).tolist() == plainly(X)


def test_signs_of_zero_stored_zeros_and_the_order_of_entries_make_no_difference():
    dense = np.array([[0.0, 1.0], [-0.0, 1.0]])
    assert first_equal_rows(dense).tolist() == [0, 0]
    stored = sparse.csr_array((np.array([0.0, 1.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    assert first_equal_rows(stored).tolist() == [0, 0]
    unsorted = sparse.csr_array((np.array([2.0, 1.0, 1.0, 2.0]), np.array([1, 0, 0, 1]), np.array([0, 2, 4])))
    assert first_equal_rows(unsorted).tolist() == [0, 0]
    twice = sparse.csr_array((np.array([0.5, 0.5, 1.0]), np.array([0, 0, 0]), np.array([0, 2, 3])), shape=(2, 1))
    assert first_equal_rows(twice).tolist() == [0, 0]
    assert twice.nnz == 3, "the user's matrix was changed"


def test_missing_values_equal_each_other():
    X = np.array([[np.nan, 1.0], [1.0, np.nan], [np.nan, 1.0], [0.0, 1.0]])
    assert first_equal_rows(X).tolist() == [0, 1, 0, 3]
    assert first_equal_rows(sparse.csr_array(X)).tolist() == [0, 1, 0, 3]


def test_exchanged_columns_and_whole_numbers_that_differ_by_little_are_no_copies():
    X = np.array([[1.0, 2.0], [2.0, 1.0], [3.0, 0.0], [0.0, 3.0]])
    assert number_of_copies(first_equal_rows(X)) == 0
    large = np.array([[2**53], [2**53 + 1]], dtype=np.int64)
    assert number_of_copies(first_equal_rows(large)) == 0


def test_a_collision_of_hashes_makes_no_copy(monkeypatch):
    X = with_copies(n=60, m=3, seed=2)
    for name in ("_dense_hashes", "_sparse_hashes"):
        monkeypatch.setattr(equal_rows, name, lambda X: np.zeros(X.shape[0], dtype=np.uint64))
    assert first_equal_rows(X).tolist() == plainly(X)
    assert first_equal_rows(sparse.csr_array(X)).tolist() == plainly(X)


@pytest.mark.parametrize("shape", [(0, 3), (1, 3), (4, 0)])
def test_no_rows_one_row_and_no_columns(shape):
    expected = [0] * shape[0]
    assert first_equal_rows(np.zeros(shape)).tolist() == expected
    assert first_equal_rows(sparse.csr_array(shape)).tolist() == expected
