"""What is wrong with the columns of a table, all of it in one sentence with the options that would mend it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from manifact.io.file_errors import refusal
from manifact.io.readers.delimited_cells import has_decimal_comma, has_point, is_date, is_missing, may_be_thousands
from manifact.utils.errors import Sentence

#: Columns that a refusal describes, characters that it shows of a cell, and columns that an option of its names.
LISTED, SHOWN, DROPPED = 8, 40, 200
#: A problem that more columns than this have is said once; commas and points are of the file, and always are.
ONE_BY_ONE = 3
#: What fills in or leaves out; the others need another column, or an editor.
ABSENT = ("missing", "infinite")
#: What has to do with how the file writes numbers.
OF_FILES = ("comma", "thousands", "point")
#: Columns that are named where many have the same problem.
NAMED = 3
IN_WORDS = {
    "missing": "missing values",
    "infinite": "infinite values",
    "comma": "decimal commas",
    "thousands": "commas that may separate thousands or decimals",
    "point": "points that may separate thousands",
    "date": "dates",
    "truth": "truth values",
    "text": "text",
}
_INFINITE = frozenset(("inf", "-inf", "+inf", "infinity", "-infinity", "+infinity"))


@dataclass
class Problem:
    """One way in which cells of a column are no numbers."""

    cells: int
    #: Where the first of them is ("line 3"), and what it holds.
    place: str
    cell: str = ""


@dataclass
class ColumnProblems:
    """Everything that is wrong with one column, by kind: as `kind_of` says, or "type" where a column has one."""

    found: dict[str, Problem] = field(default_factory=dict)

    def add(self, kind: str, place: str, cell: str = "", cells: int = 1) -> None:
        """Count a cell, or several of which this is the first."""
        if kind in self.found:
            self.found[kind].cells += cells
        else:
            self.found[kind] = Problem(cells, place, cell.strip())

    @property
    def only_absent(self) -> bool:
        """Whether nothing is wrong but that values are missing or infinite."""
        return all(kind in ABSENT for kind in self.found)

    @property
    def absent(self) -> int:
        """Cells without a finite value."""
        return sum(self.found[kind].cells for kind in ABSENT if kind in self.found)


def kind_of(cell: str, decimal: str = ".") -> str:
    """Why a cell is no finite number, where decimals follow this mark.

    >>> [kind_of(cell) for cell in ("", "NA", "-inf", "1,5", "1,065", "2026-11-16", "True", "Barolo")]
    ['missing', 'missing', 'infinite', 'comma', 'thousands', 'date', 'truth', 'text']
    >>> kind_of("1.5", decimal=","), kind_of("1.065,5")
    ('point', 'point')
    """
    bare = cell.strip()
    if bare.lower() in _INFINITE:
        return "infinite"
    if is_missing(cell):
        return "missing"
    if has_point(cell):
        return "point"
    if decimal == "." and may_be_thousands(cell):
        return "thousands"
    if has_decimal_comma(cell):
        return "comma"
    if is_date(cell):
        return "date"
    return "truth" if bare.lower() in ("true", "false") else "text"


def refused(
    file: Path, problems: Mapping[int, ColumnProblems], called: Sequence[str], keys: Sequence[str], n: int
) -> ValueError:
    """The error for all of them; ``called`` says which column it is, ``keys`` what chooses it in an option."""
    problems = {column: _settled(one) for column, one in problems.items()}
    by_kind: dict[str, list[int]] = {}
    for column, one in sorted(problems.items()):
        for kind in one.found:
            by_kind.setdefault(kind, []).append(column)
    told: list[str] = []
    for kind, columns in by_kind.items():
        if kind != "type" and len(columns) > (1 if kind in OF_FILES else ONE_BY_ONE):
            told.append(_told_together(kind, [problems[column].found[kind] for column in columns], columns, keys))
    for column, one in sorted(problems.items()):
        for kind, found in one.found.items():
            if kind == "type" or len(by_kind[kind]) <= (1 if kind in OF_FILES else ONE_BY_ONE):
                told.append(_told(kind, found, called[column]) + ("" if kind == "type" else _others(found)))
    listed = told[:LISTED]
    if len(told) > LISTED:
        listed.append(f"and more, in {len(problems)} columns together")
    return refusal(file, Sentence("has {}", "; ".join(listed)), _remedy(problems, keys, n))


def _settled(one: ColumnProblems) -> ColumnProblems:
    """A column with sure decimals has no thousands."""
    if not {"comma", "thousands"} <= one.found.keys():
        return one
    found = dict(one.found)
    thousands = found.pop("thousands")
    found["comma"] = Problem(found["comma"].cells + thousands.cells, found["comma"].place, found["comma"].cell)
    return ColumnProblems(found)


def _told_together(kind: str, found: Sequence[Problem], columns: Sequence[int], keys: Sequence[str]) -> str:
    """One problem that many columns have."""
    listed = ", ".join(keys[column] for column in columns[:NAMED]) + (", …" if len(columns) > NAMED else "")
    first = found[0]
    such = f", such as {_shown(first)!r} in {first.place}" if first.cell else f", the first in {first.place}"
    return f"{IN_WORDS[kind]} in {len(columns)} columns ({listed}){such}"


def _told(kind: str, found: Problem, called: str) -> str:
    at = f"in {found.place}, {called}"
    cell = _shown(found)
    if kind == "type":
        return f"{found.cell} in {called}"
    if kind == "comma":
        return f"{cell!r} {at}, with a decimal comma"
    if kind == "thousands":
        return f"{cell!r} {at}, whose comma may separate thousands or decimals"
    if kind == "point":
        return f"{cell!r} {at}, whose point may separate thousands"
    if kind in ABSENT:
        article = "an" if kind == "infinite" else "a"
        return f"{article} {kind} value {f'({cell}) ' if cell else ''}{at}"
    what = {"date": "the date ", "truth": "a truth value ", "text": "text "}[kind]
    return f"{what}{repr(cell) + ' ' if cell else ''}{at}"


def _shown(found: Problem) -> str:
    return found.cell if len(found.cell) <= SHOWN else f"{found.cell[:SHOWN]}…"


def _others(found: Problem) -> str:
    return f", and {found.cells - 1:,} more" if found.cells > 1 else ""


def _remedy(problems: Mapping[int, ColumnProblems], keys: Sequence[str], n: int) -> Sentence:
    """The options that mend everything at once."""
    bad = {column for column, one in problems.items() if _hopeless(one, n)}
    absent = [column for column in problems if column not in bad and problems[column].absent]
    kinds = {kind for one in problems.values() for kind in one.found}
    told: list[Sentence] = []
    if "comma" in kinds:
        told.append(Sentence("say so with {decimal}=',', or write numbers with a point"))
    elif "thousands" in kinds:
        told.append(Sentence("write thousands without commas, or say with {decimal}=',' that these are decimals"))
    if "point" in kinds:
        pointed = [one.found["point"].cell for one in problems.values() if "point" in one.found]
        decimals = not any("," in cell for cell in pointed)
        otherwise = Sentence(", or say with {decimal}='.' that points precede decimals") if decimals else ""
        told.append(Sentence("write thousands without points{}", otherwise))
    if bad:
        told.append(_without(problems, sorted(bad), keys, bool(absent)))
    elif absent:
        cells = sum(problems[column].absent for column in absent)
        them = "it" if cells == 1 else "them"
        told.append(
            Sentence(
                f"fill {them} in, or use {{missing}}='mean' for the mean of the column or {{missing}}='drop' to leave "
                f"out the row{'' if cells == 1 else 's'}"
            )
        )
    return Sentence("; ".join(["{}"] * len(told)), *told)


def _hopeless(one: ColumnProblems, n: int) -> bool:
    """Whether a column is better left out than mended."""
    return any(kind in one.found for kind in ("text", "date", "truth", "type")) or one.absent == n


def _without(problems: Mapping[int, ColumnProblems], bad: Sequence[int], keys: Sequence[str], absent: bool) -> Sentence:
    #: Commas separate columns in the option: a name that has one is given by its number.
    names = [keys[column] if "," not in keys[column] else str(column + 1) for column in bad]
    dropped = ",".join(names if len(names) <= DROPPED else [*names[:DROPPED], "…"])
    if absent:
        return Sentence("leave out and fill in with {drop}={!r} {missing}={!r}", dropped, "mean")
    if len(bad) > 1:
        return Sentence("leave them out with {drop}={!r}", dropped)
    key = keys[bad[0]]
    return Sentence("leave it out with {drop}={!r}, or use it with {label}={!r} or {name}={!r}", dropped, key, key)
