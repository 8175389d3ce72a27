"""What a folder holds: documents or images."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.utils.errors import Sentence
from manifact.utils.progress import steps

IMAGES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm"))
TEXTS = frozenset((".txt", ".text", ".md", ".rst"))


def walk(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders, by name, without hidden ones and those behind links to folders."""
    found = []
    for here, folders, files in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        found += [Path(here, name) for name in files if not name.startswith(".")]
    return sorted((file for file in found if file.is_file()), key=lambda file: file.relative_to(folder).as_posix())


def find_samples(folder: Path, kind: str | None) -> tuple[str, list[Path]]:
    """Whether a folder holds documents or images, and these files.

    A file without an ending is a document where there are no images: the newsgroups' messages are such files.
    """
    files = walk(folder)
    images = [file for file in files if file.suffix.lower() in IMAGES]
    endings = TEXTS if images and kind is None else TEXTS | {""}
    texts = [file for file in files if file.suffix.lower() in endings]
    if kind is None and images and texts:
        found = f"has {len(texts)} files of text and {len(images)} images"
        raise refusal(folder, found, Sentence("say with {kind}='documents' or {kind}='images' which are meant"))
    if kind is None:
        kind = "images" if images else "documents"
    chosen = images if kind == "images" else texts
    if not chosen:
        known = ", ".join(sorted(IMAGES if kind == "images" else TEXTS))
        raise refusal(folder, f"has no {kind}", f"put some there ({known}), or name a single file")
    return kind, chosen


def with_progress(title: str, files: Sequence[Path]) -> Iterator[Path]:
    """The files one by one, with a bar for a person who waits."""
    with steps(title, len(files)) as advance:
        for file in files:
            yield file
            advance(1)


def relative(folder: Path, files: Sequence[Path]) -> list[str]:
    """Names of files, seen from their folder."""
    return [_readable(file.relative_to(folder).as_posix()) for file in files]


def classes(folder: Path, files: Sequence[Path]) -> Array | None:
    """The names of the subfolders if every file is one level down."""
    parts = [file.relative_to(folder).parts for file in files]
    return np.array([_readable(part[0]) for part in parts]) if all(len(part) == 2 for part in parts) else None


def _readable(name: str) -> str:
    """The name as text that a file can hold, bytes that are not UTF-8 as escapes: names that differ stay different."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _raise(problem: OSError) -> None:
    raise problem
