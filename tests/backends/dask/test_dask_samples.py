"""Blocks of files and arrays as the workers of Dask have them; without a cluster these are threads."""

import numpy as np
import pytest
from scipy import sparse

da = pytest.importorskip("dask.array", reason="Dask is not installed: manifact's extra [dask]")

import dask  # noqa: E402
import dask.bag as db  # noqa: E402

from manifact import NMF, AffinityNMF  # noqa: E402
from manifact.backends.block_samples import ArrayBlocks, SpooledBlocks, write_metadata  # noqa: E402
from manifact.backends.dask import DaskSamples  # noqa: E402
from manifact.graphs import LandmarkGraph  # noqa: E402
from manifact.solvers.content_digest import samples_digest  # noqa: E402


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


def chunked(parts, rows):
    """A `dask.array` of chunks that are said to have so many rows."""
    return da.concatenate([da.from_delayed(dask.delayed(part), (rows, part.shape[1]), dtype=float) for part in parts])


def test_what_is_no_array_of_dask_is_told_how_to_become_one(rng):
    bag = db.from_sequence(range(4))
    model = NMF(2, random_state=0, max_iter=2).fit(rng.random((9, 3)))
    for use in (model.fit, model.predict, model.score):
        with pytest.raises(TypeError, match=r"X is Dask's Bag, .* df\.to_dask_array\(lengths=True\) of a data frame"):
            use(bag)


def test_complex_chunks_are_refused(rng):
    Z = rng.random((40, 4)) * 1j
    undeclared = chunked([Z[:20], Z[20:]], 20)
    for X in (da.from_array(Z, chunks=(20, 4)), undeclared):
        with pytest.raises(ValueError, match=r"Complex data not supported: give the real part"):
            NMF(2).fit(X)


def test_a_chunk_of_another_shape_than_declared_is_named(rng):
    X = rng.random((60, 5))
    short = chunked([X[:20], X[20:40], X[40:55]], 20)
    with pytest.raises(ValueError, match=r"begins with row 40 has shape \(15, 5\) but is declared as \(20, 5\)"):
        NMF(2).fit(short)
    assert NMF(2, max_iter=2).fit(short.compute_chunk_sizes()).representation_.shape == (55, 2)


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_chunks_may_be_dense_and_sparse(rng, first):
    X = rng.random((90, 8))
    parts = [X[:30], X[30:60], X[60:]]
    parts = [sparse.csr_array(part) if number % 2 == first else part for number, part in enumerate(parts)]
    make = lambda: AffinityNMF(3, graph=LandmarkGraph(20), random_state=0, max_iter=5)  # noqa: E731
    mixed = DaskSamples(chunked(parts, 30))
    assert sparse.issparse(mixed.block(1 - first)) == mixed.is_sparse == (first == 0)
    np.testing.assert_allclose(make().fit(mixed).components_, make().fit(X).components_, atol=1e-8)


@pytest.mark.parametrize(("value", "words"), [(np.nan, "NaN"), (np.inf, "infinity")])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_entries_that_are_no_numbers_are_found(rng, value, words, kind):
    X = rng.random((50, 5))
    X[32, 3] = X[47, 0] = value
    parts = [kind(X[start : start + 10]) for start in range(0, 50, 10)]
    with pytest.raises(ValueError, match=rf"Input X contains {words}, first in X\[32\], which is in block 4 of 5"):
        NMF(2).fit(chunked(parts, 10))


def test_a_checkpoint_knows_samples_by_their_numbers_however_they_are_cut(X, spooled):
    expected = samples_digest(X)
    assert samples_digest(X.toarray()) != expected
    for blocks in (spooled, ArrayBlocks(X, 7), ArrayBlocks(X, 70)):
        assert samples_digest(blocks) == samples_digest(DaskSamples.of_blocks(blocks)) == expected
    other = X.copy()
    other.data[-1] += 1
    assert samples_digest(DaskSamples.of_blocks(ArrayBlocks(other, 20))) != expected


def test_a_run_in_one_memory_goes_on_in_blocks_on_any_number_of_workers(X, spooled, tmp_path):
    path = tmp_path / "run.checkpoint"
    settings = {"solver": "mu", "random_state": 0, "tol": 0}
    expected = NMF(3, max_iter=12, **settings).fit(X)
    NMF(3, max_iter=4, **settings).fit(X, checkpoint=path, every=2)
    NMF(3, max_iter=8, **settings).fit(DaskSamples.of_blocks(ArrayBlocks(X, 9)), checkpoint=path, every=2)
    model = NMF(3, max_iter=12, **settings).fit(spooled, checkpoint=path, every=2)
    assert model.n_iter_ == 12
    np.testing.assert_allclose(model.components_, expected.components_, atol=1e-10)
    np.testing.assert_allclose(model.objective_, expected.objective_)


@pytest.mark.parametrize("kind", ["<U3", "datetime64[D]", "S2"])
def test_chunks_of_what_are_no_numbers_are_refused(kind):
    with pytest.raises(ValueError, match="which are no numbers"):
        DaskSamples(da.from_array(np.zeros((4, 2), dtype=kind), chunks=2))
