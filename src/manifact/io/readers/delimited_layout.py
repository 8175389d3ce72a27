"""How a delimited table is laid out: what separates cells, whether there is a header, what each column holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from manifact.io.file_errors import refusal
from manifact.io.readers import table_checks
from manifact.io.readers.chosen_columns import Wanted, places
from manifact.io.readers.delimited_cells import has_decimal_comma, is_missing, is_number, is_text
from manifact.io.readers.delimited_headers import is_header
from manifact.io.readers.text_files import lines, open_text
from manifact.io.spreadsheet_cells import unprotected
from manifact.utils.cached_properties import cached_property
from manifact.utils.errors import Parameter, Sentence

#: A line's number and its cells.
Row = tuple[int, list[str]]


def delimiter(file: Path, encoding: str | None = None) -> str:
    """What separates cells: tabs in .tsv, otherwise what the first line has most of."""
    if ".tsv" in [suffix.lower() for suffix in file.suffixes[-2:]]:
        return "\t"
    with open_text(file, encoding=encoding) as text:
        first = re.sub(r'"[^"]*("|$)', "", next((line for line in lines(file, text) if not line.isspace()), ""))
    most = max(",;\t", key=first.count)
    # Numbers with decimal commas have one comma more than there is between them.
    between = max(";\t", key=first.count)
    if most == "," and first.count(between):
        cells = first.strip("\r\n").split(between)
        if all(is_number(cell) or has_decimal_comma(cell) or is_missing(cell) for cell in cells):
            return between
    return most


@dataclass(frozen=True)
class Layout:
    """What the columns of a delimited table hold."""

    width: int
    header: list[str] | None
    name: int | None
    label: int | None
    wanted: frozenset[str] | None = None
    #: Columns that are left out.
    dropped: tuple[int, ...] = ()

    @cached_property
    def columns(self) -> list[int]:
        """The columns of numbers: those that are wanted, if that was said and there is a header."""
        free = [c for c in range(self.width) if c not in (self.name, self.label, *self.dropped)]
        if self.wanted is None or self.header is None:
            return free
        return [column for column in free if self.header[column] in self.wanted]

    @property
    def ignored(self) -> tuple[str, ...]:
        """Headers of columns that are not wanted."""
        if self.wanted is None or self.header is None:
            return ()
        used = {self.name, self.label, *self.dropped, *self.columns}
        return tuple(name for column, name in enumerate(self.header) if column not in used and name)

    @property
    def span(self) -> tuple[int, int]:
        """The first column of numbers and the one after the last."""
        return self.columns[0], self.columns[-1] + 1

    @property
    def contiguous(self) -> bool:
        """Whether all columns between these hold numbers."""
        first, last = self.span
        return last - first == len(self.columns)

    def feature_names(self) -> list[str] | None:
        """The header of the columns of numbers."""
        return None if self.header is None else [self.header[column] for column in self.columns]


def find_layout(
    file: Path,
    head: Sequence[Row],
    name: str | None,
    label: str | None,
    wanted: Sequence[str] | None = None,
    drop: Wanted = None,
    id: str | None = None,
) -> Layout:
    """The layout, from the first rows and the columns that were asked for; ``id`` names samples if it is there."""
    first, body = head[0][1], [cells for _, cells in head[1:]]
    short = bool(body) and len(body[0]) == len(first) + 1  # R leaves out the header of row names
    top = [unprotected(cell.strip()) for cell in (["", *first] if short else first)]
    header = top if short or _asked_for(top, (name, label), wanted) or is_header(first, body) else None
    width = len(top)
    if header is not None:
        table_checks.distinct_names(file, [cell for cell in header if cell])
    chosen = {"name": _column(file, "name", name, header, width), "label": _column(file, "label", label, header, width)}
    dropped = tuple(places(file, "drop", drop, header, width))
    if chosen["name"] is None and id is not None:
        chosen["name"] = _if_there(id, header, width)
    free = chosen["label"] != 0 and 0 not in dropped
    if chosen["name"] is None and free and _has_names(header, body if header is not None else [first]):
        chosen["name"] = 0
    wanted_names = None if wanted is None else frozenset(wanted)
    layout = Layout(width, header, chosen["name"], chosen["label"], wanted_names, dropped)
    if not layout.columns and layout.wanted:
        raise refusal(file, "has none of the model's columns", f"they are {', '.join(sorted(layout.wanted)[:5])}, …")
    if not layout.columns:
        raise refusal(file, "has no column of numbers", Sentence("say with {kind}='documents' that it holds documents"))
    return layout


def _asked_for(first: list[str], chosen: Sequence[str | None], wanted: Sequence[str] | None) -> bool:
    """Whether the first row holds the names of columns that were asked for: then it can be nothing but a header."""
    named = {cell for cell in chosen if cell is not None and is_text(cell)} & set(first)
    return bool(named) or (bool(wanted) and set(wanted or ()) <= set(first))


def _has_names(header: list[str] | None, body: list[list[str]]) -> bool:
    if header is not None and header[0] in ("", "name"):
        return True
    return any(is_text(cells[0]) for cells in body if cells)


def _if_there(wanted: str, header: list[str] | None, width: int) -> int | None:
    """Where a column is that need not be there."""
    if header is not None:
        return header.index(wanted) if wanted in header else None
    return int(wanted) - 1 if wanted.isascii() and wanted.isdecimal() and 1 <= int(wanted) <= width else None


def _column(file: Path, option: str, wanted: str | None, header: list[str] | None, width: int) -> int | None:
    if wanted is None:
        return None
    if header is not None and wanted in header:
        return header.index(wanted)
    if header is None and wanted.isascii() and wanted.isdigit() and 1 <= int(wanted) <= width:
        return int(wanted) - 1
    if header is None:
        found = Sentence("has no header and {}={!r}", Parameter(option), wanted)
        raise refusal(file, found, f"give a column from 1 to {width}")
    names = ", ".join(header[:10]) + (", …" if width > 10 else "")
    found = Sentence("has no column for {}={!r}, but {}", Parameter(option), wanted, names)
    raise refusal(file, found, "choose one of them")
