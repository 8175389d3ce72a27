"""Columns that somebody asked for, by name or by number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from pathlib import Path

from manifact.io.file_errors import refusal
from manifact.utils.errors import Parameter, Sentence

#: Names that a refusal lists where none is near.
LISTED = 10

#: What a user may give: a name, a number from 1, names with commas between them, or several of these.
Wanted = str | int | Iterable[str | int] | None


def places(file: Path, option: str, wanted: Wanted, header: Sequence[str] | None, width: int) -> list[int]:
    """Where the columns are, from 0; one sentence with all that are not there, and with names that are near.

    >>> places(Path("x.csv"), "drop", "b,3", ["a", "b", "c"], 3)
    [1, 2]
    """
    asked = [part for one in _several(wanted) for part in _parts(one, header)]
    found = [_place(part, header, width) for part in asked]
    unknown = [part for part, place in zip(asked, found, strict=True) if place is None]
    if unknown:
        raise refusal(file, *_unknown(option, unknown, header, width))
    return sorted({place for place in found if place is not None})


def _several(wanted: Wanted) -> list[str]:
    if wanted is None:
        return []
    return [str(one) for one in ([wanted] if isinstance(wanted, str | int) else wanted)]


def _parts(one: str, header: Sequence[str] | None) -> list[str]:
    """A name with commas in it is one column, if there is such a column."""
    if header is not None and one in header:
        return [one]
    return [part.strip() for part in one.split(",") if part.strip()]


def _place(part: str, header: Sequence[str] | None, width: int) -> int | None:
    if header is not None and part in header:
        return list(header).index(part)
    if part.isascii() and part.isdecimal() and 1 <= int(part) <= width:
        return int(part) - 1
    return None


def _unknown(option: str, unknown: list[str], header: Sequence[str] | None, width: int) -> tuple[Sentence, str]:
    listed = ", ".join(map(repr, unknown[:LISTED])) + (", …" if len(unknown) > LISTED else "")
    which = Sentence("no column" if len(unknown) == 1 else "no columns")
    if header is None:
        return Sentence("has no header and {} {} for {}=…", which, listed, Parameter(option)), (
            f"give numbers from 1 to {width}"
        )
    found = Sentence("has {} {} for {}=…", which, listed, Parameter(option))
    near = [name for part in unknown for name in get_close_matches(part, list(header), n=2)]
    if near:
        return found, f"did you mean {' or '.join(map(repr, dict.fromkeys(near)))}?"
    names = ", ".join(header[:LISTED]) + (", …" if len(header) > LISTED else "")
    return found, f"choose among {names}"
