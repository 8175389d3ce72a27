"""Errors about files: one sentence each with the file, what is wrong and the remedy, whichever library noticed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from manifact.utils.errors import BadValueError, Sentence
from manifact.utils.terminal_text import printable


class FileRefusedError(BadValueError):
    """A file has something in it that we cannot use; ``found`` says what, without the file's name and the remedy."""

    found = "cannot be read"


def refusal(file: Path | str, found: str | Sentence, remedy: str | Sentence) -> ValueError:
    """The error for a file with something in it that we cannot use; sentences where parameters are named."""
    error = FileRefusedError("{} {}: {}", file, _shown(found), _shown(remedy))
    error.found = str(_shown(found))
    return error


def unreadable(file: Path | str, kind: str, reason: BaseException) -> ValueError:
    """The error for a file that the library behind its reader gave up on."""
    return refusal(file, f"cannot be read as {kind} ({one_line(reason)})", "it may be cut short or damaged, replace it")


def one_line(reason: BaseException) -> str:
    """What a library says, on one line and cut where it is long.

    >>> one_line(OSError("damaged\\n  in the middle"))
    'damaged in the middle'
    >>> one_line(EOFError())
    'EOFError'
    """
    why = " ".join(str(reason).split()) or type(reason).__name__
    return why if len(why) <= 200 else f"{why[:200]}…"


def _shown(text: str | Sentence) -> str | Sentence:
    """Text that may quote a file: printable characters alone, and no more of them than a person reads."""
    if isinstance(text, Sentence):
        return text.edited(_printable)
    return _printable(text)


def _printable(text: str) -> str:
    line = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return line if len(line) <= 400 else f"{line[:400]}…"


@contextmanager
def guarded(file: Path | str, kind: str) -> Iterator[None]:
    """Whatever a library raises about the file inside the block becomes one sentence with the file's name."""
    try:
        yield
    except ImportError:
        raise
    except MemoryError as problem:
        if printable(str(file)) in str(problem):
            raise
        raise MemoryError(
            f"{file} needs more memory than there is ({one_line(problem)}): read it on a larger machine or in parts"
        ) from problem
    except RecursionError as problem:
        raise refusal(file, "is nested too deeply", "flatten it") from problem
    except OSError as problem:
        if problem.errno is None:  # libraries raise it for damaged files, too
            raise unreadable(file, kind, problem) from problem
        raise refusal(file, f"cannot be opened ({problem.strerror})", "check its name and permissions") from problem
    except Exception as problem:  # each library has its own way of saying that a file is damaged
        if isinstance(problem, ValueError) and str(problem).startswith((str(file), printable(str(file)))):  # ours
            raise
        raise unreadable(file, kind, problem) from problem


def optional_module(module: str, package: str, what: str) -> Any:
    """A module that one of our extras installs."""
    try:
        return import_module(module)
    except ImportError as problem:
        raise ImportError(f"{what} needs {package}: pip install {package}") from problem
