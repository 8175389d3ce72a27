"""What Dask is told of the bytes that workers hold."""

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("dask", reason="Dask is not installed: manifact's extra [dask]")

from dask.sizeof import sizeof

from manifact.backends.dask import bytes_of_chunks
from manifact.backends.numpy.numpy_data import DenseData, SparseData
from manifact.backends.numpy.scattered_data import ScatteredData


def test_data_are_as_large_as_their_arrays(rng):
    X = rng.random((400, 50))
    S = sparse.csr_array(X)
    entries = S.data.nbytes + S.indices.nbytes
    assert sizeof(DenseData(X, None)) >= X.nbytes
    assert entries <= sizeof(S) < 1.1 * entries
    assert entries <= sizeof(ScatteredData(S, None)) < 1.1 * entries
    assert sizeof(sparse.coo_array(X)) >= entries
    assert sizeof(sparse.csr_array((0, 3))) >= bytes_of_chunks.FRAME


def test_the_transpose_counts_when_it_is_there(rng):
    data = SparseData(sparse.csr_array(rng.random((400, 50)).astype(np.float32)), None)
    before = sizeof(data)
    data.XT  # noqa: B018
    assert sizeof(data) > 1.8 * before
