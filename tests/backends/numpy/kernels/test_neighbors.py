import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.kernels import best_of
from tests.reference.kernels import nearest as plain

from manifact.backends.numpy.kernels import neighbors

SHAPES = st.tuples(st.integers(1, 70), st.integers(1, 140), st.integers(1, 5))


def heaps(q, k):
    return np.full((q, k), np.inf), np.full((q, k), 10**6)


@given(SHAPES, st.integers(1, 6), st.sampled_from([1.0, -1.0]), st.integers(2, 40), st.integers(0, 10**6))
def test_rows_and_columns_of_inner_products_find_what_sorting_finds(shape, k, sign, values, seed):
    (q, n, m), rng = shape, np.random.default_rng(seed)
    Q, X = (rng.integers(0, values, (rows, m)).astype(float) for rows in (q, n))
    k = min(k, n)
    # Small integers: float32 is exact, and the floors may be tight.
    dots = (Q @ X.T).astype(np.float32)
    floors, q_floors = ((sign * (A * A).sum(axis=1)).astype(np.float32) for A in (X, Q))
    for kernel, products in ((neighbors.rows_seek_columns, dots), (neighbors.columns_seek_rows, dots.T.copy())):
        keys, index = heaps(q, k)
        limits = np.full(q, np.inf, dtype=np.float32)
        # In two parts, the later first: the order in which rows come does not matter.
        for part in (slice(n // 2, n), slice(0, n // 2)):
            some = products[:, part] if kernel is neighbors.rows_seek_columns else products[part]
            kernel(np.ascontiguousarray(some), sign, 1.0, Q, q_floors, limits, keys, index, X[part], floors[part],
                   part.start, 0, q)  # fmt: skip
        neighbors.sort_found(keys, index, 0, q)
        expected, squares = plain(X, k, Q, farthest=sign < 0)
        np.testing.assert_array_equal(index, expected)
        np.testing.assert_array_equal(sign * keys, squares)


def test_pairs_without_an_inner_product_do_not_find_each_other(rng):
    X = rng.random((5, 2))
    floors, limits = np.zeros(5, dtype=np.float32), np.full(5, np.inf, dtype=np.float32)
    dots = np.zeros((5, 5), dtype=np.float32)
    np.fill_diagonal(dots, np.nan)
    keys, index = heaps(5, 5)
    neighbors.rows_seek_columns(dots, 1.0, 1.0, X, floors, limits, keys, index, X, floors, 0, 0, 5)
    assert (index != np.arange(5)[:, None]).all()
    assert np.isinf(keys).sum() == 5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("values", [3, 1000])
def test_the_best_candidates_are_found(dtype, values, rng):
    X = (rng.integers(0, values, (40, 6)) * (rng.random((40, 6)) < 0.6)).astype(dtype)
    candidates = np.array([rng.choice(40, 11, replace=False) for _ in range(40)])
    expected, squares = best_of(X, candidates, 4)
    A = sparse.csr_array(X)
    for kernel, arrays in ((neighbors.dense_rank, (X,)), (neighbors.sparse_rank, (A.indptr, A.indices, A.data))):
        keys, index = heaps(40, 4)
        kernel(*arrays, candidates, keys, index, 0, 25)
        kernel(*arrays, candidates, keys, index, 25, 40)
        np.testing.assert_array_equal(index, expected)
        np.testing.assert_allclose(keys, squares, rtol=1e-12)
