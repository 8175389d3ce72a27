"""Neighbours of tensors are those of NumPy's backend, with ties and copies."""

import numpy as np
import pytest
from scipy import sparse

from manifact.backends import numpy as host

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch import tensor_neighbors  # noqa: E402
from manifact.backends.torch.tensors import as_tensor  # noqa: E402

PLACES = [
    "cpu",
    pytest.param("cuda", marks=pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")),
]


def sparsely(n, m, rng, dtype):
    return sparse.csr_array(np.round(3 * rng.random((n, m)) * (rng.random((n, m)) < 0.1)).astype(dtype))


SAMPLES = {
    "dense": lambda rng, dtype: rng.random((700, 30)).astype(dtype),
    "far from zero": lambda rng, dtype: (1000 + rng.random((300, 9))).astype(dtype),
    # Every distance is shared by many pairs, and most rows have copies.
    "ties": lambda rng, dtype: (rng.random((900, 9)) < 0.5).astype(dtype),
    "wide": lambda rng, dtype: rng.random((9000, 5)).astype(dtype),
    "sparse": lambda rng, dtype: sparse.csr_array(rng.random((400, 80)) * (rng.random((400, 80)) < 0.1)).astype(dtype),
    "sparse ties": lambda rng, dtype: sparsely(500, 30, rng, dtype),
}


@pytest.mark.parametrize("device", PLACES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_same_rows_are_nearest(name, dtype, farthest, device, rng):
    X = SAMPLES[name](rng, dtype)
    expected = host.nearest(X, 5, farthest=farthest)
    index, squares = tensor_neighbors.nearest(as_tensor(X, device), 5, farthest=farthest)
    np.testing.assert_array_equal(index.cpu(), expected[0])
    np.testing.assert_allclose(squares.cpu(), expected[1], rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("device", PLACES)
@pytest.mark.parametrize("name", ["dense", "ties", "sparse ties"])
def test_queries_find_the_same_rows(name, device, rng):
    X = SAMPLES[name](rng, np.float64)
    Q = X[:50] * 1.5
    expected = host.nearest(X, 7, Q)
    index, squares = tensor_neighbors.nearest(as_tensor(X, device), 7, as_tensor(Q, device))
    np.testing.assert_array_equal(index.cpu(), expected[0])
    np.testing.assert_allclose(squares.cpu(), expected[1], rtol=1e-12, atol=1e-12)


def test_sparse_queries_find_dense_rows(rng):
    X, Q = rng.random((40, 30)), SAMPLES["sparse ties"](rng, np.float64)
    index, squares = tensor_neighbors.nearest(as_tensor(X, "cpu"), 5, as_tensor(Q, "cpu"))
    expected = host.nearest(X, 5, Q)
    np.testing.assert_array_equal(index, expected[0])
    np.testing.assert_allclose(squares, expected[1], rtol=1e-10)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_no_scale_overflows(scale, kind, rng):
    X = kind(rng.random((60, 4)))
    index, squares = tensor_neighbors.nearest(as_tensor(X * scale, "cpu"), 3)
    np.testing.assert_array_equal(index, host.nearest(X, 3)[0])
    assert bool((squares == (0.0 if scale < 1 else np.inf)).all())


def test_more_neighbours_than_rows_are_all_others(rng):
    X = as_tensor(rng.random((4, 3)), "cpu")
    assert sorted(tensor_neighbors.nearest(X, 9)[0][0].tolist()) == [1, 2, 3]
    assert tensor_neighbors.nearest(X[:1], 9)[0].shape == (1, 0)
    assert tensor_neighbors.nearest(X, 2, X[:0])[0].shape == (0, 2)


@pytest.mark.parametrize("count", [1, 3, 11])
def test_groups_hold_the_smallest(count, rng):
    """By groups, as of wide rows, and without."""
    bounds = as_tensor(rng.integers(0, 50, (20, 64 * 50)).astype(float), "cpu")
    least, where = tensor_neighbors.smallest(bounds, count)
    np.testing.assert_array_equal(least, np.sort(bounds, axis=1)[:, :count])
    np.testing.assert_array_equal(bounds.gather(1, where), least)


@pytest.mark.parametrize("name", ["dense", "ties", "sparse ties"])
@pytest.mark.parametrize("farthest", [False, True])
def test_rows_that_would_have_a_query_among_theirs(name, farthest, rng):
    X = SAMPLES[name](rng, np.float64)
    Q = X[:60] * 1.2
    squares = host.nearest(X, 5, farthest=farthest)[1][:, -1]
    expected = set(zip(*(part.tolist() for part in host.reached(X, squares, Q, farthest)), strict=True))
    found = tensor_neighbors.reached(as_tensor(X, "cpu"), squares, as_tensor(Q, "cpu"), farthest)
    assert set(zip(*(part.tolist() for part in found), strict=True)) == expected
    assert expected


def test_products_tell_who_is_near(rng):
    X = rng.random((80, 6)).astype(np.float32)
    G = tensor_neighbors.row_products(as_tensor(X, "cpu"))
    index, squares = tensor_neighbors.nearest_by_products(G, 6)
    expected = host.nearest_by_products(G.numpy(), 6)
    np.testing.assert_array_equal(index, expected[0])
    np.testing.assert_allclose(squares, expected[1], atol=1e-6)


def test_products_of_sparse_rows_are_those_of_dense_ones(rng):
    X = SAMPLES["sparse"](rng, np.float64)
    G = tensor_neighbors.row_products(as_tensor(X, "cpu"))
    np.testing.assert_allclose(G, X.toarray() @ X.toarray().T, rtol=1e-12, atol=1e-14)
