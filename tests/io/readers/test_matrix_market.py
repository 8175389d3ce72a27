"""Matrix Market files, and the check of their lines."""

import gzip
import io

import numpy as np
import pytest
from scipy.io import mmwrite
from tests.io.readers.helpers import counts, refused, same, sparse_counts

from manifact.io.readers import read
from manifact.io.readers.matrix_market import MatrixMarketError, check_lines, read_bytes, with_last_line_ended

HEAD = "%%MatrixMarket matrix coordinate real general\n"


def test_sparse_stays_sparse(tmp_path):
    mmwrite(tmp_path / "x.mtx", sparse_counts())
    same(read(tmp_path / "x.mtx").X, sparse_counts())
    (tmp_path / "x.mtx.gz").write_bytes(gzip.compress((tmp_path / "x.mtx").read_bytes()))
    same(read(tmp_path / "x.mtx.gz").X, sparse_counts())


def test_dense_patterns_and_symmetric_ones(tmp_path):
    mmwrite(tmp_path / "x.mtx", counts().astype(float))
    same(read(tmp_path / "x.mtx").X, counts().astype(float))
    mmwrite(tmp_path / "x.mtx", sparse_counts() > 0, field="pattern")
    same(read(tmp_path / "x.mtx").X, sparse_counts() > 0)
    W = sparse_counts(n=5) + sparse_counts(n=5).T
    mmwrite(tmp_path / "x.mtx", W, symmetry="symmetric")
    same(read(tmp_path / "x.mtx").X, W)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("1 2 3\n", "does not begin with %%MatrixMarket matrix: it is cut short"),
        (f"{HEAD}", "has no sizes below its comments"),
        (f"{HEAD}2 2\n", "has no sizes below its comments"),
        (f"{HEAD}2 2 3\n1 1 1\n", "has 1 entries and its head says 3"),
        (f"{HEAD}2 2 1\n1 1 1\n2 2 2\n", "has 2 entries and its head says 1"),
        (f"{HEAD}2 2 1\n3 1 1\n", "cannot be read as a Matrix Market file"),
        (f"{HEAD}2 2 1\n0 1 1\n", "cannot be read as a Matrix Market file"),
        (f"{HEAD}2 2 1\n1 x 1\n", "has a line that is not an entry"),
        (f"{HEAD}2 2 2\n1 1 1\n2 2 3\xc7", "has a line that is not an entry"),
        (f"{HEAD}2 2 2\n1 1 1\n\n2 2 3\n", "has a line that is not an entry"),
        (f"{HEAD}2 2 1\n1 1 nan\n", "has nan in row 1, column 1"),
        (f"{HEAD}0 2 0\n", "0 x 2 values"),
        ("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "holds a complex general matrix"),
        ("%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "has a symmetric matrix of 2 x 3"),
        ("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "has 3 entries and its head says 4"),
    ],
)
def test_broken(tmp_path, text, sentence):
    (tmp_path / "x.mtx").write_text(text)
    with refused(tmp_path / "x.mtx", sentence):
        read(tmp_path / "x.mtx")


def test_a_head_that_asks_for_more_than_there_is(tmp_path):
    (tmp_path / "x.mtx").write_text("%%MatrixMarket matrix array real general\n900000000 9000000\n1\n")
    with pytest.raises(MemoryError, match=r"x.mtx would need about"):
        read(tmp_path / "x.mtx")
    (tmp_path / "x.mtx").write_text("%%MatrixMarket matrix coordinate real general\n9 9 900000000000\n1 1 1\n")
    with pytest.raises(MemoryError, match=r"x.mtx would need about"):
        read(tmp_path / "x.mtx")


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\n\n \n"])
@pytest.mark.parametrize("block", [1, 7, 1 << 24])
def test_ends_of_files_and_of_blocks(tmp_path, monkeypatch, end, block):
    monkeypatch.setattr("manifact.io.readers.matrix_market.BLOCK", block)
    lines = ["% a comment", "", "2 3 3", "1 1 1.5", "  2   3\t-2e0 ", "2 1 .25"]
    (tmp_path / "x.mtx").write_text(HEAD + "\n".join(lines) + end)
    np.testing.assert_array_equal(read(tmp_path / "x.mtx").X.toarray(), [[1.5, 0, 0], [0.25, 0, -2]])


def test_values_have_the_rows_of_the_file(tmp_path):
    mmwrite(tmp_path / "x.mtx", np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(read(tmp_path / "x.mtx").X, [[0, 1, 2], [3, 4, 5]])


LINES = b"%%MatrixMarket matrix coordinate integer general\n%\n2 3 2\n1 1 4\n2 3 5\n"


@pytest.mark.parametrize(("content", "whole"), [(LINES, True), (LINES.rstrip(), False), (LINES + b"\n \n", False)])
def test_whether_the_last_line_ends_as_the_others(content, whole):
    assert check_lines(io.BytesIO(content), "x.mtx") is whole
    assert with_last_line_ended(content).read() == LINES
    np.testing.assert_array_equal(read_bytes(content, "x.mtx").toarray(), [[4, 0, 0], [0, 0, 5]])


def test_what_was_found_and_the_remedy_are_apart():
    with pytest.raises(MatrixMarketError, match=r"^it has 1 entries and its head says 2$") as caught:
        check_lines(io.BytesIO(LINES[: LINES.index(b"2 3 5")]), "x.mtx")
    assert caught.value.found == "has 1 entries and its head says 2"
    assert caught.value.remedy.startswith("it is cut short")


def test_sizes_that_do_not_fit_are_refused_by_name_before_a_line_is_read():
    with pytest.raises(MemoryError, match=r"^x.mtx would need about .* GiB"):
        check_lines(io.BytesIO(LINES.replace(b"2 3 2", b"900000000000000 3 2")), "x.mtx")
