"""Folders and archives of 10x Genomics."""

import gzip
import io
import tarfile

import numpy as np
import pytest
from scipy import sparse
from scipy.io import mmwrite
from tests.io.readers.helpers import refused, same, sparse_counts

from manifact.datasets import load
from manifact.io.readers import read, tenx


def write_folder(folder, X, genes, packed, old):
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
    write_folder(tmp_path, sparse_counts(), ["A", "B", "A", "C", "D"], packed, old)
    found = read(tmp_path)
    same(found.X, sparse_counts())
    assert found.names == [f"C{i}-1" for i in range(7)]
    assert found.feature_names == ["A", "B", "A-1", "C", "D"]
    assert (found.kind, found.matrix) == ("cells", f"counts of matrix.mtx{'.gz' if packed else ''}")
    assert read(tmp_path, kind="table").kind == "table"


def test_real_cells(home, tmp_path):
    known = load("pbmc3k", home)
    write_folder(tmp_path, known.X[:200], known.feature_names, False, True)
    found = read(tmp_path)
    same(found.X, sparse.csr_array(known.X[:200]))
    assert found.feature_names == known.feature_names.tolist()


def test_parts_that_do_not_fit(tmp_path):
    write_folder(tmp_path, sparse_counts(), list("ABCD"), False, True)
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
        (b"1 1 1e", "has a line that is not an entry"),
        (b"1 1 1\xdc", "has a line that is not an entry"),
    ],
)
def test_a_torn_matrix_of_cells(tmp_path, packed, end, sentence):
    write_folder(tmp_path, sparse_counts(), list("ABCDE"), packed, not packed)
    file = tmp_path / ("matrix.mtx.gz" if packed else "matrix.mtx")
    content = gzip.decompress(file.read_bytes()) if packed else file.read_bytes()
    torn = b"".join(content.splitlines(keepends=True)[:-1]) + end
    file.write_bytes(gzip.compress(torn) if packed else torn)
    with refused(file, sentence):
        read(tmp_path)


def test_an_archive_holds_all_genes_and_stays_packed(tmp_path):
    matrix = io.BytesIO()
    mmwrite(matrix, sparse.csc_matrix(sparse_counts().T))
    file = tmp_path / "counts.tar.gz"
    with tarfile.open(file, "w:gz") as packed:
        genes = "".join(f"E{i}\tgene{i}\n" for i in range(5)).encode()
        for name, content in (("matrix.mtx", matrix.getvalue()), ("genes.tsv", genes), ("barcodes.tsv", b"")):
            member = tarfile.TarInfo(f"deep/inside/{name}")
            member.size = len(content)
            packed.addfile(member, io.BytesIO(content))
    counts, genes = tenx.read_archive(file)
    same(counts, sparse_counts())
    np.testing.assert_array_equal(genes, [f"gene{i}" for i in range(5)])
    assert list(tmp_path.iterdir()) == [file]
