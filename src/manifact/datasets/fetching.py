"""Downloads of the papers' data sets into the data home."""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from manifact.datasets.dataset import Dataset
from manifact.datasets.digest import digest
from manifact.datasets.download import ResumingDownloader
from manifact.datasets.home import Folder, data_home, find, load
from manifact.datasets.sources import SETS, Entry, Remote, Source
from manifact.utils import checks
from manifact.utils.progress import showing

#: Folder inside the data home where downloads wait until they are verified.
WAITING = ".downloads"
#: Why a source is not tried.
UNKNOWN = "its sha256 is not known, and so it is not downloaded unless unverified files are allowed"


class DownloadError(OSError):
    """A data set that no source gave."""


def fetch(
    name: str,
    home: Folder = None,
    progress: bool = True,
    sources: Sequence[Source] | None = None,
    unverified: bool = False,
) -> Dataset:
    """The data set, downloaded first if it is not in the data home.

    What is in the data home is used as it is. Otherwise each source is tried in turn: ``sources``, or those of
    `manifact.datasets.sources`. A file is opened if it has the sha256 that is written there, and taken if its samples
    and classes have theirs; only then does it move into the data home, and what is there stays. Files without a known
    sha256 are not downloaded, unless ``unverified``: they are opened before their content can be checked. An
    interrupted download continues the next time. ``progress`` draws a bar.
    """
    checks.option("name", name, SETS)
    entry, folder = SETS[name], data_home(home)
    if find(name, folder):
        return load(name, folder)
    pooch = _pooch()
    with showing(progress), _quiet(pooch):
        return _from_first(pooch, entry, entry.sources if sources is None else sources, folder, unverified)


def _from_first(pooch: Any, entry: Entry, sources: Sequence[Source], folder: Path, unverified: bool) -> Dataset:
    """The data of the first source that gives what it should, its files now in ``folder``."""
    problems: list[str] = []
    for number, source in enumerate(sources):
        if not unverified and not all(remote.sha256 for remote in source):
            problems.append(f"{source[0].address}: {UNKNOWN}")
            continue
        waiting = folder / WAITING / f"{entry.name}-{number}"
        try:
            waiting.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise DownloadError(f"{entry.name} cannot be put into {folder}: {problem}") from problem
        try:
            data = _verified(pooch, entry, source, waiting)
        except _failures() as problem:
            problems.append(f"{source[0].address}: {_why(problem)}")
            _drop_empty(waiting)
            continue
        _move(source, waiting, folder)
        _clear(entry, folder)
        return data
    raise DownloadError(_report(entry, folder, problems))


def _pooch() -> Any:
    try:
        import pooch
    except ImportError as missing:
        raise ImportError("downloads need pooch: pip install pooch, or put the files there by hand") from missing
    return pooch


@contextmanager
def _quiet(pooch: Any) -> Iterator[None]:
    """pooch logs every step; inside the block it logs warnings alone, as the bar shows the rest."""
    logger = pooch.get_logger()
    before = logger.level
    logger.setLevel(logging.WARNING)
    try:
        yield
    finally:
        logger.setLevel(before)


def _failures() -> tuple[type[Exception], ...]:
    """What a source may do wrong; a mistake in our own code is not among them."""
    from requests.exceptions import RequestException

    return (RequestException, OSError, ValueError)


def _verified(pooch: Any, entry: Entry, source: Source, waiting: Path) -> Dataset:
    """The data of a source, all of whose files are then in ``waiting``; files that hold anything else are deleted."""
    for remote in source:
        _download(pooch, remote, waiting)
    names = " and ".join(remote.file for remote in source)
    if not find(entry.name, waiting):
        raise ValueError(f"{entry.name} is not read from a file named {names}, but from {_expected(entry)}")
    try:
        data = load(entry.name, waiting)
        if digest(data.X, data.y) != entry.content:
            raise ValueError("the sha256 of samples and classes differs")
    except ValueError as problem:
        for remote in source:
            (waiting / remote.file).unlink(missing_ok=True)
        raise ValueError(f"what came as {names} is not the {entry.name} that we know, and is deleted") from problem
    return data


def _download(pooch: Any, remote: Remote, waiting: Path) -> None:
    """``remote`` in the folder ``waiting``, if its checksum is right where one is known."""
    try:
        pooch.retrieve(
            remote.address,
            known_hash=f"sha256:{remote.sha256}" if remote.sha256 else None,
            fname=remote.file,
            path=waiting,
            downloader=ResumingDownloader(waiting / f"{remote.file}.part", remote.file),
        )
    except ValueError as problem:
        if "hash" not in str(problem):
            raise
        raise ValueError(
            f"what came as {remote.file} does not have the sha256 that we know, and is deleted"
        ) from problem


def _move(source: Source, waiting: Path, folder: Path) -> None:
    """Each file into the data home, in one step; what is there already stays."""
    for remote in source:
        if not (folder / remote.file).exists():
            os.replace(waiting / remote.file, folder / remote.file)


def _clear(entry: Entry, folder: Path) -> None:
    """Forget what other sources of the set had begun."""
    for waiting in (folder / WAITING).glob(f"{entry.name}-*"):
        shutil.rmtree(waiting, ignore_errors=True)
    with suppress(OSError):
        (folder / WAITING).rmdir()


def _drop_empty(waiting: Path) -> None:
    """Leave no folders where nothing has arrived."""
    with suppress(OSError):
        waiting.rmdir()
        waiting.parent.rmdir()


def _why(problem: Exception) -> str:
    """A failure in a few words."""
    from requests.exceptions import ConnectionError as UnreachableError
    from requests.exceptions import HTTPError, Timeout

    if isinstance(problem, HTTPError) and problem.response is not None:
        return f"the server answered {problem.response.status_code} {problem.response.reason}"
    if isinstance(problem, Timeout):
        return "the server did not answer in time"
    if isinstance(problem, UnreachableError):
        return "the server cannot be reached"
    return " ".join(str(problem).split())


def _expected(entry: Entry) -> str:
    return " and ".join(entry.originals[0])


def _report(entry: Entry, folder: Path, problems: Sequence[str]) -> str:
    tried = "; ".join(problems) or "no source is known"
    return (
        f"{entry.name} could not be downloaded ({tried}): "
        f"put {_expected(entry)} into {folder} by hand, see {entry.page}"
    )
