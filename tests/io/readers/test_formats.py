"""Which reader a path gets, and what is refused before anything is read."""

import os
import subprocess
import sys

import numpy as np
import pytest
from tests.io.readers.helpers import counts, refused, same, sparse_counts

from manifact.io.file_errors import guarded
from manifact.io.readers import Samples, check, known, read, read_graph, read_matrix


def test_what_is_not_there(tmp_path):
    with refused(tmp_path / "no.csv", "does not exist: check the path"):
        read(tmp_path / "no.csv")


@pytest.mark.parametrize("name", ["x.xlsx", "x", "x.npy.gz", "x.tar.gz"])
def test_unknown_endings_list_the_known_ones(tmp_path, name):
    (tmp_path / name).write_text("x")
    with refused(tmp_path / name, "is of a kind that we do not know .*we read .npy, .npz, .csv"):
        read(tmp_path / name)


def test_kinds(tmp_path):
    np.save(tmp_path / "x.npy", counts())
    with refused(tmp_path / "x.npy", "cannot hold documents: a .npy file is read as table"):
        read(tmp_path / "x.npy", kind="documents")
    with pytest.raises(ValueError, match="kind='sounds' is not known: choose one of 'table', 'documents', 'images'"):
        read(tmp_path / "x.npy", kind="sounds")
    with refused(tmp_path, "is a folder without matrix.mtx"):
        read(tmp_path, kind="table")


@pytest.mark.parametrize(
    "options", [{"layer": "raw"}, {"color": True}, {"name": "a"}, {"image_size": 3}, {"variable": "X"}]
)
def test_options_without_a_meaning(tmp_path, options):
    np.save(tmp_path / "x.npy", counts())
    with refused(tmp_path / "x.npy", f"for which {next(iter(options))}=… has no meaning: it takes image_shape=…"):
        read(tmp_path / "x.npy", **options)


def test_text_means_documents(tmp_path):
    np.save(tmp_path / "x.npy", counts())
    with refused(tmp_path / "x.npy", "cannot hold documents"):
        read(tmp_path / "x.npy", text="a")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_files_that_may_not_be_read(tmp_path):
    np.save(tmp_path / "x.npy", counts())
    (tmp_path / "x.npy").chmod(0)
    with refused(tmp_path / "x.npy", "cannot be opened"):
        read(tmp_path / "x.npy")


def test_a_folder_that_is_named_as_a_file(tmp_path):
    (tmp_path / "x.csv").mkdir()
    with refused(tmp_path / "x.csv", "has no documents"):
        read(tmp_path / "x.csv")


def test_what_memory_cannot_hold_names_the_file():
    with pytest.raises(MemoryError, match=r"x\.csv needs more memory than there is"), guarded("x.csv", "a table"):
        raise MemoryError("Unable to allocate 3 PiB")


def test_samples_are_consistent():
    X = counts()
    for wrong in ({"names": ["a"]}, {"labels": np.arange(3)}, {"feature_names": ["a"]}, {"image_shape": (2, 3)}):
        with pytest.raises(ValueError, match=r"x.npy has .*: give"):
            Samples("table", "x.npy", X, **wrong)


def test_matrices(tmp_path):
    np.save(tmp_path / "x.npy", counts())
    same(read_matrix(tmp_path / "x.npy"), counts())
    (tmp_path / "x.csv").write_text("spot,x,y\na,1,2\nb,3,4\n")
    np.testing.assert_array_equal(read_matrix(tmp_path / "x.csv"), [[1, 2], [3, 4]])
    (tmp_path / "x.txt").write_text("a document\n")
    with refused(tmp_path / "x.txt"):
        read_matrix(tmp_path / "x.txt")


def test_graphs(tmp_path):
    from scipy import sparse

    W = sparse_counts(n=5)
    sparse.save_npz(tmp_path / "w.npz", W)
    np.save(tmp_path / "w.npy", W.toarray())
    for name in ("w.npz", "w.npy"):
        same(read_graph(tmp_path / name), W)
    np.save(tmp_path / "w.npy", counts())
    with refused(tmp_path / "w.npy", "holds 7 x 5 values: a graph needs"):
        read_graph(tmp_path / "w.npy")
    for data in (None, "x.csv"):
        with pytest.raises(ValueError, match=r"graph='obsp:connectivities' needs data from an .h5ad file"):
            read_graph("obsp:connectivities", data)
    with refused(tmp_path / "no.h5ad", "does not exist"):
        read_graph("obsp:connectivities", tmp_path / "no.h5ad")


def test_importing_loads_nothing_heavy():
    heavy = ("sklearn", "numba", "PIL", "pyarrow", "anndata", "pandas", "h5py", "rich")
    code = f"import sys, manifact.io.readers, manifact.io.preparation; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
    assert ".h5ad" in known()


def test_what_was_checked_is_what_is_read(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    checked = check(tmp_path)
    (tmp_path / "b.txt").write_text("later")
    assert checked.read().names == ["a.txt"]
    assert read(tmp_path).names == ["a.txt", "b.txt"]


def test_check_refuses_what_read_refuses_before_it_opens_the_file(tmp_path):
    (tmp_path / "x.csv").write_text("not,a,\ntable")
    check(tmp_path / "x.csv")
    for options, sentence in (
        ({"kind": "sounds"}, "kind='sounds' is not known"),
        ({"image_shape": (0, 3)}, "image_shape=0 must be"),
        ({"layer": "raw"}, "for which layer=… has no meaning"),
        ({"sound": True}, "for which sound=… has no meaning"),
    ):
        for function in (check, read):
            with pytest.raises(ValueError, match=sentence):
                function(tmp_path / "x.csv", **options)


def test_a_table_of_any_format_may_hold_cells(tmp_path):
    np.save(tmp_path / "x.npy", counts())
    assert read(tmp_path / "x.npy").kind == "table"
    assert read(tmp_path / "x.npy", kind="cells").kind == "cells"
    with refused(tmp_path, "is a folder without matrix.mtx: name a file to read cells"):
        read(tmp_path, kind="cells")
    (tmp_path / "x.jsonl").write_text("{}")
    with refused(tmp_path / "x.jsonl", "cannot hold cells"):
        read(tmp_path / "x.jsonl", kind="cells")


def test_a_format_is_said_where_the_name_does_not(tmp_path):
    (tmp_path / "x.log").write_text("one line\nanother\n")
    with refused(tmp_path / "x.log", "say with format=… what another file is"):
        read(tmp_path / "x.log")
    assert read(tmp_path / "x.log", format="txt").texts == ["one line", "another"]
    with refused(tmp_path, "is a folder, for which format=… has no meaning"):
        read(tmp_path, format="txt")
    with pytest.raises(ValueError, match="format='pdf' is not known"):
        read(tmp_path / "x.log", format="pdf")


def test_a_single_file_is_read_strictly_in_any_case(tmp_path):
    np.save(tmp_path / "x.npy", counts())
    same(read(tmp_path / "x.npy", strict=True).X, counts())
