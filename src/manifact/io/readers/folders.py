"""What a folder holds: documents or images."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import FileRefusedError, guarded, refusal
from manifact.io.readers.text_files import ending
from manifact.utils.errors import Sentence
from manifact.utils.progress import steps

IMAGES = frozenset((".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm"))
TEXTS = frozenset((".txt", ".text", ".md", ".rst"))


def walk(folder: Path) -> list[Path]:
    """The files in a folder and its subfolders, by name, without hidden ones and those behind links to folders."""
    found = []
    unreadable: list[OSError] = []
    for here, folders, files in os.walk(folder, onerror=unreadable.append):
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        found += [Path(here, name) for name in files if not name.startswith(".")]
    found = [file for file in found if file.is_file()]
    # A folder that may not be read stands for its files: who reads them says so.
    found += [Path(problem.filename) for problem in unreadable]
    return sorted(found, key=lambda file: file.relative_to(folder).as_posix())


def find_samples(folder: Path, kind: str | None) -> tuple[str, list[Path]]:
    """Whether a folder holds documents or images, and these files.

    A file without an ending is a document where there are no images: the newsgroups' messages are such files.
    """
    files = walk(folder)
    if files == [folder]:
        with guarded(folder, "a folder"):
            os.listdir(folder)
    closed = [file for file in files if file.is_dir()]
    images = [file for file in files if file.suffix.lower() in IMAGES]
    endings = TEXTS if images and kind is None else TEXTS | {""}
    texts = [file for file in files if ending(file) in endings and file not in closed]
    if kind is None and images and texts:
        found = f"has {len(texts)} files of text and {len(images)} images"
        raise refusal(folder, found, Sentence("say with {kind}='documents' or {kind}='images' which are meant"))
    if kind is None:
        kind = "images" if images else "documents"
    chosen = images if kind == "images" else texts
    if not chosen:
        known = ", ".join(sorted(IMAGES if kind == "images" else TEXTS))
        raise refusal(folder, f"has no {kind}", f"put some there ({known}), or name a single file")
    return kind, sorted([*chosen, *closed])


def with_progress(title: str, files: Sequence[Path]) -> Iterator[Path]:
    """The files one by one, with a bar for a person who waits."""
    with steps(title, len(files)) as advance:
        for file in files:
            yield file
            advance(1)


def refuse_closed(file: Path) -> None:
    """Refuse a folder, which is among the files only if it may not be read."""
    if file.is_dir():
        raise refusal(file, "is a folder that cannot be opened", "check its permissions")


@dataclass
class Readable:
    """The files of a folder that could be read, as far as they have been tried."""

    folder: Path
    strict: bool
    files: list[Path] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    tried: int = 0

    def skip(self, file: Path, problem: FileRefusedError) -> None:
        """Pass over a file and remember why, or raise the problem if every file must be readable."""
        if self.strict:
            raise problem
        self.skipped[relative(self.folder, [file])[0]] = problem.found
        self.tried += 1

    def keep(self, file: Path) -> None:
        """Remember a file whose content is a sample."""
        self.files.append(file)
        self.places.append(self.tried)
        self.tried += 1

    def facts(self) -> Mapping[str, Any]:
        """What `Samples` are told of the files; one sentence if there are none."""
        if not self.files:
            name, why = next(iter(self.skipped.items()))
            found = f"has no file that can be read, of {len(self.skipped)}"
            raise refusal(self.folder, found, f"the first, {name}, {why}")
        some = {"skipped": self.skipped, "places": self.places, "n_places": self.tried} if self.skipped else {}
        return {"names": relative(self.folder, self.files), "labels": classes(self.folder, self.files), **some}


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
