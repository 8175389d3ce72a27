import io
import re
import tarfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.io import mmwrite
from scipy.sparse import coo_array

from manifact.datasets import from_tenx
from manifact.datasets.sources import SETS

COUNTS = np.array([[1, 0, 2, 0], [3, 1, 0, 0], [1, 1, 1, 0], [0, 5, 1, 0], [9, 0, 4, 1]])  # cells x genes
SMALL = replace(SETS["pbmc3k"], n_samples=5, n_features=3)


def matrix(counts=COUNTS):
    content = io.BytesIO()
    mmwrite(content, coo_array(counts.T))
    return content.getvalue()


def archive(folder, counts=COUNTS, **changes):
    genes = "".join(f"ENSG{number}\tgene{number}\n" for number in range(counts.shape[1]))
    members = {"matrix.mtx": matrix(counts), "genes.tsv": genes.encode(), "barcodes.tsv": b"", **changes}
    file = folder / "pbmc3k_filtered_gene_bc_matrices.tar.gz"
    with tarfile.open(file, "w:gz") as packed:
        for name, content in members.items():
            if content is not None:
                member = tarfile.TarInfo(f"filtered_gene_bc_matrices/hg19/{name}")
                member.size = len(content)
                packed.addfile(member, io.BytesIO(content))
    return file


def test_genes_of_too_few_cells_are_left_out(tmp_path):
    data = from_tenx.read(SMALL, [archive(tmp_path)])
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
        ({"counts": COUNTS * 70_000}, "holds numbers from 70000 to 630000: expected counts in uint16"),
        ({"counts": -COUNTS}, "holds numbers from -9 to -1: expected counts in uint16"),
    ],
)
def test_a_wrong_archive_is_refused(tmp_path, changes, sentence):
    with pytest.raises(ValueError, match=f"tar.gz {sentence}"):
        from_tenx.read(SMALL, [archive(tmp_path, **changes)])


# On some of these SciPy's reader alone crashes the interpreter: the last line ends in the middle of a number.
@pytest.mark.parametrize(
    ("last", "reason"),
    [
        (b"", "it has 11 entries and its head says 12"),
        (b"4 5", "it has a line that is not an entry"),
        (b"4 5 1e", "it has a line that is not an entry"),
        (b"4 5 1\xdc", "it has a line that is not an entry"),
        (b"4 5 1\x00\n", "it has a line that is not an entry"),
        (b"4 5 1\n4 5 1\n", "it has 13 entries and its head says 12"),
        (b"9 5 1\n", "[^()]+"),  # a row that is not there, in SciPy's words
    ],
)
def test_a_torn_matrix_is_refused(tmp_path, last, reason):
    lines = matrix().splitlines(keepends=True)
    file = archive(tmp_path, **{"matrix.mtx": b"".join(lines[:-1]) + last})
    with pytest.raises(ValueError, match="Matrix Market counts") as caught:
        from_tenx.read(SMALL, [file])
    sentence = rf"{re.escape(str(file))} cannot be read as Matrix Market counts \({reason}\): it may be cut short .*"
    assert re.fullmatch(sentence, str(caught.value))


def test_sizes_that_cannot_be_are_refused(tmp_path):
    damaged = matrix().replace(b"\n4 5 12\n", b"\n400000000000000 5 12\n")
    with pytest.raises(ValueError, match=r"tar.gz cannot be read as .* \(matrix.mtx would need about"):
        from_tenx.read(SMALL, [archive(tmp_path, **{"matrix.mtx": damaged})])


def test_a_last_line_may_lack_its_end(tmp_path):
    data = from_tenx.read(SMALL, [archive(tmp_path, **{"matrix.mtx": matrix().rstrip()})])
    np.testing.assert_array_equal(data.X.toarray(), COUNTS[:, :3])


@given(part=st.floats(0, 1, exclude_max=True), value=st.integers(0, 255), cut=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_matrix_with_another_byte_is_read_or_refused(tmp_path, part, value, cut):
    changed = bytearray(matrix())
    place = int(part * len(changed))
    changed[place] = value
    file = archive(tmp_path, **{"matrix.mtx": bytes(changed[: place + 1] if cut else changed)})
    try:
        assert from_tenx.read(SMALL, [file]).X.shape == (5, 3)
    except ValueError as problem:
        message = str(problem)
    else:
        message = f"{file} is fine"
    assert message.startswith(f"{file} ")
    assert "\n" not in message


@pytest.mark.parametrize("part", [0.0, 0.3, 0.9])
def test_a_torn_archive_is_refused(tmp_path, part):
    file = archive(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[: int(part * len(content))])
    with pytest.raises(ValueError, match=r"tar.gz (cannot be read|has no)"):
        from_tenx.read(SMALL, [file])
