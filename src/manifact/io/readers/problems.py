"""Files that cannot be read: one sentence each, whichever library noticed."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import IO, Any


def refusal(file: Path | str, found: str, remedy: str) -> ValueError:
    """The error for a file with something in it that we cannot use."""
    return ValueError(f"{file} {_line(found)}: {_line(remedy)}")


def unreadable(file: Path | str, kind: str, reason: BaseException) -> ValueError:
    """The error for a file that its reader gave up on."""
    return refusal(file, f"cannot be read as {kind} ({sentence(reason)})", "it may be cut short or damaged, replace it")


def sentence(reason: BaseException) -> str:
    """What a library says, in one line and not at length.

    >>> sentence(OSError("torn\\n  in the middle"))
    'torn in the middle'
    >>> sentence(EOFError())
    'EOFError'
    """
    why = " ".join(str(reason).split()) or type(reason).__name__
    return why if len(why) <= 200 else f"{why[:200]}…"


def _line(text: str) -> str:
    """Text with names from a file in it, in one line and of a length that can be read."""
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
        if str(file) in str(problem):
            raise
        raise MemoryError(
            f"{file} needs more memory than there is ({sentence(problem)}): read it on a larger machine or in parts"
        ) from problem
    except RecursionError as problem:
        raise refusal(file, "is nested too deeply", "flatten it") from problem
    except OSError as problem:
        if problem.errno is None:  # libraries raise it for torn files, too
            raise unreadable(file, kind, problem) from problem
        raise refusal(file, f"cannot be opened ({problem.strerror})", "check its name and permissions") from problem
    except Exception as problem:  # each library has its own ways to say that a file is torn
        if isinstance(problem, ValueError) and str(problem).startswith(str(file)):  # ours
            raise
        raise unreadable(file, kind, problem) from problem


def optional(module: str, package: str, extra: str, what: str) -> Any:
    """A module that comes with an extra."""
    try:
        return import_module(module)
    except ImportError as problem:
        raise ImportError(f"{what} needs {package}: pip install 'manifact[{extra}]'") from problem


def not_utf8(file: Path, opened: Callable[[Path], IO[bytes]]) -> ValueError:
    """The error for a text with bytes that are no UTF-8, with the position of the first."""
    decoder, at = codecs.getincrementaldecoder("utf-8")(), 0
    with opened(file) as content:
        while True:
            chunk = content.read(1 << 20)
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as problem:
                at += problem.start - pending
                break
            if not chunk:
                break
            at += len(chunk)
    return refusal(file, f"is not UTF-8 (byte {at})", "save it as UTF-8, e.g. with iconv -f latin1 -t utf-8")
