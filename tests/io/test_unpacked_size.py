"""Small files that would fill the memory are refused with the numbers, and none of them is unpacked."""

import bz2
import gzip
import io
import lzma
import tarfile
import tracemalloc
from contextlib import contextmanager
from functools import partial

import numpy as np
import pytest
from scipy.io import savemat
from tests.io.readers.helpers import refused

from manifact.datasets import load
from manifact.io import unpacked_size
from manifact.io.readers import delimited_tables, matlab_files, read
from manifact.io.readers.tenx import read_archive
from manifact.io.writers import write_labels
from manifact.utils import memory


@pytest.fixture(autouse=True)
def little(monkeypatch):
    """The floor lowered, so that tests need no gigabytes."""
    monkeypatch.setattr(unpacked_size, "SMALL", 1 << 20)


ZEROS = b"0" * (8 << 20)
PACK = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": partial(lzma.compress, preset=0)}


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


def allowed_by(file):
    return unpacked_size.SMALL + unpacked_size.TIMES * file.stat().st_size


@contextmanager
def traced():
    """The most memory that Python took inside the block, to be asked for behind it."""
    tracemalloc.start()
    found = []
    try:
        yield lambda: found[0]
    finally:
        found.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()


SHORT = {
    "x.txt": b"ab\n" * (1 << 19),
    "x.jsonl": b'{"t":"a b"}\n' * (1 << 17),
    "strings.jsonl": b'"ab"\n' * (1 << 18),
}


@pytest.mark.parametrize("compression", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("name", SHORT)
def test_many_short_documents_are_refused_as_soon_as_they_take_too_much(tmp_path, name, compression):
    """Their texts are within what the file may unpack to, and Python takes fifty times as much for them."""
    file = tmp_path / f"{name}{compression}"
    file.write_bytes(PACK[compression](SHORT[name]))
    with traced() as most, refused(file, r"would take more than \d MiB in memory from [\d,]+ bytes: store it without"):
        read(file)
    assert most() < 1.5 * allowed_by(file)


def test_rows_of_documents_are_counted_as_well(tmp_path):
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"text,n\n" + b"a b,1\n" * (1 << 18)))
    with traced() as most, refused(file, r"would take more than \d MiB in memory"):
        read(file, text="text")
    assert most() < 2 * allowed_by(file)


def test_documents_that_memory_is_too_small_for(tmp_path, monkeypatch):
    """What is read is no longer free, and there has to be room for more of it."""
    file = tmp_path / "x.txt"
    file.write_bytes(SHORT["x.txt"])
    monkeypatch.setattr(memory, "available", lambda: 8 << 20)
    with pytest.raises(MemoryError, match=r"x.txt, of which \d+ MiB are read, would need about .* are free: "):
        read(file)


@pytest.mark.parametrize("ending", [".txt", ".jsonl", ".csv"])
def test_a_line_that_is_too_long(tmp_path, ending):
    """Cells or a record take many times what their line does: so much text may be there, and not in one line."""
    file = tmp_path / f"x{ending}.gz"
    pairs = b"[]," * 300_000
    line = {
        ".txt": b"a" * 900_000,
        ".jsonl": b'{"text":"a","x":[' + pairs + b"[]]}",
        ".csv": pairs,
    }
    file.write_bytes(gzip.compress(line[ending] + b"\n"))
    with traced() as most, refused(file, r"has a line of [\d,]+ characters or more: store it without compression"):
        read(file)
    assert most() < 4 << 20


@pytest.mark.parametrize("ending", [".txt", ".jsonl", ".csv"])
def test_blank_lines_without_end(tmp_path, ending):
    file = tmp_path / f"x{ending}.gz"
    file.write_bytes(gzip.compress(b'"a"\n' + b"\n" * (1 << 19) + b'"b"\n'))
    with refused(file, r"has more than [\d,]+ blank lines: leave them out"):
        read(file, kind="documents" if ending == ".csv" else None)


def test_what_unpacks_to_too_much_is_refused_before_its_first_rows_are_looked_for(tmp_path, monkeypatch):
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"\n" * (4 << 20)))

    def looked(*arguments):
        raise AssertionError("rows are looked for in a text that will be refused")

    monkeypatch.setattr(delimited_tables, "_rows", looked)
    with refused(file, "unpacks to more than"):
        read(file)


def test_blocks_of_numbers_are_given_up_while_they_are_joined():
    blocks = [np.arange(6.0).reshape(2, 3), np.empty((0, 3)), np.ones((1, 3))]
    expected = np.concatenate(blocks)
    np.testing.assert_array_equal(delimited_tables._joined(blocks), expected)
    assert blocks == []


def test_numbers_that_would_take_too_much_are_refused_before_they_are_made(tmp_path, monkeypatch):
    """As they are read and as features they take sixteen bytes for two of text: four times what is allowed is less."""
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"1,2,3,4\n" * 90_000))

    def made(*arguments):
        raise AssertionError("numbers are made of a text that will be refused")

    monkeypatch.setattr(delimited_tables, "_table", made)
    with refused(file, r"would unpack to 1 MiB from [\d,]+ bytes"):
        read(file)


def test_names_of_rows_count_as_numbers_do(tmp_path):
    file = tmp_path / "x.csv.gz"
    file.write_bytes(gzip.compress(b"name,a\n" + b"nn,1\n" * 120_000))
    with refused(file, r"would unpack to \d MiB from [\d,]+ bytes"):
        read(file)


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


def test_what_a_mat_file_unpacks_to_is_counted_and_not_kept(tmp_path):
    file = tmp_path / "x.mat"
    savemat(file, {"fea": np.zeros((1024, 2048))}, do_compression=True)
    with traced() as most, refused(file, "unpacks to more than the size of the file allows"):
        read(file)
    assert most() < allowed_by(file)
    content = np.random.default_rng(0).integers(0, 99, (300, 700)).astype(float)
    savemat(file, {"fea": content}, do_compression=True)
    with traced() as most:
        matlab_files.check_tags(file.read_bytes(), 1 << 24)
    assert most() < 1.3 * content.nbytes


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
    with refused(file, r"would unpack to 32 MiB from [\d,]+ bytes"):
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
