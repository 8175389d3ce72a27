"""Blocks on disk."""

import gc
from collections import namedtuple

import numpy as np
import pytest
from scipy import sparse

from manifact.io.out_of_core import spool_writer
from manifact.io.out_of_core.spool_writer import SpoolWriter, spooled


def test_the_folder_goes_with_its_blocks(tmp_path):
    found = spooled([np.ones((3, 2))], tmp_path)
    assert found.folder.parent == tmp_path
    with found:
        assert found.block(0).sum() == 6
    assert list(tmp_path.iterdir()) == []
    found = spooled([np.ones((3, 2))], tmp_path)
    assert len(list(tmp_path.iterdir())) == 1
    del found
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_fails_leaves_nothing(tmp_path):
    def blocks():
        yield np.ones((3, 2))
        raise RuntimeError("damaged")

    with pytest.raises(RuntimeError, match="damaged"):
        spooled(blocks(), tmp_path)
    gc.collect()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="has no rows"):
        spooled([], tmp_path)


def test_what_is_written_can_be_cut_otherwise(tmp_path):
    writer = SpoolWriter(tmp_path)
    X = sparse.random_array((50, 4), density=0.5, format="csr", random_state=0)
    for start in range(0, 50, 3):
        writer.append(X[start : start + 3])
    assert writer.n_bytes == 12 * X.nnz + 8 * 50
    found = writer.finished(rows_per_block=20)
    assert found.bounds == (0, 20, 40, 50)
    assert np.array_equal(found.block(2).toarray(), X[40:].toarray())


def test_blocks_of_one_kind(tmp_path):
    writer = SpoolWriter(tmp_path)
    writer.append(np.ones((3, 2)))
    for other in (np.ones((3, 3)), sparse.csr_array((3, 2))):
        with pytest.raises(ValueError, match="does not fit"):
            writer.append(other)


def test_empty_rows_and_unsorted_indices():
    odd = sparse.csr_array((np.array([1.0, 2, 3]), np.array([1, 0, 0]), np.array([0, 3, 3])), shape=(2, 2))
    found = spooled([sparse.csr_array((2, 2)), odd])
    assert found.block(0).nnz == 0
    assert found.block(1).toarray().tolist() == [[5.0, 1.0], [0.0, 0.0]]
    nothing = spooled([sparse.csr_array((2, 2))])
    assert nothing.block(0).toarray().tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_no_room_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(spool_writer.shutil, "disk_usage", lambda place: namedtuple("U", "free")(2**30))
    with pytest.raises(MemoryError, match=r"x\.npy would need about 4\.0 GiB on the disk of .* and 1\.0 GiB are free"):
        SpoolWriter(tmp_path, 4 * 2**30, "x.npy")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="is no folder: make it first"):
        SpoolWriter(tmp_path / "none")
