"""Documents in plain text: one in each line of a file, or one in each file of a folder."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from sys import getsizeof

from manifact.io.file_errors import FileRefusedError, guarded, refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers.folders import Readable, refuse_closed, with_progress
from manifact.io.readers.text_files import lines, open_text
from manifact.io.unpacked_size import Held

#: What is found in a file without text.
EMPTY = "is empty"
#: Bytes for a document beside its text: its name, its place, and their places in lists.
DOCUMENT = 160


def read_lines(file: Path, source: str, encoding: str | None = None) -> Samples:
    """A document in each line, called by the line's number from 1; blank lines hold none."""
    texts, places, line, held = [], [], -1, Held(file)
    with open_text(file, encoding=encoding) as content:
        for line, text in enumerate(lines(file, content)):
            if not text.isspace():
                texts.append(text.rstrip("\n"))
                places.append(line)
                held.add(DOCUMENT + getsizeof(texts[-1]))
    if not texts:
        raise refusal(file, "has no text", "write a document in each line")
    names, blank = [str(place + 1) for place in places], line + 1 > len(places)
    if not blank:
        return Samples("documents", source, texts=texts, names=names)
    return Samples("documents", source, texts=texts, names=names, places=places, n_places=line + 1)


def read_files(
    folder: Path,
    source: str,
    files: list[Path],
    others: Mapping[str, str],
    encoding: str | None = None,
    strict: bool = False,
) -> Samples:
    """A document in each file; the names of subfolders are labels if every file is in one, one level down.

    A file without text that can be read is skipped, unless ``strict``. ``others`` are in the folder, and no documents.
    """
    texts, found = [], Readable(folder, strict, others)
    for file in with_progress("reading documents", files):
        try:
            texts.append(_text(file, encoding))
            found.keep(file)
        except FileRefusedError as problem:
            found.skip(file, problem)
    if set(found.skipped.values()) == {EMPTY} and not texts:
        raise refusal(folder, "has only empty files", "put text into them")
    return Samples("documents", source, texts=texts, **found.facts())


def _text(file: Path, encoding: str | None) -> str:
    refuse_closed(file)
    with guarded(file, "text"), open_text(file, encoding=encoding) as content:
        text = content.read()
    if not text.strip():
        raise refusal(file, EMPTY, "write text into it, or remove it")
    return text


def read_words(path: Path | str) -> list[str]:
    """The words of a list such as stop words: one in each line, in lower case; blank lines are skipped."""
    file = Path(path)
    with guarded(file, "a list of words"), open_text(file) as text:
        words = [line.strip().lower() for line in lines(file, text) if not line.isspace()]
    if not words:
        raise refusal(file, "has no words", "write one in each line")
    return words
