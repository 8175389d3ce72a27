"""Matrix Market files and 10x folders."""

import gzip

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite
from tests.io.readers.helpers import counts, refused, same, sparse_counts

from manifact.datasets import load
from manifact.io.readers import read

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
        (f"{HEAD}2 2 1\n1 x 1\n", "has a line that is no entry"),
        (f"{HEAD}2 2 2\n1 1 1\n2 2 3\xc7", "has a line that is no entry"),
        (f"{HEAD}2 2 2\n1 1 1\n\n2 2 3\n", "has a line that is no entry"),
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
    monkeypatch.setattr("manifact.io.readers.matrix_market_lines.BLOCK", block)
    lines = ["% a comment", "", "2 3 3", "1 1 1.5", "  2   3\t-2e0 ", "2 1 .25"]
    (tmp_path / "x.mtx").write_text(HEAD + "\n".join(lines) + end)
    np.testing.assert_array_equal(read(tmp_path / "x.mtx").X.toarray(), [[1.5, 0, 0], [0.25, 0, -2]])


def tenx(folder, X, genes, packed, old):
    def put(name, content):
        (folder / (f"{name}.gz" if packed else name)).write_bytes(gzip.compress(content) if packed else content)

    mmwrite(folder / "m.mtx", sparse.csc_matrix(X.T))
    put("matrix.mtx", (folder / "m.mtx").read_bytes())
    (folder / "m.mtx").unlink()
    put("barcodes.tsv", "".join(f"C{i}-1\n" for i in range(X.shape[0])).encode())
    more = "" if old else "\tGene Expression"
    put("genes.tsv" if old else "features.tsv", "".join(f"E{i}\t{g}{more}\n" for i, g in enumerate(genes)).encode())


@pytest.mark.parametrize(("packed", "old"), [(False, True), (True, False)])
def test_cells_by_genes(tmp_path, packed, old):
    tenx(tmp_path, sparse_counts(), ["A", "B", "A", "C", "D"], packed, old)
    found = read(tmp_path)
    same(found.X, sparse_counts())
    assert found.names == [f"C{i}-1" for i in range(7)]
    assert found.feature_names == ["A", "B", "A-1", "C", "D"]


def test_real_cells(home, tmp_path):
    known = load("pbmc3k", home)
    tenx(tmp_path, known.X[:200], known.feature_names, False, True)
    found = read(tmp_path)
    same(found.X, sparse.csr_array(known.X[:200]))
    assert found.feature_names == known.feature_names.tolist()


def test_parts_that_do_not_fit(tmp_path):
    tenx(tmp_path, sparse_counts(), list("ABCD"), False, True)
    with refused(tmp_path / "genes.tsv", "has 4 lines for 5 in the matrix"):
        read(tmp_path)
    (tmp_path / "genes.tsv").unlink()
    with refused(tmp_path, "has no features.tsv or genes.tsv"):
        read(tmp_path)
    (tmp_path / "matrix.mtx").write_text("nothing")
    with refused(tmp_path / "matrix.mtx", "does not begin with"):
        read(tmp_path)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        (b"", "has [0-9]+ entries and its head says"),
        (b"1 1 1e", "has a line that is no entry"),
        (b"1 1 1\xdc", "has a line that is no entry"),
    ],
)
def test_a_torn_matrix_of_cells(tmp_path, packed, end, sentence):
    tenx(tmp_path, sparse_counts(), list("ABCDE"), packed, not packed)
    file = tmp_path / ("matrix.mtx.gz" if packed else "matrix.mtx")
    content = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
    torn = b"".join(content.splitlines(keepends=True)[:-1]) + end
    file.write_bytes(gzip.compress(torn) if packed else torn)
    with refused(file, sentence):
        read(tmp_path)


def test_values_have_the_rows_of_the_file(tmp_path):
    mmwrite(tmp_path / "x.mtx", np.arange(6.0).reshape(2, 3))
    np.testing.assert_array_equal(read(tmp_path / "x.mtx").X, [[0, 1, 2], [3, 4, 5]])
