import numpy as np
import pytest

from manifact.backends import as_data, threads
from manifact.backends.numpy.dense_products import product, product_transposed, rows_per_part


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "m", "k"), [(1, 1, 1), (300, 7, 3), (203, 600, 20), (1000, 40, 200), (5000, 3, 2)])
def test_products_equal_those_of_numpy(dtype, n, m, k, rng):
    X, U, V = (rng.random(shape).astype(dtype) for shape in ((n, m), (m, k), (n, k)))
    close = {"rtol": 1e-5 if dtype == np.float32 else 1e-12}
    np.testing.assert_allclose(product(X, U), X @ U, **close)
    np.testing.assert_allclose(product_transposed(X, V), X.T @ V, **close)
    assert product(X, U).dtype == product_transposed(X, V).dtype == dtype


def test_transposed_and_mixed_matrices_are_taken(rng):
    X, U = rng.random((9, 200)).T, rng.random((4, 9)).astype(np.float32).T
    np.testing.assert_allclose(product(X, U), X @ U)
    np.testing.assert_allclose(product_transposed(X, X), X.T @ X)


def test_no_rows_make_no_sum():
    assert product(np.empty((0, 3)), np.ones((3, 2))).shape == (0, 2)
    np.testing.assert_array_equal(product_transposed(np.empty((0, 3)), np.empty((0, 2))), np.zeros((3, 2)))


def test_parts_are_few_and_long():
    assert rows_per_part(10**6, 10) * 64 >= 10**6
    assert rows_per_part(100, 300) >= 300


def test_dense_passes_do_not_depend_on_the_number_of_threads(monkeypatch, rng):
    monkeypatch.setattr(threads, "SMALL_WORK", 1)
    X, U, V = (rng.random(shape, dtype=np.float32) for shape in ((1500, 50), (50, 9), (1500, 9)))
    found = []
    for count in (1, 2, 5):
        with threads.limit(count):
            data = as_data(X)
            found.append(
                [data.times(U), data.times_transposed(V), *data.ratio_times(U, V), data.ratio_times_transposed(U, V)]
            )
    for other in found[1:]:
        for mine, theirs in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)
