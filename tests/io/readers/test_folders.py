"""Which files of a folder are its samples, and what is said of the others."""

import os

import numpy as np
import pytest
from PIL import Image
from tests.io.readers.helpers import refused

from manifact.io.readers import read
from manifact.io.readers.folders import find_samples


def put(folder, *names, content=b"some text"):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def pictures(folder, count):
    for number in range(count):
        Image.fromarray(np.full((4, 4), number, dtype=np.uint8)).save(folder / f"{number}.png")


def test_every_text_is_a_document_whatever_its_ending(tmp_path):
    texts = [
        *("Apache-2.0", "GFDL-1.2", "LGPL-2.1", "LICENSE.APACHE", "README", "51060", "a.eml", "b.log", "c.txt", "d.md"),
        *("e.py", "f.html", "g.xml", "h.tex", "i.nobodyknows", "j.yaml", "k.TXT"),
    ]
    put(tmp_path, *texts)
    found = read(tmp_path, strict=True)
    assert (found.names, found.other_files) == (sorted(texts), {})


def test_nothing_vanishes_without_a_word(tmp_path):
    put(tmp_path, *(f"{i}.txt" for i in range(9)), ".hidden", ".git/config", "Thumbs.db", "__MACOSX/x.txt")
    others = ["a.docx", "b.csv", "c.json.gz", "d.npy", "e.tar.gz", "f.pdf", "g.PNG", "h.zip", "sub/i.docx"]
    put(tmp_path, *others, content=b"PK\x03\x04\0\0")
    with pytest.warns(UserWarning, match=r"9 files \(.csv, .docx, .json, .npy, .pdf, …\) are not text and left out"):
        found = read(tmp_path, strict=True)
    assert found.names == [f"{i}.txt" for i in range(9)]
    assert found.other_files == dict.fromkeys(others, "is not text")
    assert (found.skipped, found.places) == ({}, None)


@pytest.mark.filterwarnings("ignore:1 .*(left out|skipped):UserWarning")
def test_strict_stops_at_what_should_be_text(tmp_path):
    put(tmp_path, "a.txt", "picture.png")
    put(tmp_path, "b.nobodyknows", content=b"PK\x03\0binary")
    with pytest.warns(UserWarning, match="1 of 2 files in"):
        found = read(tmp_path, kind="documents")
    assert (found.names, found.skipped) == (["a.txt"], {"b.nobodyknows": "is not text (byte 3 is 0)"})
    with refused(tmp_path / "b.nobodyknows", "is not text"):
        read(tmp_path, kind="documents", strict=True)


@pytest.mark.filterwarnings("ignore:1 .*(left out|skipped):UserWarning")
def test_links_and_pipes(tmp_path):
    put(tmp_path, "texts/a.txt", "elsewhere/b.txt", "c.txt")
    (tmp_path / "texts" / "gone.txt").symlink_to(tmp_path / "nowhere.txt")
    (tmp_path / "texts" / "linked.txt").symlink_to(tmp_path / "c.txt")
    (tmp_path / "texts" / "near.txt").symlink_to(tmp_path / "texts" / "a.txt")
    (tmp_path / "texts" / "folder").symlink_to(tmp_path / "elsewhere")
    os.mkfifo(tmp_path / "texts" / "pipe")
    with pytest.warns(UserWarning, match="1 file is a link to a folder and left out, such as folder in"):
        found = read(tmp_path / "texts")
    assert found.names == ["a.txt", "near.txt"]
    assert found.skipped == {"gone.txt": "cannot be opened (No such file or directory)"}
    assert found.other_files == {
        "folder": "is a link to a folder",
        "linked.txt": "is a link out of the folder",
        "pipe": "is no plain file",
    }
    with refused(tmp_path / "texts" / "gone.txt", "cannot be opened"):
        read(tmp_path / "texts", strict=True)


def test_a_report_beside_its_texts_is_none_of_them(tmp_path):
    from manifact import NMF

    put(tmp_path, "a.txt", "b.txt", "page.html")
    NMF(2, random_state=0).fit(np.eye(4)).report(path=tmp_path / "topics.html")
    with pytest.warns(UserWarning, match="1 file is a report of a model and left out, such as topics.html in"):
        found = read(tmp_path, strict=True)
    assert found.names == ["a.txt", "b.txt", "page.html"]


def test_a_folder_without_texts_says_what_is_there(tmp_path):
    put(tmp_path, "a.docx", "b.docx", "c.pdf")
    with refused(tmp_path, r"has no documents, and 3 files \(.docx, .pdf\) are not text: put some there"):
        read(tmp_path)


@pytest.mark.parametrize(
    ("texts", "images", "kind"),
    [
        (["a.txt"], 9, "images"),
        (["a.txt"], 8, None),
        ([f"{i}" for i in range(9)], 1, "documents"),
        ([f"{i}" for i in range(8)], 1, None),
        ([f"{i}.xml" for i in range(4)], 4, "images"),
        ([f"{i}.xml" for i in range(5)], 4, None),
    ],
)
def test_what_nine_files_in_ten_are_is_meant(tmp_path, texts, images, kind):
    put(tmp_path, *texts)
    pictures(tmp_path, images)
    if kind is not None:
        found = find_samples(tmp_path, None)
        assert (found.kind, len(found.others)) == (kind, images if kind == "documents" else len(texts))
        return
    said = f"{len(texts)} file{'s' if len(texts) > 1 else ''} of text and {images} image{'s' if images > 1 else ''}:"
    with refused(tmp_path, said):
        find_samples(tmp_path, None)
