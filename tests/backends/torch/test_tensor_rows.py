"""What graphs ask of samples: of tensors what NumPy's backend answers."""

import inspect

import numpy as np
import pytest
from scipy import sparse

from manifact.backends import numpy as host
from manifact.backends.protocol import Rows

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch import tensor_rows  # noqa: E402
from manifact.backends.torch import tensors as between  # noqa: E402


@pytest.fixture(params=["dense", "sparse"])
def samples(request, rng):
    """With empty rows, copies, and entries of both signs; and the same as a tensor."""
    X = np.round(4 * rng.random((60, 7)) * (rng.random((60, 7)) < 0.3)) - (rng.random((60, 7)) < 0.1)
    X[7] = 0
    X = X if request.param == "dense" else sparse.csr_array(X)
    return X, between.as_tensor(X, "cpu")


def full(P):
    P = P.to_dense() if isinstance(P, torch.Tensor) and P.layout == torch.sparse_csr else P
    return P.toarray() if sparse.issparse(P) else np.asarray(P)


def test_it_offers_what_the_protocol_asks_for():
    for name, method in inspect.getmembers(Rows, inspect.isfunction):
        if not name.startswith("_"):
            asked = list(inspect.signature(method).parameters)[1:]
            for one in (tensor_rows, host.rows):
                assert list(inspect.signature(getattr(one, name)).parameters) == asked, name


@pytest.mark.parametrize("name", ["lengths", "empty", "first_equal"])
def test_numbers_of_samples_are_those_of_numpy(samples, name):
    X, tensor = samples
    found = getattr(tensor_rows, name)(tensor)
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, getattr(host.rows, name)(X), rtol=1e-14)


@pytest.mark.parametrize("name", ["at_unit_length", "dense"])
def test_matrices_are_those_of_numpy(samples, name):
    X, tensor = samples
    np.testing.assert_allclose(full(getattr(tensor_rows, name)(tensor)), full(getattr(host.rows, name)(X)), rtol=1e-14)


def test_roots_shares_and_ends(samples):
    X, tensor = samples
    np.testing.assert_array_equal(full(tensor_rows.over(tensor, 3.0)), full(host.rows.over(X, 3.0)))
    assert tensor_rows.extent(tensor) == host.rows.extent(X)
    np.testing.assert_allclose(full(tensor_rows.square_roots(abs(tensor))), full(host.rows.square_roots(abs(X))))


@pytest.mark.parametrize("some", [slice(3, 9), np.array([5, 0, 5]), np.array([], dtype=int)], ids=str)
def test_rows_are_taken(samples, some):
    X, tensor = samples
    np.testing.assert_array_equal(full(tensor_rows.taken(tensor, some)), full(host.rows.taken(X, some)))


def test_pairs(samples, rng):
    X, tensor = samples
    rows, columns = rng.integers(0, 60, (2, 100))
    for name in ("pair_products", "pair_squares"):
        expected = getattr(host.rows, name)(X, X, rows, columns)
        np.testing.assert_allclose(getattr(tensor_rows, name)(tensor, tensor, rows, columns), expected, rtol=1e-13)


def test_stored_zeros_are_zeros():
    X = sparse.csr_array(np.array([[1.0, 2.0], [1.0, 0.0], [1.0, 3.0], [4.0, 0.0]]))
    X.data[X.data > 1] = 0
    tensor = between.as_tensor(X, "cpu")
    assert tensor_rows.first_equal(tensor).tolist() == [0, 0, 0, 3]
    assert tensor_rows.empty(tensor).tolist() == [False, False, False, True]


def test_zero_has_no_sign():
    assert tensor_rows.first_equal(torch.tensor([[0.0, 1.0], [-0.0, 1.0]])).tolist() == [0, 0]


def test_a_collision_makes_no_copy(monkeypatch, samples):
    """All hashes are equal, and all rows are still told apart."""
    X, tensor = samples
    for name in ("_dense_hashes", "_sparse_hashes"):
        monkeypatch.setattr(tensor_rows, name, lambda X: torch.zeros(X.shape[0], dtype=torch.int64))
    np.testing.assert_array_equal(tensor_rows.first_equal(tensor), host.rows.first_equal(X))


def test_other_layouts_and_types_become_ours():
    X = torch.tensor([[1, 0], [0, 3]], dtype=torch.uint8)
    assert tensor_rows.as_samples(X).dtype == torch.float64
    found = tensor_rows.as_samples(X.to(torch.float32).to_sparse_coo())
    assert found.layout == torch.sparse_csr
    assert found.dtype == torch.float32
    with pytest.raises(ValueError, match="NaN or infinity"):
        tensor_rows.as_samples(torch.tensor([[1.0, float("nan")]]))


def test_samples_are_left_alone(samples):
    _, tensor = samples
    before = full(tensor).copy()
    for name in ("lengths", "empty", "first_equal", "at_unit_length", "lengths_squared", "dense"):
        getattr(tensor_rows, name)(tensor)
    np.testing.assert_array_equal(full(tensor), before)
