import numpy as np
import pytest
from scipy import sparse

from manifact.backends import backend_of
from manifact.backends import numpy as kernels

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")


@pytest.mark.parametrize("sparsely", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shape", [(120, 70), (70, 120), (30, 20)])
def test_directions_are_those_of_numpy(rng, sparsely, weighted, shape):
    X = rng.random((shape[0], 30)) @ (rng.random((30, shape[1])) * 0.8 ** np.arange(30)[:, None])
    X[:, 3] = 0
    scale = rng.random(shape[0]) if weighted else None
    tensor = torch.as_tensor(X).to_sparse_csr() if sparsely else torch.as_tensor(X)
    s, Q = backend_of(tensor).leading_directions(tensor, 12, 4, None if scale is None else torch.as_tensor(scale))
    expected = kernels.leading_directions(sparse.csr_array(X) if sparsely else X, 12, 4, scale)
    np.testing.assert_allclose(s, expected[0], rtol=1e-6)
    np.testing.assert_allclose(Q, expected[1], atol=1e-6)
    np.testing.assert_allclose(backend_of(tensor).projected(tensor, Q), X @ expected[1], atol=1e-6)


def test_single_tensors_and_those_of_low_rank(rng):
    X = (rng.random((50, 4)) @ rng.random((4, 30))).astype(np.float32)
    s, Q = backend_of(torch.as_tensor(X)).leading_directions(torch.as_tensor(X), 9)
    assert (s.dtype, tuple(Q.shape)) == (torch.float64, (30, 4))
    np.testing.assert_allclose(s, kernels.leading_directions(X, 9)[0], rtol=1e-4)
    none = torch.zeros((5, 3), dtype=torch.float64)
    assert tuple(backend_of(none).leading_directions(none, 2)[1].shape) == (3, 0)
