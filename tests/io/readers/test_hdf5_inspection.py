"""HDF5 files that would hang or crash the interpreter, or read what is in other files."""

import struct

import numpy as np
import pytest
from scipy import sparse
from tests.io.readers.helpers import refused

from manifact.io import cell_results
from manifact.io.readers import hdf5_inspection, read

anndata = pytest.importorskip("anndata", reason="anndata is not installed")
h5py = pytest.importorskip("h5py", reason="h5py is not installed")


@pytest.fixture
def cells(tmp_path):
    counts = np.random.default_rng(0).poisson(1, (30, 12)).astype("f4")
    anndata.AnnData(sparse.csr_matrix(counts)).write_h5ad(tmp_path / "x.h5ad")
    return tmp_path / "x.h5ad"


def test_whole_files_pass_and_are_looked_at_once(cells, monkeypatch):
    assert read(cells).n_samples == 30
    monkeypatch.setattr(hdf5_inspection, "PROGRAM", "nowhere")
    assert read(cells).n_samples == 30
    cells.write_bytes(cells.read_bytes() + b" ")
    with refused(cells, "cannot be read as an AnnData file"):
        read(cells)


def test_a_file_that_hdf5_never_gets_through(cells, monkeypatch):
    content = cells.read_bytes()
    first = content.index(b"GCOL") + 16  # where texts are kept: the size of the first one leads back to itself
    cells.write_bytes(content[: first + 8] + struct.pack("<Q", 2**64 - 16) + content[first + 16 :])
    monkeypatch.setattr(hdf5_inspection, "SECONDS", 2)
    with refused(cells, "keeps HDF5 busy for more than 2 s"):
        read(cells)


def test_what_crashes_hdf5_does_not_crash_us(cells, tmp_path, monkeypatch):
    program = tmp_path / "crash.py"
    program.write_text("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)")
    monkeypatch.setattr(hdf5_inspection, "PROGRAM", program)
    with refused(cells, r"crashes HDF5 \(signal 11\)"):
        read(cells)


def test_addresses_in_memory_are_no_values(cells):
    from h5py import h5d, h5s, h5t

    with h5py.File(cells, "r+") as stored:
        address = h5t.create(h5t.OPAQUE, 8)
        address.set_tag(b"NUMPY:|O")
        made = h5d.create(stored["obs"].id, b"bad", address, h5s.create_simple((30,)))
        made.write(h5s.ALL, h5s.ALL, np.full(30, 0x41414141, "u8").view("V8"), address)
        stored["obs"].attrs["column-order"] = ["bad"]
        stored["obs/bad"].attrs.update({"encoding-type": "array", "encoding-version": "0.2.0"})
    with refused(cells, "has values of an opaque type"):
        read(cells, label="bad")


def moved_out(stored, how, other):
    if how == "storage":
        stored.create_dataset("X", (30, 12), "f4", external=[(str(other), 0, 30 * 12 * 4)])
    elif how == "link":
        stored["X"] = h5py.ExternalLink(str(other), "X")
    else:
        layout = h5py.VirtualLayout((30, 12), "f4")
        layout[:] = h5py.VirtualSource(str(other), "X", (30, 12))
        stored.create_virtual_dataset("X", layout)


@pytest.mark.parametrize("how", ["storage", "link", "virtual"])
def test_other_files_are_not_read(cells, tmp_path, how):
    other = tmp_path / "other.h5"
    with h5py.File(other, "w") as stored:
        stored["X"] = np.ones((30, 12), "f4")
    with h5py.File(cells, "r+") as stored:
        del stored["X"]
        moved_out(stored, how, other)
    with refused(cells, "has a link to another file" if how == "link" else "keeps parts in other files"):
        read(cells)
    with refused(cells):
        cell_results.check_file(cells, cells, "manifact", overwrite=False)


def test_links_within_the_file_may_go_in_circles(cells):
    with h5py.File(cells, "r+") as stored:
        stored["uns/again"] = stored["uns"]
        stored["uns/by_name"] = h5py.SoftLink("/uns/again")
        stored["uns/nowhere"] = h5py.SoftLink("/not/there")
    assert read(cells).n_samples == 30


def test_values_that_are_not_stored_are_not_made_up(cells):
    with h5py.File(cells, "r+") as stored:
        del stored["X"]
        stored.create_dataset("X", (1 << 20, 1 << 10), "f8", chunks=(1 << 10, 1 << 10), compression="gzip")
    with refused(cells, "would unpack to 8,192 MiB"):
        read(cells)
    with h5py.File(cells, "r+") as stored:
        del stored["X"]
        stored.create_dataset("X", (1 << 20, 2), "i1", chunks=(1, 1))
    with refused(cells, "has room for 2,097,152 chunks"):
        read(cells)


def test_one_long_text_in_many_places(cells):
    """Each place has the address of the same text in the file, and would have a text of its own in memory."""
    with h5py.File(cells, "r+") as stored:
        names = stored.create_dataset("obs/long", (20_000,), h5py.string_dtype(), chunks=(1000,))
        names[0] = "x" * 30_000
        chunk = names.id.read_direct_chunk((0,))[1]
        for start in range(0, 20_000, 1000):
            names.id.write_direct_chunk((start,), chunk[:16] * 1000)
    assert cells.stat().st_size < 1 << 20
    with refused(cells, "has texts that unpack to more than"):
        read(cells)


def test_rows_that_a_sparse_group_does_not_have(cells):
    with h5py.File(cells, "r+") as stored:
        stored["X"].attrs["shape"] = [1 << 40, 1 << 40]
    with refused(cells, "a sparse matrix of 1099511627776 x 1099511627776 has"):
        read(cells)
