"""Blocks of files and arrays as the workers of Dask have them; without a cluster these are threads."""

import numpy as np
import pytest
from scipy import sparse

pytest.importorskip("dask.array", reason="Dask is not installed: manifact's extra [dask]")

from manifact import NMF
from manifact.backends.block_samples import ArrayBlocks, SpooledBlocks, write_metadata
from manifact.backends.dask import DaskSamples


@pytest.fixture
def X(rng):
    return sparse.csr_array(rng.random((70, 12)) * (rng.random((70, 12)) < 0.4))


@pytest.fixture
def spooled(X, tmp_path):
    for name in ("indptr", "indices", "data"):
        np.save(tmp_path / f"{name}.npy", getattr(X, name))
    write_metadata(tmp_path, "csr", X.shape, X.dtype, (0, 20, 40, 60, 70), X.nnz)
    return SpooledBlocks(tmp_path)


def test_blocks_of_files_and_arrays_are_those_of_x(X, spooled):
    for blocks in (spooled, ArrayBlocks(X, 20)):
        found = DaskSamples.of_blocks(blocks)
        assert found.bounds == (0, 20, 40, 60, 70)
        assert found.is_sparse
        assert found.shape == X.shape
        np.testing.assert_array_equal(found.block(1).toarray(), X[20:40].toarray())
        np.testing.assert_array_equal(found.rows([3, 19, 41, 69]).toarray(), X[[3, 19, 41, 69]].toarray())


def test_x_that_is_too_large_to_be_kept_is_read_in_every_walk(X, spooled, monkeypatch):
    monkeypatch.setattr("manifact.backends.dask.dask_samples.KEPT_SHARE", 0.0)
    read = []
    block = SpooledBlocks.block
    monkeypatch.setattr(SpooledBlocks, "block", lambda self, number: read.append(number) or block(self, number))
    settings = {"solver": "mu", "random_state": 0, "max_iter": 6, "tol": 0}
    found = NMF(3, **settings).fit(DaskSamples.of_blocks(spooled))
    assert len(read) >= 6 * 4
    np.testing.assert_allclose(found.components_, NMF(3, **settings).fit(X).components_, atol=1e-8)


def test_workers_say_something_of_each_block(X):
    found = DaskSamples.of_blocks(ArrayBlocks(X, 20))
    assert found.each(np.shape) == [(20, 12), (20, 12), (20, 12), (10, 12)]
    model = NMF(3, random_state=0, max_iter=5).fit(X)
    np.testing.assert_allclose(model.transform(found), model.transform(X))
    np.testing.assert_allclose(model.score(found), model.score(X))
