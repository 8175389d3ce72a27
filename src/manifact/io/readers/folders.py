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
from manifact.io.readers.file_endings import IMAGES, is_image, is_surely_text, may_be_text
from manifact.io.readers.other_files import NO_IMAGE, NO_TEXT, counted, never_a_sample, told
from manifact.utils.errors import Sentence
from manifact.utils.progress import steps

#: One file in so many may be of the other kind, and does not matter.
ONE_IN = 10
#: What systems leave behind in folders, in lower case.
LEFT_BEHIND = frozenset(("desktop.ini", "thumbs.db"))


@dataclass(frozen=True)
class FolderFiles:
    """What a folder holds.

    Attributes
    ----------
    kind : {"documents", "images"}
    files : list of Path
        Those that are samples.
    others : dict
        The names of those that are something else, and why.
    """

    kind: str
    files: list[Path]
    others: dict[str, str]


def walk(folder: Path) -> list[Path]:
    """What is in a folder and its subfolders, by name: files, links, and folders that may not be opened.

    Hidden ones are left out. Links to folders are among the files, and not followed: they may lead in a circle.
    """
    found = []
    unreadable: list[OSError] = []
    for here, folders, files in os.walk(folder, onerror=unreadable.append):
        folders[:] = [name for name in folders if not name.startswith((".", "__MACOSX"))]
        found += [Path(here, name) for name in folders if os.path.islink(os.path.join(here, name))]
        found += [Path(here, name) for name in files if not name.startswith(".") and name.lower() not in LEFT_BEHIND]
    # A folder that may not be read stands for its files: who reads them says so.
    found += [Path(problem.filename) for problem in unreadable]
    return sorted(found, key=lambda file: file.relative_to(folder).as_posix())


def find_samples(folder: Path, kind: str | None) -> FolderFiles:
    """Whether a folder holds documents or images, and which files these are.

    Documents are all files whose names do not say that they are something else.
    """
    files = walk(folder)
    if files == [folder]:
        with guarded(folder, "a folder"):
            os.listdir(folder)
    odd = {file: why for file in files if (why := never_a_sample(file, folder)) is not None}
    closed = [file for file in files if file.is_dir() and file not in odd]
    plain = [file for file in files if file not in odd and not file.is_dir()]
    images, texts = list(filter(is_image, plain)), list(filter(may_be_text, plain))
    if kind is None:
        kind = _kind(folder, images, texts)
    chosen, why = (images, NO_IMAGE) if kind == "images" else (texts, NO_TEXT)
    taken = {*chosen, *closed}
    left = {file: odd.get(file, why) for file in files if file not in taken}
    others = dict(zip(relative(folder, list(left)), left.values(), strict=True))
    if not chosen:
        found = f"has no {kind}" + "".join(f", and {said}" for said in told(others))
        known = ", ".join(sorted(IMAGES)) if kind == "images" else "files of text, with any ending or none"
        raise refusal(folder, found, f"put some there ({known}), or name a single file")
    return FolderFiles(kind, sorted([*chosen, *closed]), others)


def _kind(folder: Path, images: Sequence[Path], texts: Sequence[Path]) -> str:
    """What is meant by a folder: what nine files in ten are.

    Few texts whose endings do not say that they are some, such as a licence, do not matter beside images.
    """
    if not images or ONE_IN * len(images) <= len(images) + len(texts):
        return "documents"
    sure = sum(map(is_surely_text, texts))
    if len(texts) <= len(images) and ONE_IN * sure <= len(images) + sure:
        return "images"
    found = f"has {counted(len(texts), 'file')} of text and {counted(len(images), 'image')}"
    raise refusal(folder, found, Sentence("say with {kind}='documents' or {kind}='images' which are meant"))


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
    #: Files that are no samples, and why.
    others: Mapping[str, str] = field(default_factory=dict)
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
        named = {"names": relative(self.folder, self.files), "labels": classes(self.folder, self.files)}
        return {**named, "other_files": self.others, **some}


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
