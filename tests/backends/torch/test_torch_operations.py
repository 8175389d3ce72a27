"""Each operation of the backend of tensors beside that of NumPy's kernels."""

import inspect

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.backends import Matrix, backend_of, plain
from manifact.backends import numpy as kernels
from manifact.backends.matrix import Pieces
from manifact.backends.protocol import Backend

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends import torch as tensors  # noqa: E402


@pytest.fixture
def case():
    X, W, V, U = problem(n=40)
    return X, Matrix(sparse.csr_array(W)), V, U


def here(*arrays):
    return [torch.as_tensor(P) for P in arrays]


def test_it_offers_what_the_protocol_asks_for():
    for name, method in inspect.getmembers(Backend, inspect.isfunction):
        if not name.startswith("_"):
            asked = list(inspect.signature(method).parameters)[1:]
            assert list(inspect.signature(getattr(tensors, name)).parameters) == asked, name


def test_the_backend_follows_from_the_array():
    assert backend_of(torch.ones(2)) is tensors
    assert backend_of(np.ones(2)) is kernels


def test_matrices_come_back_as_they_were(case):
    X = sparse.csr_array(case[0])
    again = tensors.host(tensors.like(X, torch.ones(1)))
    assert (again != X).nnz == 0
    assert again.dtype == X.dtype


def test_graphs(case, rng):
    _, W, V, _ = case
    B = rng.random(V.shape)
    V_, B_ = here(V, B)
    np.testing.assert_allclose(tensors.times(W, V_), kernels.times(W, V), rtol=1e-12)
    np.testing.assert_allclose(tensors.edge_energies(W, V_, B_), kernels.edge_energies(W, V, B), rtol=1e-10)
    expected = kernels.edge_gaussians(W, V).csr
    np.testing.assert_allclose(tensors.edge_gaussians(W, V_).csr.toarray(), expected.toarray(), rtol=1e-12)


@pytest.mark.parametrize("lam", [0.1, 100.0])
@pytest.mark.parametrize("reduction", [0.0, 0.1])
def test_linear_systems(case, rng, lam, reduction):
    _, W, V, _ = case
    H = sparse.csr_array((np.arange(40)[:, None] % 4 == np.arange(4)).astype(float))
    degrees = np.asarray(W.csr.sum(axis=1)).ravel() + np.asarray(H.sum(axis=0))[np.arange(40) % 4] - 1
    pieces = Pieces(degrees, W, Matrix(H), Matrix(H.T), np.ones(40))
    A, B = rng.random(V.shape) + 0.5, rng.random(V.shape)
    Z, left = tensors.solve_columns(pieces, *here(A), lam, *here(B), None, 1e-12, reduction)
    L = np.diag(degrees) - W.csr.toarray() - (H @ H.T).toarray() + np.eye(40)
    residual = np.stack([A[:, c] * Z.numpy()[:, c] + lam * L @ Z.numpy()[:, c] for c in range(4)], axis=1) - B
    assert np.linalg.norm(residual) <= (0.1 if reduction else 1e-10) * np.linalg.norm(B)
    assert left == pytest.approx(np.max(np.linalg.norm(residual, axis=0) / np.linalg.norm(B, axis=0)), abs=1e-9)
    if not reduction:
        expected, _ = kernels.solve_columns(pieces, A, lam, B, None, 1e-12, 0.0)
        np.testing.assert_allclose(Z, expected, rtol=1e-9)


@pytest.mark.parametrize("tied", [False, True])
def test_coordinate_steps(case, rng, tied):
    _, W, V, U = case
    G, B, scale, shift = U.T @ U, rng.random(V.shape) * 5, rng.random(40), rng.random(40)
    ties = (W, 0.3, kernels.edge_classes(W)) if tied else ()
    expected = kernels.sweep_rows(V, G, B, scale, shift, 2, *ties)
    np.testing.assert_allclose(tensors.sweep_rows(*here(V, G, B, scale, shift), 2, *ties), expected, rtol=1e-10)
    assert not np.array_equal(expected, V)


def test_sums_are_those_of_the_kernels(case):
    _, _, V, _ = case
    (V_,) = here(V.astype(np.float32))
    for name in ("cross", "column_products", "inner"):
        expected = getattr(kernels, name)(V.astype(np.float32), V.astype(np.float32))
        np.testing.assert_allclose(getattr(plain, name)(V_, V_), expected, rtol=1e-6)
    np.testing.assert_allclose(plain.column_sums(V_), V.sum(axis=0), rtol=1e-6)
    np.testing.assert_allclose(plain.rescale(*here(V, 2 * V, V + 1)), kernels.rescale(V, 2 * V, V + 1), rtol=1e-12)
    np.testing.assert_array_equal(plain.rescale(*here(V, V, np.zeros_like(V))) > 0, V > 0)
