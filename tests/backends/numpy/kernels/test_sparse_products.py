import numpy as np
import pytest
from tests.conftest import problem
from tests.reference import kernels as plain

from manifact.backends import Matrix, threads
from manifact.backends.numpy import edge_energies, edge_gaussians, times


@pytest.mark.parametrize("rows", [1, 7, 100, 299, 300, 100_000])
@pytest.mark.parametrize("count", [1, 3])
def test_energies_do_not_depend_on_how_many_rows_are_added_up_at_a_time(rows, count, monkeypatch, rng):
    """The number stands in one place: nothing else has to agree with it."""
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    W, A, B = problem(n=300)[1], rng.random((300, 5)), rng.random((300, 5))
    monkeypatch.setattr("manifact.backends.numpy.numpy_operations.ROWS_PER_ENERGY", rows)
    with threads.limit(count):
        mine = edge_energies(Matrix(W), A, B)
    expected = [plain.edge_energy(W, A[:, [c]], B[:, [c]]) for c in range(5)]
    np.testing.assert_allclose(mine, expected, rtol=1e-11)


def test_energies_of_nearly_equal_rows_keep_their_digits(rng):
    W = problem(n=50)[1]
    gaps = rng.integers(-8, 8, (50, 2)) * 2.0**-20
    expected = plain.edge_energy(W, gaps, gaps)
    assert edge_energies(Matrix(W), 1000 + gaps, 1000 + gaps).sum() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gaussians_on_edges(dtype):
    _, W, V, _ = problem(n=40)
    V = V.astype(dtype)
    found = edge_gaussians(Matrix(W), V).csr
    squares = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(found.toarray(), W * np.exp(-squares), rtol=1e-5 if dtype == np.float32 else 1e-13)
    assert found.dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products_have_the_type_of_the_factor(dtype):
    _, W, V, _ = problem(n=40)
    mine = times(Matrix(W), V.astype(dtype))
    np.testing.assert_allclose(mine, W @ V, rtol=1e-5 if dtype == np.float32 else 1e-13)
    assert mine.dtype == dtype
