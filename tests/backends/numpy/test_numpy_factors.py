import numpy as np
import pytest
from scipy import sparse

from manifact.backends import plain, threads
from manifact.backends.matrix import Matrix
from manifact.backends.numpy import numpy_factors as fast

SHAPES = [(1, 1), (7, 3), (1300, 17), (2500, 64)]


def close(dtype):
    return {"rtol": 2e-5 if dtype == np.float32 else 1e-12}


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return request.param


@pytest.mark.parametrize("shape", SHAPES)
def test_sums_equal_their_plain_twins(shape, dtype, rng):
    A, B = (rng.random(shape).astype(dtype) for _ in range(2))
    for name in ("cross", "column_products", "inner"):
        np.testing.assert_allclose(getattr(fast, name)(A, B), getattr(plain, name)(A, B), **close(dtype))
    np.testing.assert_allclose(fast.column_sums(A), plain.column_sums(A), **close(dtype))
    assert fast.cross(A, B).dtype == np.float64


def test_products_of_factors_of_different_types_and_widths(rng):
    A, B = rng.random((700, 5)), rng.random((700, 12)).astype(np.float32)
    np.testing.assert_allclose(fast.cross(A, B), A.T @ B, rtol=1e-12)
    np.testing.assert_allclose(fast.cross(B[:, ::2], A), B[:, ::2].T @ A, rtol=1e-12)


def test_wide_products_are_those_of_blas(monkeypatch, rng):
    monkeypatch.setattr(fast, "LARGEST_CROSS", 10)
    A, B = rng.random((700, 5)), rng.random((700, 12))
    np.testing.assert_allclose(fast.cross(A, B), A.T @ B, rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_equal_their_plain_twins(shape, dtype, rng):
    P, Q, B = (rng.random(shape).astype(dtype) for _ in range(3))
    rows, columns = rng.random(shape[0]), rng.random(shape[1])
    np.testing.assert_allclose(fast.ahead(P, Q, 0.7), plain.ahead(P, Q, 0.7), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(fast.rescale(P, Q, B), plain.rescale(P, Q, B), **close(dtype))
    np.testing.assert_allclose(fast.rescale(P, Q, B[:1]), plain.rescale(P, Q, B[:1]), **close(dtype))
    for parts in ({"rows": rows}, {"columns": columns}, {"rows": rows, "columns": columns}, {}):
        np.testing.assert_allclose(fast.scale(P, **parts), plain.scale(P, **parts), **close(dtype))
    np.testing.assert_allclose(fast.moved(P, Q, 0.3), P + 0.3 * Q, **close(dtype))
    np.testing.assert_array_equal(fast.nonnegative(P - Q), np.maximum(P - Q, 0))
    np.testing.assert_array_equal(fast.added(P, Q), plain.added(P, Q))
    assert fast.scale(P, rows=rows).dtype == dtype


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tied", [False, True])
def test_a_multiplicative_step_is_the_quotient(shape, weighted, tied, dtype, rng):
    n, k = shape
    P, B, G = rng.random(shape).astype(dtype), rng.random(shape).astype(dtype), rng.random((k, k))
    scale, shift = (rng.random(n), rng.random(n)) if weighted else (0.8, 0.3)
    W = Matrix(sparse.random_array((n, n), density=0.01 if n > 100 else 0.5, random_state=rng, format="csr"))
    ties = (W, 0.6) if tied else (None, 0.0)
    drawn = B + 0.6 * (W.csr @ P) if tied else B
    expected = plain.multiply_rows(P, G, drawn, scale, shift, 0.1)
    np.testing.assert_allclose(fast.multiply_rows(P, G, B, scale, shift, 0.1, *ties), expected, **close(dtype))


def test_a_step_by_nothing_stays_finite():
    """Both parts are zero: the floor must be there, and be that of the plain twin."""
    P, G = np.array([[1.0, 0.0], [2.0, 3.0]]), np.zeros((2, 2))
    np.testing.assert_array_equal(fast.multiply_rows(P, G, np.zeros((2, 2)), 1.0, 0.0), np.zeros((2, 2)))
    tiny = 1e-30 * np.eye(2)
    expected = plain.multiply_rows(P, tiny, 1e-30 * P, 1.0, 0.0)
    np.testing.assert_allclose(fast.multiply_rows(P, tiny, 1e-30 * P, 1.0, 0.0), expected)


def test_nothing_depends_on_the_number_of_threads(monkeypatch, rng):
    monkeypatch.setattr(threads, "SMALL_WORK", 1)
    A, B, G = rng.random((3000, 19)), rng.random((3000, 19)), rng.random((19, 19))
    W = Matrix(sparse.random_array((3000, 3000), density=0.002, random_state=rng, format="csr"))
    found = []
    for count in (1, 2, 5):
        with threads.limit(count):
            found.append(
                [fast.cross(A, B), fast.column_products(A, B), fast.inner(A, B), fast.column_sums(A),
                 fast.ahead(A, B, 0.4), fast.rescale(A, B, A), fast.multiply_rows(A, G, B, 1.0, 0.2, 0.1, W, 0.3)]
            )  # fmt: skip
    for other in found[1:]:
        for mine, theirs in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
