"""Real files of every kind, cut short or with bytes changed: one sentence, or a table, and nothing else."""

import gzip
import json
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.io import mmwrite, savemat
from tests.io.readers.helpers import counts, sparse_counts

from manifact.io.readers import Samples, hdf5_inspection, read


def npy(file):
    np.save(file, counts())


def npz(file):
    np.savez(file, X=counts(), y=np.arange(7))


def packed_npz(file):
    np.savez_compressed(file, X=counts(), y=np.arange(7))


def sparse_npz(file):
    sparse.save_npz(file, sparse_counts())


def csv(file):
    lines = ["who,a,b,c,d,e"] + [f'"s {i}",{",".join(map(str, row))}' for i, row in enumerate(counts())]
    file.write_text("\n".join(lines))


def csv_gz(file):
    file.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n3,4.5\n" * 20))


def parquet(file):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"who": [f"s{i}" for i in range(7)], **dict(zip("abcde", counts().T, strict=True))}), file)


def mtx(file):
    mmwrite(file, sparse_counts())


def array_mtx(file):
    mmwrite(file, counts())


def mtx_gz(file):
    beside = file.with_name("plain.mtx")
    mmwrite(beside, sparse_counts())
    file.write_bytes(gzip.compress(beside.read_bytes()))


def mat(file):
    savemat(file, {"fea": counts(), "gnd": np.arange(7)[:, None]})


def sparse_mat(file):
    savemat(file, {"fea": sparse.csc_matrix(sparse_counts().astype(float))}, do_compression=True)


def h5ad(file):
    import anndata

    anndata.AnnData(sparse_counts().astype(np.float32)).write_h5ad(file)


def txt(file):
    file.write_text("the first document\nthe second – with a dash\n" * 5, encoding="utf-8")


def jsonl(file):
    file.write_text("\n".join(json.dumps({"text": f"document {i} é", "id": i}) for i in range(9)), encoding="utf-8")


WRITERS = {
    "x.npy": npy,
    "x.npz": npz,
    "packed.npz": packed_npz,
    "sparse.npz": sparse_npz,
    "x.csv": csv,
    "x.csv.gz": csv_gz,
    "x.parquet": parquet,
    "x.mtx": mtx,
    "array.mtx": array_mtx,
    "x.mtx.gz": mtx_gz,
    "x.mat": mat,
    "sparse.mat": sparse_mat,
    "x.h5ad": h5ad,
    "x.txt": txt,
    "x.jsonl": jsonl,
}


#: Each of them is looked at by a process of its own, which is too much for hundreds.
SLOW = "x.h5ad"


@pytest.fixture(scope="module", params=[name for name in WRITERS if name != SLOW])
def original(request, tmp_path_factory):
    """A folder of its own, the name of a file in it, and its bytes."""
    file = tmp_path_factory.mktemp("torn") / request.param
    WRITERS[request.param](file)
    assert read(file).n_samples > 0
    return file, file.read_bytes()


def read_or_refuse(file):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert isinstance(read(file), Samples)
    except (ValueError, MemoryError) as problem:
        message = str(problem)
        assert message.startswith(str(file)), message
        assert "\n" not in message
        assert len(message) < 600
        return message
    return ""


def test_an_empty_file_is_refused(original):
    file, _ = original
    file.write_bytes(b"")
    assert read_or_refuse(file)


@given(part=st.floats(0, 1, exclude_max=True))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_that_is_cut_short(original, part):
    file, content = original
    file.write_bytes(content[: int(part * len(content))])
    message = read_or_refuse(file)
    if file.suffix in (".npy", ".npz", ".parquet", ".gz", ".mtx") and part < 0.95:
        assert message


@given(
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), min_size=1, max_size=4),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_with_other_bytes(original, changes):
    file, content = original
    changed = bytearray(content)
    for part, value in changes:
        changed[int(part * len(content))] = value
    file.write_bytes(changed)
    read_or_refuse(file)


@given(content=st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_of_anything(original, content):
    file, _ = original
    file.write_bytes(content)
    read_or_refuse(file)


@pytest.mark.parametrize("seed", range(12))
def test_an_annotated_file_with_other_bytes(tmp_path, monkeypatch, seed):
    """Of a thousand of these three hung HDF5 and one crashed it, and us with it."""
    rng, file = np.random.default_rng(seed), tmp_path / SLOW
    h5ad(file)
    content = bytearray(file.read_bytes())
    for place in rng.integers(0, len(content), 4):
        content[place] = rng.integers(0, 256)
    file.write_bytes(content[: rng.integers(1000, 2 * len(content))])
    monkeypatch.setattr(hdf5_inspection, "SECONDS", 5)
    read_or_refuse(file)


LINES = st.lists(st.text(alphabet="0123456789.,;\t\"'=+-eE_ NATinfx{}[]:%\ud800é", max_size=30), max_size=12)


@pytest.mark.parametrize("name", ["x.csv", "x.tsv", "x.jsonl", "x.mtx", "x.txt"])
@given(lines=LINES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_lines_of_anything(tmp_path_factory, name, lines):
    file = tmp_path_factory.getbasetemp() / name
    head = {"x.mtx": "%%MatrixMarket matrix coordinate real general\n"}.get(name, "")
    file.write_text(head + "\n".join(lines), encoding="utf-8", errors="surrogatepass")
    read_or_refuse(file)
