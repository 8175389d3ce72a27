import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends import Matrix  # noqa: E402
from manifact.backends.torch.multiplied_rows import ahead, multiply_rows, product, scale  # noqa: E402

_, W, V, U = problem(n=40)
G, B = U.T @ U, V[::-1].copy()
WEIGHT = np.linspace(0.1, 2, 40)


def here(*arrays):
    return [torch.as_tensor(P) for P in arrays]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("tied", [False, True])
def test_it_is_what_draws_over_what_holds_back(weighted, tied):
    gain, held = (WEIGHT, WEIGHT[::-1].copy()) if weighted else (1.0, 0.0)
    ties = (Matrix(sparse.csr_array(W)), 0.3) if tied else (None, 0.0)
    as_columns = (np.reshape(part, (-1, 1)) for part in (gain, held))
    own, shift = as_columns
    drawn = B + (0.3 * W @ V if tied else 0.0)
    expected = V * drawn / (own * (V @ G) + shift * V + 0.2)
    given = [torch.as_tensor(part) if weighted else part for part in (gain, held)]
    mine = multiply_rows(*here(V, G, B), *given, 0.2, *ties)
    np.testing.assert_allclose(mine, expected, rtol=1e-12)


def test_zeros_below_give_zeros_and_not_nan():
    mine = multiply_rows(*here(np.zeros_like(V), G, B), 1.0, 0.0)
    assert not mine.any()


def test_products_scales_and_points_ahead():
    np.testing.assert_allclose(product(*here(V, G)), V @ G, rtol=1e-12)
    np.testing.assert_allclose(ahead(*here(V, B), 0.4), V + 0.4 * (V - B), rtol=1e-12)
    rows, columns = here(WEIGHT, np.arange(1.0, 5))
    np.testing.assert_allclose(scale(torch.as_tensor(V), rows, columns), WEIGHT[:, None] * V * np.arange(1.0, 5))
    np.testing.assert_allclose(scale(torch.as_tensor(V), columns=columns), V * np.arange(1.0, 5))
