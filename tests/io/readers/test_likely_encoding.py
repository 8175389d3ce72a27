"""Guesses at encodings; `test_text_documents.py` follows them to the sentence that names them."""

import os

import pytest

from manifact.io.readers.likely_encoding import likely_encoding


@pytest.mark.parametrize("cut", [30, 75, 200])
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
def test_western_text(encoding, cut):
    text = (
        "Parfois, à peine ma bougie éteinte, mes yeux se fermaient si vite que je n'avais pas été prévenu: süß, mañana."
    )
    assert likely_encoding(text.encode(encoding)[:cut]) == "cp1252"


def test_what_is_not_text_is_not_guessed():
    assert likely_encoding(b"") is None
    assert likely_encoding(b"plain") is None
    assert likely_encoding(bytes(range(256)) * 16) is None
    assert likely_encoding(os.urandom(1 << 14)) is None
