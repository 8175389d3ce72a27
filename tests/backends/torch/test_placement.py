import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch.host_samples import HostSamples  # noqa: E402
from manifact.backends.torch.placement import needed, out_of_memory, placed  # noqa: E402

X = problem(n=50)[0]


def test_what_fits_becomes_a_tensor_and_what_does_not_is_streamed():
    for samples in (X, sparse.csr_array(X)):
        size = needed(samples)
        assert isinstance(placed(samples, "cpu"), torch.Tensor)
        assert isinstance(placed(samples, "cpu", free=2 * size), torch.Tensor)
        streamed = placed(samples, "cpu", free=size)
        assert isinstance(streamed, HostSamples)
        assert len(streamed.ranges) > 4


def test_sparse_samples_count_with_their_copies():
    csr = sparse.csr_array(X)
    assert needed(X) == X.nbytes
    assert needed(csr) == 3 * csr.nnz * 12
    assert placed(csr, "cpu").col_indices().dtype == torch.int32


def test_too_little_memory_is_said_in_a_sentence():
    assert out_of_memory(ValueError("other"), (5, 4), 3, 4) is None
    assert np.isfinite(needed(X))


def test_the_sentence_says_what_fits(monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (10**9, 10**10))
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda: 0)
    told = out_of_memory(torch.OutOfMemoryError("CUDA out of memory"), (1_000_000, 50), 500, 4)
    assert told is not None
    assert "n_components=500: about n_components=10 would fit" in told
