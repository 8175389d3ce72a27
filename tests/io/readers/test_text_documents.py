"""Documents in folders and lines."""

import bz2
import gzip
import json
import lzma
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
    with pytest.warns(UserWarning, match=r"1 file \(.pdf\) is not text and left out, such as notes.pdf in"):
        found = read(tmp_path)
    assert (found.kind, found.texts, found.names) == ("documents", ["one", "two\nlines"], ["a.md", "b.txt"])
    assert found.labels is None


def test_subfolders_are_classes(tmp_path):
    files(tmp_path, sport__1_dot_txt="goal", sport__2_dot_txt="run", space__1_dot_txt="moon", _dot_git__x_dot_txt="no")
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
        read(tmp_path, strict=True)
    files(tmp_path, b_dot_txt=b"\xef\xbb\xbfcaf\xc3\xa9 " + b"x" * 70000 + b"\xff")
    with refused(tmp_path / "b.txt", r"is not UTF-8 \(byte 70009\)"):
        read(tmp_path, strict=True)
    files(tmp_path, b_dot_txt="cut in a letter: é".encode()[:-1])
    with refused(tmp_path / "b.txt", r"is not UTF-8 \(byte 17\)"):
        read(tmp_path, strict=True)


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", "Le café noir est fermé, où êtes-vous ?"),
        ("cp1251", "Все счастливые семьи похожи друг на друга"),
        ("koi8-r", "Все счастливые семьи похожи друг на друга"),
        ("cp1253", "Ενα φάντασμα πλανιέται πάνω από την Ευρώπη"),
        ("shift_jis", "すべての人間は、生まれながらにして自由であり"),
        ("euc_jp", "すべての人間は、生まれながらにして自由であり"),
        ("euc_kr", "모든 인간은 태어날 때부터 자유로우며 그 존엄과"),
        ("gb18030", "人人生而自由，在尊严和权利上一律平等。"),
        ("big5", "人人生而自由，在尊嚴和權利上一律平等。"),
        ("utf-16-le", "as Windows wrote it"),
    ],
)
def test_the_likely_encoding_is_named_and_reads_the_file(tmp_path, encoding, text):
    file = tmp_path / "x.txt"
    file.write_bytes(f"plain\n{text}\n".encode(encoding))
    with refused(file, f"encoding='{encoding}'"):
        read(file)
    if not encoding.startswith("utf"):
        with refused(file, "in line 2"):
            read(file)
    assert read(file, encoding=encoding).texts == ["plain", text]


def test_an_encoding_that_fails_is_named(tmp_path):
    (tmp_path / "x.txt").write_bytes("plain\n\ncafé".encode())
    with refused(tmp_path / "x.txt", r"is not ascii \(byte 10\) in line 3"):
        read(tmp_path / "x.txt", encoding="ascii")
    for name in ("latin-99", "base64", "rot13", "a\0b"):
        with pytest.raises(ValueError, match=r"^encoding=.* is not known: give a name such as utf-8"):
            read(tmp_path / "x.txt", encoding=name)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_says_enough(tmp_path, codec):
    (tmp_path / "x.csv").write_bytes("text,n\nça va,1\n".encode(codec))
    for encoding in (None, codec):
        assert read(tmp_path / "x.csv", text="text", encoding=encoding).texts == ["ça va"]


@pytest.mark.parametrize(
    ("suffix", "compress"), [(".gz", gzip.compress), (".bz2", bz2.compress), (".xz", lzma.compress)]
)
def test_compressed_texts(tmp_path, suffix, compress):
    (tmp_path / f"x.txt{suffix}").write_bytes(compress(b"one\n\ntwo\n"))
    assert read(tmp_path / f"x.txt{suffix}").names == ["1", "3"]
    (tmp_path / "a").mkdir()
    files(tmp_path, a__1_dot_txt="plain")
    for name in ("2.md", "3"):
        (tmp_path / "a" / f"{name}{suffix}").write_bytes(compress(name.encode()))
    assert read(tmp_path / "a").texts == ["plain", "2.md", "3"]
    for name, text in (("x.jsonl", '{"text": "one"}'), ("x.csv", "text,n\none,1"), ("x.tsv", "text\tn\none\t1")):
        (tmp_path / f"{name}{suffix}").write_bytes(compress(text.encode()))
        assert read(tmp_path / f"{name}{suffix}", text="text").texts == ["one"]
    (tmp_path / f"x.mtx{suffix}").write_bytes(compress(b"%%MatrixMarket matrix array real general\n2 1\n3\n4\n"))
    assert read(tmp_path / f"x.mtx{suffix}").X.tolist() == [[3], [4]]


def test_what_cannot_be_read_is_skipped_and_named(tmp_path):
    files(
        tmp_path,
        a_dot_txt="fine",
        b_dot_txt=b"caf\xe9 noir",
        c_dot_txt="  \n",
        d_dot_txt=b"PK\x03\x04\0\0binary",
        f_dot_txt="fine, too",
    )
    (tmp_path / "e.txt.gz").write_bytes(gzip.compress(b"cut short" * 99)[:30])
    with pytest.warns(UserWarning, match=r"4 of 6 files in .* are skipped, such as b.txt, which is not UTF-8"):
        found = read(tmp_path)
    assert (found.texts, found.names, found.places) == (["fine", "fine, too"], ["a.txt", "f.txt"], [0, 5])
    assert found.skipped.keys() == {"b.txt", "c.txt", "d.txt", "e.txt.gz"}
    assert found.skipped["b.txt"] == "is not UTF-8 (byte 3) in line 1, perhaps cp1252 ('café noir')"
    assert (found.skipped["c.txt"], found.skipped["d.txt"]) == ("is empty", "is not text (byte 4 is 0)")
    with refused(tmp_path / "b.txt"):
        read(tmp_path, strict=True)
    for name in ("a.txt", "f.txt"):
        (tmp_path / name).unlink()
    with refused(tmp_path, "has no file that can be read, of 4: the first, b.txt, is not UTF-8"):
        read(tmp_path)


def test_a_folder_that_may_not_be_opened_is_skipped_and_named(tmp_path, monkeypatch):
    files(tmp_path, a_dot_txt="fine", closed__b_dot_txt="not seen")
    walk = os.walk

    def walked(top, onerror):
        for here, folders, names in walk(top):
            if "closed" in folders:
                folders.remove("closed")
                onerror(PermissionError(13, "Permission denied", os.path.join(here, "closed")))
            yield here, folders, names

    monkeypatch.setattr(os, "walk", walked)
    with pytest.warns(UserWarning, match="such as closed, which is a folder that cannot be opened"):
        assert read(tmp_path).texts == ["fine"]
    with refused(tmp_path / "closed", "check its permissions"):
        read(tmp_path, strict=True)


def test_empty_folders(tmp_path):
    with refused(tmp_path, "has no documents"):
        read(tmp_path)
    files(tmp_path, a_dot_txt="", b_dot_txt="\n")
    with refused(tmp_path, "has only empty files"):
        read(tmp_path)


def test_a_document_in_each_line(tmp_path):
    files(tmp_path, x_dot_txt="one\r\n\n  \ntwo \u2028 half\nthree")
    found = read(tmp_path / "x.txt")
    assert (found.texts, found.names) == (["one", "two \u2028 half", "three"], ["1", "4", "5"])
    assert (found.n_samples, found.places, found.n_places) == (3, [0, 3, 4], 5)
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


def test_a_list_of_words_that_never_ends(tmp_path):
    os.mkfifo(tmp_path / "words")
    with refused(tmp_path / "words", "is a pipe or a device"):
        read_words(tmp_path / "words")
