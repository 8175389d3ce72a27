import numpy as np
from scipy import sparse
from tests.conftest import problem

from manifact.utils.sparse_matrices import empty_rows, sorted_csr


def test_the_users_matrix_is_not_changed():
    X = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 0]), np.array([0, 2, 3])), shape=(2, 3))
    before = X.data.copy(), X.indices.copy()
    canonical = sorted_csr(X)
    assert canonical.has_sorted_indices
    np.testing.assert_array_equal(X.data, before[0])
    np.testing.assert_array_equal(X.indices, before[1])
    np.testing.assert_array_equal(canonical.toarray(), X.toarray())


def test_wide_indices_are_narrowed():
    X = sparse.csr_array(problem()[0])
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert sorted_csr(X).indices.dtype == np.int32


def test_rows_of_stored_zeros_are_empty():
    X = sparse.csr_array((np.array([0.0, 2.0]), np.array([1, 0]), np.array([0, 1, 2, 2])), shape=(3, 2))
    assert empty_rows(X).tolist() == empty_rows(X.toarray()).tolist() == [True, False, True]
