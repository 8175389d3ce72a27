"""Plain text: a document in each line, or a document in each file of a folder."""

from __future__ import annotations

from pathlib import Path

from manifact.io.readers.folders import classes, relative
from manifact.io.readers.opening import lines
from manifact.io.readers.problems import guarded, refusal
from manifact.io.readers.samples import Samples
from manifact.utils.progress import steps


def read_lines(file: Path, source: str) -> Samples:
    """A document in each line; blank lines are skipped."""
    with lines(file) as text:
        texts = [line.rstrip("\n") for line in text if line.strip()]
    if not texts:
        raise refusal(file, "has no text", "write a document in each line")
    return Samples("documents", source, texts=texts)


def read_files(folder: Path, source: str, files: list[Path]) -> Samples:
    """A document in each file; the names of subfolders are labels if every file is in one, one level down."""
    texts = []
    with steps("reading documents", len(files)) as advance:
        for file in files:
            with guarded(file, "text"), lines(file) as text:
                texts.append(text.read())
            advance(1)
    if not any(text.strip() for text in texts):
        raise refusal(folder, "has only empty files", "put text into them")
    return Samples("documents", source, texts=texts, names=relative(folder, files), labels=classes(folder, files))


def read_words(path: Path | str) -> list[str]:
    """The words of a list such as stop words: one in each line, in lower case; blank lines are skipped."""
    file = Path(path)
    with guarded(file, "a list of words"), lines(file) as text:
        words = [line.strip().lower() for line in text if line.strip()]
    if not words:
        raise refusal(file, "has no words", "write one in each line")
    return words
