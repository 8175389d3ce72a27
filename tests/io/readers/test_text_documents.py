"""Documents in folders and lines."""

import gzip
import json
import os

import pytest
from tests.io.readers.helpers import refused

from manifact.io.readers import read, read_words


def files(folder, **texts):
    for name, text in texts.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def test_a_folder_of_texts(tmp_path):
    files(tmp_path, b_dot_txt="two\nlines", a_dot_md="\ufeffone", _dot_hidden_dot_txt="no", notes_dot_pdf="no")
    found = read(tmp_path)
    assert (found.kind, found.texts, found.names) == ("documents", ["one", "two\nlines"], ["a.md", "b.txt"])
    assert found.labels is None


def test_subfolders_are_classes(tmp_path):
    files(tmp_path, sport__1_dot_txt="goal", sport__2_dot_txt="", space__1_dot_txt="moon", _dot_git__x_dot_txt="no")
    found = read(tmp_path)
    assert found.names == ["space/1.txt", "sport/1.txt", "sport/2.txt"]
    assert found.labels.tolist() == ["space", "sport", "sport"]
    files(tmp_path, top_dot_txt="here")
    assert read(tmp_path).labels is None
    (tmp_path / "top.txt").unlink()
    files(tmp_path, sport__deep__1_dot_txt="more")
    assert read(tmp_path).labels is None


def test_files_without_an_ending_as_the_newsgroups_have(tmp_path):
    files(tmp_path, alt__51060="god", sci__60171="orbit")
    found = read(tmp_path)
    assert (found.texts, found.labels.tolist()) == (["god", "orbit"], ["alt", "sci"])


def test_the_documentation_of_python(tmp_path):
    import json as module
    from pathlib import Path

    for source in Path(module.__file__).parent.glob("*.py"):
        (tmp_path / f"{source.stem}.txt").write_text(source.read_text())
    assert sum(len(text) for text in read(tmp_path).texts) > 10_000


def test_not_utf8_names_file_and_byte(tmp_path):
    files(tmp_path, a_dot_txt="fine", b_dot_txt=b"caf\xe9 noir")
    with refused(tmp_path / "b.txt", r"is not UTF-8 \(byte 3\)"):
        read(tmp_path)
    files(tmp_path, b_dot_txt=b"\xef\xbb\xbfcaf\xc3\xa9 " + b"x" * 70000 + b"\xff")
    with refused(tmp_path / "b.txt", r"is not UTF-8 \(byte 70009\)"):
        read(tmp_path)
    files(tmp_path, b_dot_txt="cut in a letter: é".encode()[:-1])
    with refused(tmp_path / "b.txt", r"is not UTF-8 \(byte 17\)"):
        read(tmp_path)


def test_empty_folders(tmp_path):
    with refused(tmp_path, "has no documents"):
        read(tmp_path)
    files(tmp_path, a_dot_txt="", b_dot_txt="\n")
    with refused(tmp_path, "has only empty files"):
        read(tmp_path)


def test_a_document_in_each_line(tmp_path):
    files(tmp_path, x_dot_txt="one\r\n\n  \ntwo \u2028 half\nthree")
    found = read(tmp_path / "x.txt")
    assert (found.texts, found.names, found.n_samples) == (["one", "two \u2028 half", "three"], None, 3)
    (tmp_path / "x.txt.gz").write_bytes(gzip.compress(b"one\ntwo\n"))
    assert read(tmp_path / "x.txt.gz").texts == ["one", "two"]
    files(tmp_path, x_dot_txt="\n\n")
    with refused(tmp_path / "x.txt", "has no text"):
        read(tmp_path / "x.txt")


def test_names_of_files_that_are_no_characters(tmp_path):
    try:
        for name in (b"caf\xe8", b"caf\xe9", "café".encode()):
            folder = os.path.join(os.fsencode(tmp_path), name)
            os.mkdir(folder)
            with open(os.path.join(folder, name + b".txt"), "w") as stream:
                stream.write("text")
    except OSError:
        pytest.skip("this file system takes UTF-8 alone")
    found = read(tmp_path)
    assert sorted(found.names) == [r"caf\xe8/caf\xe8.txt", r"caf\xe9/caf\xe9.txt", "café/café.txt"]
    assert sorted(found.labels) == [r"caf\xe8", r"caf\xe9", "café"]
    assert json.loads(json.dumps(found.names, ensure_ascii=False).encode()) == found.names


def test_words(tmp_path):
    (tmp_path / "stop.txt").write_text("The\n\n of \n")
    assert read_words(tmp_path / "stop.txt") == ["the", "of"]
    (tmp_path / "stop.txt").write_text("\n")
    with refused(tmp_path / "stop.txt", "has no words"):
        read_words(tmp_path / "stop.txt")
    with refused(tmp_path / "none.txt", "cannot be opened"):
        read_words(tmp_path / "none.txt")
