"""Documents in folders, lines and records."""

import csv
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


def lines(folder, *records):
    (folder / "x.jsonl").write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records))
    return folder / "x.jsonl"


def test_records(tmp_path):
    file = lines(
        tmp_path, {"text": "a", "id": 7, "kind": "x", "longer": "bbbb"}, "", {"text": "c", "id": 8, "kind": None}
    )
    found = read(file, name="id", label="kind")
    assert (found.texts, found.names, found.labels.tolist()) == (["a", "c"], ["7", "8"], ["x", ""])
    assert read(file, text="text").texts == ["a", "c"]


def test_the_field_with_most_text(tmp_path):
    file = lines(tmp_path, {"id": "7", "body": "long text", "n": 3}, {"id": "8", "body": "more text", "n": 4})
    assert read(file).texts == ["long text", "more text"]


def test_strings(tmp_path):
    assert read(lines(tmp_path, '"one"', '"tw\\u00f6"')).texts == ["one", "twö"]
    with refused(tmp_path / "x.jsonl", "strings without fields"):
        read(tmp_path / "x.jsonl", text="text")


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        ([], "has no records"),
        (["{"], "has no JSON in line 1"),
        (['{"text": "a"}', '{"text": "b'], r"has no JSON in line 2 \(Unterminated string"),
        (["[1, 2]"], "neither an object nor a string in line 1"),
        (["3"], "neither an object nor a string in line 1"),
        ([{"text": "a"}, "", {"other": "b"}], "has no field 'text' in line 3, but 'other': add it"),
        ([{"text": "a"}, {"text": 4}], "has no text in field 'text' of line 2"),
        ([{"n": 4}], "has no field of text"),
        ([{"text": "a"}, '"b"'], "has a string in line 2 and objects in others"),
        (["[" * 100_000], "nested too deeply|has no JSON"),
    ],
)
def test_broken_records(tmp_path, records, sentence):
    with refused(tmp_path / "x.jsonl", sentence):
        read(lines(tmp_path, *records))


def test_records_that_are_not_utf8(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(b'{"text": "caf\xe9"}')
    with refused(tmp_path / "x.jsonl", r"is not UTF-8 \(byte 13\)"):
        read(tmp_path / "x.jsonl")


def test_documents_in_a_table(tmp_path):
    (tmp_path / "x.csv").write_text('id,text,kind\n1,"good, ""very""\nlong",pos\n2,bad,neg\n')
    found = read(tmp_path / "x.csv", text="text", name="id", label="kind")
    assert (found.texts, found.names) == (['good, "very"\nlong', "bad"], ["1", "2"])
    assert found.labels.tolist() == ["pos", "neg"]
    assert read(tmp_path / "x.csv", kind="documents").texts == found.texts
    with refused(tmp_path / "x.csv", "has no field for text='q', but id, text, kind"):
        read(tmp_path / "x.csv", text="q")
    (tmp_path / "x.csv").write_text("id,text\n1,a,b\n")
    with refused(tmp_path / "x.csv", "has 3 cells in line 2 and 2 in the first"):
        read(tmp_path / "x.csv", text="text")
    (tmp_path / "x.csv").write_text("id,text\n")
    with refused(tmp_path / "x.csv", "has no documents"):
        read(tmp_path / "x.csv", text="text")


def test_long_documents_in_a_table(tmp_path):
    book, before = "a word, " * 40_000, csv.field_size_limit()
    (tmp_path / "x.csv").write_text(f'id,text\n1,"{book}"\n2,short\n')
    assert read(tmp_path / "x.csv", text="text").texts == [book, "short"]
    assert csv.field_size_limit() == before
    (tmp_path / "x.csv").write_text('id,text\n1,"cut\n')
    with refused(tmp_path / "x.csv", "has a broken line 2"):
        read(tmp_path / "x.csv", text="text")
    assert csv.field_size_limit() == before


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
