"""Products of rows and the nearest rows by them, beside a plain sort of distances."""

import numpy as np
import pytest
from scipy import sparse
from tests.reference import kernels as reference

from manifact.backends import backend_of, threads
from manifact.backends.numpy.row_products import SLAB, nearest_by_products, row_products


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 40, SLAB + 44])
def test_products_of_rows(rng, n, dtype):
    X = (rng.random((n, 30)) * (rng.random((n, 30)) < 0.3)).astype(dtype)
    for kind in (np.asarray, sparse.csr_array):
        G = row_products(kind(X))
        assert G.dtype == dtype
        np.testing.assert_allclose(G, X @ X.T, rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(G, G.T)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7, 500])
def test_nearest_rows_are_those_of_a_sort_of_distances(rng, k, dtype):
    X = rng.random((150, 5))
    index, squares = nearest_by_products((X @ X.T).astype(dtype), k)
    expected, far = reference.nearest(X, k)
    assert index.shape == expected.shape
    assert (index == expected).mean() > (0.99 if dtype == np.float32 else 1 - 1e-9)
    np.testing.assert_allclose(squares, far, atol=1e-5)


def test_ties_go_to_the_smaller_index_and_copies_are_at_no_distance():
    X = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], dtype=np.float32)
    index, squares = nearest_by_products(row_products(X), 3)
    assert index.tolist() == [[1, 3, 2], [0, 3, 2], [0, 1, 3], [0, 1, 2]]
    assert squares[2].tolist() == [2, 2, 2]
    assert squares[0, :2].tolist() == [0, 0]
    assert nearest_by_products(np.ones((1, 1)), 3)[0].shape == (1, 0)


def test_the_answer_does_not_depend_on_the_number_of_threads(rng):
    X = sparse.csr_array(rng.random((600, 40)) * (rng.random((600, 40)) < 0.2)).astype(np.float32)
    found = []
    for count in (1, 3):
        with threads.limit(count):
            G = row_products(X)
            found.append((G, *nearest_by_products(G, 9)))
    for one, other in zip(*found, strict=True):
        np.testing.assert_array_equal(one, other)


def test_tensors_have_the_same_products_and_neighbours(rng):
    torch = pytest.importorskip("torch")
    X = rng.random((30, 4))
    tensor = torch.as_tensor(X)
    G = backend_of(tensor).row_products(tensor)
    np.testing.assert_allclose(G.numpy(), row_products(X))
    index, squares = backend_of(G).nearest_by_products(G, 3)
    np.testing.assert_array_equal(index.numpy(), nearest_by_products(row_products(X), 3)[0])
    assert squares.shape == (30, 3)
