"""Small files that would fill the memory are refused with the numbers, and none of them is unpacked."""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc

import numpy as np
import pytest
from scipy.io import savemat
from tests.io.readers.helpers import refused

from manifact.datasets import load
from manifact.io import unpacked_size
from manifact.io.readers import delimited_tables, read
from manifact.io.readers.tenx import read_archive
from manifact.io.writers import write_labels
from manifact.utils import memory


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """The floor lowered, so that tests need no gigabytes."""
    monkeypatch.setattr(unpacked_size, "SMALL", 1 << 20)


ZEROS = b"0" * (8 << 20)


@pytest.mark.parametrize("ending", [".csv", ".txt", ".jsonl", ".mtx", ".tsv"])
@pytest.mark.parametrize(
    ("compression", "pack"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
@pytest.mark.parametrize("head", [b"", b"a,b\n1,2\n", b"%%MatrixMarket matrix array real general\n%"])
def test_compressed_text(tmp_path, ending, compression, pack, head):
    file = tmp_path / f"x{ending}{compression}"
    file.write_bytes(pack(head + ZEROS))
    with refused(file):
        read(file)


def test_a_compressed_table_that_is_too_long_is_refused_before_its_numbers_are_made(tmp_path, monkeypatch):
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"1,2,3,4\n" * (1 << 20)))

    def made(*arguments):
        raise AssertionError("numbers are made of a text that will be refused")

    monkeypatch.setattr(delimited_tables, "_table", made)
    with refused(file, "unpacks to more than"):
        read(file)


def test_the_memory_of_a_compressed_table_is_estimated_from_its_text(tmp_path, monkeypatch):
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"1,2,3,4\n" * 20_000))
    asked = []
    monkeypatch.setattr(memory, "require", lambda n_bytes, *told: asked.append(n_bytes))
    read(file)
    # The table, and its copy while blocks are joined.
    assert 2 * 8 * 20_000 * 4 in asked


def test_how_much_is_said_of_compressed_text(tmp_path):
    file = tmp_path / "x.txt.gz"
    file.write_bytes(gzip.compress(ZEROS))
    with refused(file, r"unpacks to more than 3 MiB: store it without compression"):
        read(file)


def test_what_compresses_well_is_read_if_the_file_is_large_enough(tmp_path):
    file = tmp_path / "x.csv.gz"
    rare = np.random.default_rng(0).random(300_000) < 0.03
    lines = b"a,b,c\n" + b"".join(b"0,0,1\n" if one else b"0,1,0\n" for one in rare)
    file.write_bytes(gzip.compress(lines))
    assert len(lines) > 1 << 20
    assert len(lines) > 50 * file.stat().st_size
    assert read(file).n_samples == len(rare)


def test_npz(tmp_path):
    file = tmp_path / "x.npz"
    np.savez_compressed(file, X=np.zeros((1024, 1024)))
    with refused(file, r"would unpack to 8 MiB from 8,\d+ bytes"):
        read(file)


def test_data_sets(tmp_path):
    np.savez_compressed(tmp_path / "coil20.npz", X=np.zeros((1024, 1024)))
    with refused(tmp_path / "coil20.npz", "would unpack to 8 MiB"):
        load("coil20", tmp_path)
    for file in ("train-images", "train-labels", "t10k-images", "t10k-labels"):
        name = f"{file}-idx{3 if 'images' in file else 1}-ubyte.gz"
        (tmp_path / name).write_bytes(gzip.compress(ZEROS))
    with refused(tmp_path / "train-images-idx3-ubyte.gz", "unpacks to more than"):
        load("mnist", tmp_path)


def test_mat(tmp_path):
    file = tmp_path / "x.mat"
    savemat(file, {"fea": np.zeros((1024, 1024))}, do_compression=True)
    with refused(file, "unpacks to more than the size of the file allows"):
        read(file)


@pytest.mark.parametrize("value", [np.array([1.0, 2.0], dtype=object), {"a": 1.0, "b": 2.0}, np.zeros(2), "ab"])
def test_places_that_a_mat_file_does_not_have(tmp_path, value):
    """SciPy makes room for what an array says of itself: here for a thousand million."""
    file = tmp_path / "x.mat"
    savemat(file, {"fea": value})
    content = file.read_bytes()
    lengths = content.index(b"\x05\x00\x00\x00\x08\x00\x00\x00") + 8
    file.write_bytes(content[:lengths] + np.array([1 << 10, 1 << 20], "<i4").tobytes() + content[lengths + 8 :])
    with refused(file, "an array says that it has"):
        read(file)


def test_archives(tmp_path):
    file = tmp_path / "x.tar.gz"
    with tarfile.open(file, "w:gz") as archive:
        member = tarfile.TarInfo("a/matrix.mtx")
        member.size = len(ZEROS)
        archive.addfile(member, io.BytesIO(ZEROS))
    with refused(file, "would unpack to 8 MiB"):
        read_archive(file)


def test_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet as pq

    file = tmp_path / "x.parquet"
    pq.write_table(pa.table({"a": np.zeros(1 << 20), "b": np.zeros(1 << 20)}), file)
    with refused(file, r"would unpack to 32 MiB from \d,\d+ bytes"):
        read(file)


def test_one_long_name_in_many_rows_of_parquet(tmp_path):
    pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    import pyarrow.parquet as pq

    file, n = tmp_path / "x.parquet", 20_000
    names = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, "i4")), pa.array(["x" * 50_000]))
    table = pa.table({"name": names, "a": np.arange(n) % 7, "b": np.arange(n) % 5.0})
    pq.write_table(table, file, store_schema=False)
    tracemalloc.start()
    found = read(file)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(found.names) == n
    assert len(found.names[-1]) == 50_000
    assert most < 50e6


def test_one_long_name_beside_many_short_ones(tmp_path):
    """An array of texts has room for the longest in each place, which made gigabytes of this file."""
    file, n = tmp_path / "x.csv", 5_000
    rows = [f"{'x' * 50_000 if i == 7 else f's{i}'},{i % 7},{i % 5}" for i in range(n)]
    for header in ("name,a,b", "id,a,b"):
        file.write_text("\n".join([header, *rows]))
        tracemalloc.start()
        found = read(file)
        write_labels(tmp_path / "y.csv", np.arange(n), found.names)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert len(found.names[7]) == 50_000
        assert most < 100e6
    assert read(tmp_path / "y.csv", name="name").names == found.names
    with refused(file, "has a class of 50,000 characters: give classes short names"):
        read(file, label="id")
    with pytest.raises(ValueError, match=r"a name has 50,000 characters: write a .csv file"):
        write_labels(tmp_path / "y.npz", np.arange(n), found.names)


def test_an_image_of_many_pixels(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    file = tmp_path / "x.png"
    image.new("1", (4096, 4096)).save(file)
    with refused(file, r"is too large \(4096 x 4096 pixels\): make it smaller"):
        read(tmp_path, strict=True)


def test_a_first_record_of_many_fields_costs_once(tmp_path):
    """Every field of the first record was looked for in all the others."""
    import json

    file = tmp_path / "x.jsonl"
    first = json.dumps({"text": "one", **{f"f{i}": "x" for i in range(20_000)}})
    file.write_text("\n".join([first, *[json.dumps({"text": "two words"})] * 20_000]))
    assert read(file).n_samples == 20_001


def test_bytes_are_counted_wherever_a_stream_stands(tmp_path):
    file = tmp_path / "x.gz"
    file.write_bytes(gzip.compress(b"one\ntwo\n" + ZEROS))
    stream = unpacked_size.unpacked(file, gzip.GzipFile(file))
    assert (stream.readline(), stream.read(2), stream.tell()) == (b"one\n", b"tw", 6)
    assert stream.seek(0) == 0
    with refused(file, "unpacks to more than"):
        stream.read()
    stream.seek(8)
    with refused(file, "unpacks to more than"):
        stream.readline()
    stream.close()


def test_memory_that_runs_out_on_the_way(tmp_path, monkeypatch):
    from manifact.utils import memory

    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * 1000))
    monkeypatch.setattr(memory, "available", lambda: 1000)
    with pytest.raises(MemoryError, match=r"x.csv.gz.* would need about .* are free: "):
        read(file)


def test_numbers_take_more_than_their_text(tmp_path):
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"a,b,c,d\n" + b"0,0,0,1\n" * 250_000))
    with refused(file, r"(would unpack|unpacks) to .* MiB"):
        read(file)
