import numpy as np
import pytest
from numba import njit

from manifact.backends.numpy.kernels.lanes import (
    TILE_ROWS,
    add_scaled,
    combine,
    dots,
    padded_length,
    rows_abreast,
    tile_products,
)
from manifact.backends.numpy.padded_rows import padded

TYPES = [np.float32, np.float64]


@njit
def four_dots(M, rows, v):
    return dots(M, (rows[0], rows[1], rows[2], rows[3]), v)


@njit
def one_dot(M, rows, v):
    return dots(M, (rows[0],), v)


@njit
def add_four(out, scales, M, rows):
    add_scaled(out, (scales[0], scales[1], scales[2], scales[3]), M, (rows[0], rows[1], rows[2], rows[3]))


@njit
def mix(out, scales, M):
    combine(out, scales, M)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("k", [1, 7, 8, 16, 17, 40, 64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_as_vectors_equal_rows_as_numbers(dtype, k, index, rng):
    M, v = padded(rng.random((9, k)).astype(dtype)), padded(rng.random((1, k)).astype(dtype))[0]
    assert M.shape[1] == padded_length(k, M.itemsize)
    rows, close = np.array([3, 0, 8, 3], dtype=index), {"rtol": 1e-5 if dtype == np.float32 else 1e-13}
    np.testing.assert_allclose(four_dots(M, rows, v), M[rows] @ v, **close)
    np.testing.assert_allclose(one_dot(M, rows, v), M[rows[:1]] @ v, **close)
    out, scales = v.copy(), rng.random(4).astype(dtype)
    add_four(out, scales, M, rows)
    np.testing.assert_allclose(out, v + scales @ M[rows], **close)


@pytest.mark.parametrize("dtype", TYPES)
def test_combine_adds_all_rows_afresh(dtype, rng):
    width = rows_abreast(np.dtype(dtype).itemsize)
    M, scales = rng.random((11, width)).astype(dtype), rng.random(11).astype(dtype)
    out = np.full(width, np.nan, dtype=dtype)
    for _ in range(2):
        mix(out, scales, M)
        np.testing.assert_allclose(out, scales @ M, rtol=1e-5 if dtype == np.float32 else 1e-13)


@njit
def tile(out, P, G):
    tile_products(out, P, G)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(("depth", "k"), [(1, 1), (5, 16), (30, 37)])
@pytest.mark.parametrize("transposed", [False, True])
def test_products_of_a_tile(dtype, depth, k, transposed, rng):
    P = rng.random((depth, TILE_ROWS)).astype(dtype).T if transposed else rng.random((TILE_ROWS, depth)).astype(dtype)
    G = padded(rng.random((depth, k)).astype(dtype))
    out = np.full((TILE_ROWS, G.shape[1]), np.nan, dtype=dtype)
    tile(out, P, G)
    np.testing.assert_allclose(out, P @ G, rtol=1e-5 if dtype == np.float32 else 1e-13)


def test_padded_rows_begin_with_a_line_of_the_cache(rng):
    assert padded(rng.random((4, 5))).ctypes.data % 64 == 0


def test_whole_vectors_are_not_copied(rng):
    M = rng.random((4, 16))
    assert padded(M) is M
    np.testing.assert_array_equal(padded(M[:, :5])[:, 5:], 0)
