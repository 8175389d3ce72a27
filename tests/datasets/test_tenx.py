import io
import tarfile
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import mmwrite
from scipy.sparse import coo_array

from manifact.datasets import tenx
from manifact.datasets.sources import SETS

COUNTS = np.array([[1, 0, 2, 0], [3, 1, 0, 0], [1, 1, 1, 0], [0, 5, 1, 0], [9, 0, 4, 1]])  # cells x genes
SMALL = replace(SETS["pbmc3k"], n_samples=5, n_features=3)


def archive(folder, counts=COUNTS, **changes):
    matrix = io.BytesIO()
    mmwrite(matrix, coo_array(counts.T))
    genes = "".join(f"ENSG{number}\tgene{number}\n" for number in range(counts.shape[1]))
    members = {"matrix.mtx": matrix.getvalue(), "genes.tsv": genes.encode(), "barcodes.tsv": b"", **changes}
    file = folder / "pbmc3k_filtered_gene_bc_matrices.tar.gz"
    with tarfile.open(file, "w:gz") as packed:
        for name, content in members.items():
            if content is not None:
                member = tarfile.TarInfo(f"filtered_gene_bc_matrices/hg19/{name}")
                member.size = len(content)
                packed.addfile(member, io.BytesIO(content))
    return file


def test_genes_of_too_few_cells_are_left_out(tmp_path):
    data = tenx.read(SMALL, [archive(tmp_path)])
    np.testing.assert_array_equal(data.X.toarray(), COUNTS[:, :3])
    assert data.X.dtype == np.uint16
    assert data.feature_names.tolist() == ["gene0", "gene1", "gene2"]
    assert (data.y == -1).all()
    assert data.n_classes == 0
    assert [file.name for file in tmp_path.iterdir()] == ["pbmc3k_filtered_gene_bc_matrices.tar.gz"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"genes.tsv": None}, "has no genes.tsv: expected an archive with matrix.mtx and genes.tsv"),
        ({"genes.tsv": b"ENSG\tgene\n"}, "names 1 genes for 4 rows of counts"),
        ({"matrix.mtx": b"%%MatrixMarket nonsense"}, "cannot be read as Matrix Market counts"),
        ({"counts": COUNTS[:3]}, "holds 3 x 1 counts: expected 5 x 3"),
    ],
)
def test_a_wrong_archive_is_refused(tmp_path, changes, sentence):
    with pytest.raises(ValueError, match=f"tar.gz {sentence}"):
        tenx.read(SMALL, [archive(tmp_path, **changes)])


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_torn_archive_is_refused(tmp_path, part):
    file = archive(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[: int(part * len(content))])
    with pytest.raises(ValueError, match=r"tar.gz (cannot be read|has no)"):
        tenx.read(SMALL, [file])
