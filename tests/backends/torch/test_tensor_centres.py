"""Lloyd's iterations on tensors."""

import numpy as np
import pytest
from scipy import sparse

from manifact.backends import numpy as host

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch.tensor_centres import cluster_centres  # noqa: E402
from manifact.backends.torch.tensors import as_tensor  # noqa: E402


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_centres_are_those_of_numpy(kind, rng):
    X = kind(rng.random((200, 12)) * (rng.random((200, 12)) < 0.4))
    first = rng.random((9, 12))
    first[4] = 50
    found = cluster_centres(as_tensor(X, "cpu"), as_tensor(first, "cpu"), 4)
    np.testing.assert_allclose(found, host.cluster_centres(X, first, 4), rtol=1e-12, atol=1e-14)
    # A centre that nobody is near stays where it is.
    assert bool((found[4] == 50).all())
