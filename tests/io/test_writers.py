"""Results in files that we and others read."""

import csv
import json
import sys

import numpy as np
import pytest

from manifact.io.readers import read
from manifact.io.writers import MATRICES, TABLES, check_output, write_labels, write_matrix, write_table

NAMES = ["first, one", 'second "two"', "3"]


@pytest.mark.parametrize("suffix", MATRICES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_matrices_come_back_to_the_last_bit(tmp_path, suffix, dtype, rng):
    file = tmp_path / f"V{suffix}"
    V = (rng.random((3, 4)) * 10.0 ** rng.integers(-20, 20, (3, 4))).astype(dtype)
    write_matrix(file, V, names=NAMES, columns=list("abcd"))
    found = read(file)
    np.testing.assert_array_equal(found.X.astype(dtype), V)
    if suffix != ".npy":
        assert (found.names, found.feature_names) == (NAMES, list("abcd"))
    write_matrix(file, V[:2])
    found = read(file)
    np.testing.assert_array_equal(found.X.astype(dtype), V[:2])
    assert found.names is None
    assert sorted(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("suffix", [suffix for suffix in MATRICES if suffix != ".npy"])
def test_names_may_hold_anything(tmp_path, suffix):
    names = ["a\rb", "a\nb", "a\r\nb", "a\tb", "\r", '"']
    write_matrix(tmp_path / f"V{suffix}", np.eye(6), names=names)
    assert read(tmp_path / f"V{suffix}").names == names


@pytest.mark.parametrize("suffix", MATRICES)
def test_columns_must_differ(tmp_path, suffix):
    with pytest.raises(ValueError, match="columns has 'a' twice: give every column a name of its own"):
        write_matrix(tmp_path / f"V{suffix}", np.ones((2, 3)), columns=["a", "b", "a"])
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("suffix", "taken"), [(".csv", "name"), (".tsv", "name"), (".parquet", "name")])
def test_columns_must_differ_from_the_names(tmp_path, suffix, taken):
    with pytest.raises(ValueError, match=f"columns has '{taken}', which is the header of the names"):
        write_matrix(tmp_path / f"V{suffix}", np.ones((2, 2)), names=["r", "s"], columns=["a", taken])
    write_matrix(tmp_path / f"V{suffix}", np.ones((2, 1)), columns=["name"])


def test_float32_is_written_with_its_own_digits(tmp_path):
    write_matrix(tmp_path / "V.csv", np.array([[0.1]], dtype=np.float32), columns=["a"])
    assert (tmp_path / "V.csv").read_text() == "a\n0.1\n"


@pytest.mark.parametrize("suffix", TABLES)
def test_clusters(tmp_path, suffix):
    file = tmp_path / f"clusters{suffix}"
    write_labels(file, np.array([2, 0, 1]), NAMES)
    if suffix in (".csv", ".tsv", ".parquet"):
        found = read(file)
        assert (found.names, found.X.ravel().tolist(), found.feature_names) == (NAMES, [2, 0, 1], ["cluster"])
    elif suffix == ".jsonl":
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        assert rows == [{"name": name, "cluster": c} for name, c in zip(NAMES, [2, 0, 1], strict=True)]
    elif suffix == ".npz":
        with np.load(file) as stored:
            assert (stored["name"].tolist(), stored["cluster"].tolist()) == (NAMES, [2, 0, 1])
    else:
        assert np.load(file).tolist() == [2, 0, 1]
    write_labels(file, [1, 0])
    assert sorted(tmp_path.iterdir()) == [file]


def test_unnamed_clusters_are_numbered(tmp_path):
    write_labels(tmp_path / "c.tsv", [1, 0])
    assert (tmp_path / "c.tsv").read_text() == "name\tcluster\n0\t1\n1\t0\n"


@pytest.mark.parametrize("suffix", TABLES)
def test_who_has_no_cluster_is_left_blank(tmp_path, suffix):
    if suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    file = tmp_path / f"c{suffix}"
    write_labels(file, np.array([1, -1, 0]), NAMES, ["oak, fern", "cat"])
    if suffix in (".csv", ".tsv"):
        with file.open(newline="") as stream:
            rows = list(csv.DictReader(stream, delimiter="\t" if suffix == ".tsv" else ","))
        assert [row["cluster"] for row in rows] == ["1", "", "0"]
        assert [row["words"] for row in rows] == ["cat", "", "oak, fern"]
    elif suffix == ".jsonl":
        assert [json.loads(line)["cluster"] for line in file.read_text().splitlines()] == [1, None, 0]
    elif suffix == ".parquet":
        from pyarrow import parquet

        assert parquet.read_table(file)["cluster"].to_pylist() == [1, None, 0]
    else:
        stored = np.load(file)
        assert (stored if suffix == ".npy" else stored["cluster"]).tolist() == [1, -1, 0]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("V.xlsx", r"V.xlsx has an ending that we do not write \(.xlsx\): choose one of .npy"),
        ("V", r"V has an ending that we do not write \(none\)"),
        ("V.jsonl", "V.jsonl has an ending"),
        ("no/V.csv", "V.csv' is in a folder that does not exist: make"),
        ("folder.csv", "folder.csv' is a folder"),
    ],
)
def test_what_cannot_be_written_is_refused_first(tmp_path, name, sentence):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(ValueError, match=sentence):
        check_output(tmp_path / name)
    with pytest.raises(ValueError, match=sentence):
        write_matrix(tmp_path / name, np.ones((2, 2)))
    assert check_output(tmp_path / "V.csv") == tmp_path / "V.csv"
    assert check_output(tmp_path / "V.jsonl", TABLES) == tmp_path / "V.jsonl"


def test_lengths_must_agree(tmp_path):
    with pytest.raises(ValueError, match=r"names has 1 entries for V of shape \(2, 2\)"):
        write_matrix(tmp_path / "V.csv", np.ones((2, 2)), names=["a"])
    with pytest.raises(ValueError, match=r"columns has 1 entries for V of shape \(2, 2\)"):
        write_matrix(tmp_path / "V.npy", np.ones((2, 2)), columns=["a"])
    with pytest.raises(ValueError, match="needs columns of one length"):
        write_table(tmp_path / "V.csv", {"a": [1], "b": [1, 2]})
    assert not list(tmp_path.iterdir())


def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    write_labels(tmp_path / "c.csv", [1])
    before = (tmp_path / "c.csv").read_text()

    def full(*arguments, **keywords):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("csv.writer", full)
    with pytest.raises(ValueError, match=r"c.csv cannot be written \(No space left on device\)"):
        write_labels(tmp_path / "c.csv", [0])
    assert (tmp_path / "c.csv").read_text() == before
    assert len(list(tmp_path.iterdir())) == 1


def test_without_pyarrow(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"V.parquet needs pyarrow: pip install pyarrow$"):
        check_output(tmp_path / "V.parquet")
