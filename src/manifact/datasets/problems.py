"""Files that are not what they should be: one sentence each."""

from __future__ import annotations

from pathlib import Path


def refusal(file: Path, found: str, expected: str) -> ValueError:
    """The error for a file whose content is not what its name promises."""
    return ValueError(f"{file} {found}: expected {expected}")


def unreadable(file: Path, kind: str, reason: BaseException) -> ValueError:
    """The error for a file that its reader gave up on."""
    why = " ".join(str(reason).split()) or type(reason).__name__
    return ValueError(f"{file} cannot be read as {kind} ({why}): it may be cut short or damaged, replace it")


def shape(rows: int, columns: int) -> str:
    """A shape in words.

    >>> shape(3, 2)
    '3 x 2'
    """
    return f"{rows} x {columns}"
