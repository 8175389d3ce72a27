"""Documents in plain text: one in each line of a file, or one in each file of a folder."""

from __future__ import annotations

from pathlib import Path

from manifact.io.file_errors import guarded, refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers.folders import classes, relative, with_progress
from manifact.io.readers.text_files import open_text


def read_lines(file: Path, source: str) -> Samples:
    """A document in each line; blank lines are skipped."""
    with open_text(file) as text:
        texts = [line.rstrip("\n") for line in text if line.strip()]
    if not texts:
        raise refusal(file, "has no text", "write a document in each line")
    return Samples("documents", source, texts=texts)


def read_files(folder: Path, source: str, files: list[Path]) -> Samples:
    """A document in each file; the names of subfolders are labels if every file is in one, one level down."""
    texts = []
    for file in with_progress("reading documents", files):
        with guarded(file, "text"), open_text(file) as text:
            texts.append(text.read())
    if not any(text.strip() for text in texts):
        raise refusal(folder, "has only empty files", "put text into them")
    return Samples("documents", source, texts=texts, names=relative(folder, files), labels=classes(folder, files))


def read_words(path: Path | str) -> list[str]:
    """The words of a list such as stop words: one in each line, in lower case; blank lines are skipped."""
    file = Path(path)
    with guarded(file, "a list of words"), open_text(file) as text:
        words = [line.strip().lower() for line in text if line.strip()]
    if not words:
        raise refusal(file, "has no words", "write one in each line")
    return words
