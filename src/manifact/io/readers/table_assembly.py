"""From the columns that a reader found to samples: ids and missing values settled, everything wrong said at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.io.raw_samples import LeftOut, Samples
from manifact.io.readers import column_problems, id_columns, table_checks
from manifact.io.readers.column_problems import ColumnProblems
from manifact.io.unpacked_size import TIMES_TEXT, check_unpacked
from manifact.utils.equal_rows import first_equal_rows
from manifact.utils.errors import Sentence

#: Columns that a note lists.
LISTED = 5
#: Bytes of a row while equal ones are looked for, beside its numbers.
ROW = 60


@dataclass
class RawTable:
    """The columns of numbers in a file, NaN where a cell is none, and what is known of them."""

    X: Array
    problems: dict[int, ColumnProblems]
    #: Cells of columns of text that may be ids.
    texts: dict[int, list[str]]
    #: Headers, or None; and the number of each column in the file, from 0.
    header: list[str] | None
    places: list[int]
    names: list[str] | None
    labels: Array | None
    #: What a reader has to say of its cells.
    notes: list[Sentence] = field(default_factory=list)

    def name(self, column: int) -> str:
        """The header of a column, or nothing."""
        return "" if self.header is None else self.header[column]

    def called(self, column: int) -> str:
        """A column as a person finds it."""
        return f"column {self.name(column)!r}" if self.name(column) else f"column {self.places[column] + 1}"

    def key(self, column: int) -> str:
        """What chooses a column in an option."""
        return self.name(column) or str(self.places[column] + 1)


@dataclass(frozen=True)
class Wishes:
    """What was asked for beside the file."""

    missing: str | None = None
    #: Numbers of columns, from 0, that stay whatever they look like, and that were left out.
    kept: Collection[int] = ()
    dropped: Sequence[int] = ()
    #: Whether columns that look like ids are looked for: not where a model says which columns it wants.
    ids: bool = True
    #: The mark of decimals, if one was asked for; columns that a model does not know.
    decimal: str | None = None
    ignored: Sequence[str] = ()


def assembled(
    file: Path, source: str, table: RawTable, wishes: Wishes, image_shape: tuple[int, ...] | None = None
) -> Samples:
    """The samples, or one sentence with everything that is wrong with the columns."""
    ids = _ids(file, table, wishes) if wishes.ids else []
    names = table.names
    if ids and names is None:
        names = _as_names(table, ids[0])
    left_out = set(ids)
    features = [column for column in range(table.X.shape[1]) if column not in left_out]
    _refuse_problems(file, table, features, wishes.missing)
    if not features:
        raise refusal(file, "has no column but ids", Sentence("keep one with {keep}={!r}", table.key(ids[0])))
    X, names, labels, rows, row_names, told = _without_missing(file, table, features, names, wishes.missing)
    notes = [*table.notes, *_notes_of_ids(table, ids, features, wishes), *told]
    id_column = table.key(ids[0]) if ids and table.names is None else None
    left = sorted({*wishes.dropped, *(table.places[column] for column in ids)})
    return Samples(
        "table",
        source,
        table_checks.checked_table(file, X, missing=wishes.missing == "mean"),
        names=names,
        feature_names=None if table.header is None else [table.header[column] for column in features],
        image_shape=image_shape,
        labels=labels,
        left_out=LeftOut(
            rows=rows,
            row_names=row_names,
            columns=tuple(place + 1 for place in left),
            places=() if table.header is not None else tuple(table.places[column] + 1 for column in features),
            id_column=id_column,
            missing=wishes.missing,
            decimal=wishes.decimal,
            ignored=tuple(wishes.ignored),
            notes=tuple(notes),
        ),
    )


def _ids(file: Path, table: RawTable, wishes: Wishes) -> list[int]:
    """The columns that look like ids and were not asked for; a table of one column has none."""
    n, m = table.X.shape
    free = [column for column in range(m) if table.places[column] not in wishes.kept and m > 1]
    free = [column for column in free if _may_be_ids(table, column)]
    if not free:
        return []
    check_unpacked(file, (table.X.nbytes + ROW * n) // TIMES_TEXT, "use fewer rows")
    rows = _distinct_rows(table)
    found = []
    for column in free:
        if column in table.problems:
            cells = table.texts.get(column, ())
            once = [cells[row] for row in rows] if len(cells) == n else []
            if len(once) > 1 and id_columns.of_text(once, table.name(column)):
                found.append(column)
        elif id_columns.of_numbers(table.X[rows, column], table.name(column)):
            found.append(column)
    return found if len(found) < m else []


def _may_be_ids(table: RawTable, column: int) -> bool:
    """Whether it is worth a look at all rows; equal ones are not known yet."""
    if column in table.problems:
        return len(table.texts.get(column, ())) == len(table.X)
    return id_columns.may_be_of_numbers(table.X[:, column], table.name(column))


def _distinct_rows(table: RawTable) -> Array:
    """Rows that equal none before them: a sample that is there twice has its id twice."""
    n = len(table.X)
    codes = [_numbered(cells) for cells in table.texts.values() if len(cells) == n]
    first = first_equal_rows(np.column_stack([table.X, *codes]) if codes else table.X)
    return np.flatnonzero(first == np.arange(n))


def _numbered(cells: Sequence[str]) -> list[int]:
    """A number for each text, the same for equal ones; an array of texts would have room for the longest everywhere."""
    numbers: dict[str, int] = {}
    return [numbers.setdefault(cell, len(numbers)) for cell in cells]


def _as_names(table: RawTable, column: int) -> list[str]:
    if column in table.texts:
        return list(table.texts[column])
    return [str(int(value)) for value in table.X[:, column]]


def _notes_of_ids(table: RawTable, ids: list[int], features: list[int], wishes: Wishes) -> list[Sentence]:
    told = [_note_of_ids(table, ids, table.names is None)] if ids else []
    if not wishes.ids:
        return told
    called = [i for i in features if id_columns.called_like_an_id(table.name(i)) and table.places[i] not in wishes.kept]
    if called:
        listed = ", ".join(repr(table.name(i)) for i in called[:LISTED]) + (", …" if len(called) > LISTED else "")
        what = f"column {listed} is" if len(called) == 1 else f"columns {listed} are"
        values = "its values" if len(called) == 1 else "their values"
        told.append(
            Sentence(
                f"{{}} called like an id and still a feature, as {values} repeat, are missing or are no whole numbers "
                "({drop}={!r} leaves it out)",
                what,
                table.key(called[0]),
            )
        )
    return told


def _note_of_ids(table: RawTable, ids: list[int], named: bool) -> Sentence:
    listed = ", ".join(repr(table.name(i)) if table.name(i) else str(table.places[i] + 1) for i in ids[:LISTED])
    more = ", …" if len(ids) > LISTED else ""
    if len(ids) == 1:
        what, as_names = f"column {listed} looks like an id and is no feature", " but names the samples"
    else:
        what, as_names = (
            f"columns {listed}{more} look like ids and are no features",
            ", and the first names the samples",
        )
    return Sentence("{}{} ({keep}={!r} makes it one)", what, as_names if named else "", table.key(ids[0]))


def _refuse_problems(file: Path, table: RawTable, features: list[int], missing: str | None) -> None:
    n = len(table.X)
    wrong = {
        column: table.problems[column]
        for column in features
        if column in table.problems
        and (missing is None or not table.problems[column].only_absent or table.problems[column].absent == n)
    }
    if wrong:
        called, keys = zip(*((table.called(i), table.key(i)) for i in range(table.X.shape[1])), strict=True)
        raise column_problems.refused(file, wrong, called, keys, n)


def _without_missing(
    file: Path, table: RawTable, features: list[int], names: list[str] | None, missing: str | None
) -> tuple[Array, list[str] | None, Array | None, tuple[int, ...], tuple[str, ...], list[Sentence]]:
    """X, names and labels of the rows that stay, and those that do not; what happened, in words."""
    X = table.X if len(features) == table.X.shape[1] else table.X[:, features]
    touched = [column for column in features if column in table.problems]
    if not touched:
        return X, names, table.labels, (), (), []
    absent = np.isnan(X)
    cells, bad = int(absent.sum()), absent.any(axis=1)
    which = ", ".join(repr(table.name(i)) if table.name(i) else str(table.places[i] + 1) for i in touched[:LISTED])
    where = f"{'columns' if len(touched) > 1 else 'column'} {which}{', …' if len(touched) > LISTED else ''}"
    many = f"{cells:,} missing {'value' if cells == 1 else 'values'} in {where}"
    if missing == "mean":
        return X, names, table.labels, (), (), [Sentence("{} {} the mean of the column", many, _become(cells))]
    if bad.all():
        worst = max(touched, key=lambda column: table.problems[column].absent)
        raise refusal(
            file,
            Sentence("has no row without a missing value ({})", many),
            Sentence("use {missing}='mean', or leave columns out, such as {drop}={!r}", table.key(worst)),
        )
    kept = np.flatnonzero(~bad)
    numbered = [str(number) for number in range(len(X))] if names is None else names
    rows = np.flatnonzero(bad)
    told = Sentence("{} of {} rows are left out for {}: they are in no cluster", f"{len(rows):,}", f"{len(X):,}", many)
    labels = None if table.labels is None else table.labels[kept]
    left = tuple(rows.tolist())
    return X[kept], [numbered[i] for i in kept], labels, left, tuple(numbered[i] for i in left), [told]


def _become(cells: int) -> str:
    return "becomes" if cells == 1 else "become"
