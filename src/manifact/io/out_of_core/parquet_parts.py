"""Parquet files, one or a folder of them: a column for each feature, or a row, a column and a value for each entry."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import guarded, refusal
from manifact.io.out_of_core.npz_parts import files_in_order
from manifact.io.out_of_core.parquet_entries import entries_source, entry_columns
from manifact.io.out_of_core.parquet_scan import WHAT, ColumnScan, scanned, tables
from manifact.io.out_of_core.row_sources import RowSource, checked_block
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.raw_samples import LeftOut
from manifact.io.readers import column_problems, parquet, record_documents, table_assembly, table_checks
from manifact.io.readers.chosen_columns import Wanted, places
from manifact.io.readers.table_assembly import RawTable, Wishes
from manifact.utils.errors import Sentence


def source(
    path: Path,
    source: str,
    space: Workspace,
    name: str | None = None,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    image_shape: tuple[int, ...] | None = None,
    drop: Wanted = None,
    keep: Wanted = None,
    missing: str | None = None,
    id: str | None = None,
) -> RowSource:
    """The table in a parquet file or in all of a folder, settled as the reader of one file settles it."""
    files = parts(path)
    entries = _entries(files) if path.is_dir() else None
    if entries is not None:
        asked = {"name": name, "label": label, "drop": drop, "keep": keep, "missing": missing}
        given = next((option for option, value in asked.items() if value is not None), None)
        if given is not None:
            raise refusal(path, f"holds entries of a matrix, for which {given}=… has no meaning", "leave it out")
        return entries_source(path, source, space, files, entries, image_shape)
    header = _header(files)
    layout = _layout(files[0], header, name, label, columns, drop, keep, id)
    return _table(path, source, space, files, layout, label, missing, image_shape)


def parts(path: Path) -> list[Path]:
    """The file, or the files of a folder in the order of their names."""
    return files_in_order(path, ".parquet") if path.is_dir() else [path]


def _entries(files: Sequence[Path]) -> list[str] | None:
    """The columns with rows, columns and values, the same in all files, if these list entries of a matrix."""
    first: list[str] | None = None
    for file in files:
        header, index = _columns(file)
        found = entry_columns(header, index)
        if file == files[0]:
            first = found
            if first is None:
                return None
        elif found != first:
            raise _others(file, files[0])
    return first


def _header(files: Sequence[Path]) -> list[str]:
    """The names of the columns, the same in all files."""
    first, _ = _columns(files[0])
    for file in files[1:]:
        if _columns(file)[0] != first:
            raise _others(file, files[0])
    return first


def _columns(file: Path) -> tuple[list[str], list[str]]:
    """The names of all columns, and those in which pandas stored its index."""
    with guarded(file, WHAT):
        opened = parquet._opened(file)
        header = parquet._header(file, opened)
        return header, parquet._index(opened, header)


def _others(file: Path, first: Path) -> ValueError:
    return refusal(file, f"has other columns than {first.name}", "give all files the same columns, in order")


@dataclass(frozen=True)
class _Layout:
    """Which columns are looked at, and what for."""

    header: list[str]
    #: Columns that may be features, and those of them that are asked for.
    free: list[str]
    features: list[str]
    #: The column of the samples' names, if one is known beforehand.
    name: str | None
    dropped: list[int]
    kept: frozenset[int]
    #: Whether ids are looked for: not where a model says which columns it wants.
    looks_for_ids: bool


def _layout(
    file: Path,
    header: list[str],
    name: str | None,
    label: str | None,
    columns: Sequence[str] | None,
    drop: Wanted,
    keep: Wanted,
    id: str | None,
) -> _Layout:
    opened = parquet._opened(file)
    index = parquet._index(opened, header)
    dropped = places(file, "drop", drop, header, len(header))
    kept = frozenset(places(file, "keep", keep, header, len(header)))
    for option, column in (("name", name), ("label", label)):
        if column is not None and column not in header:
            raise record_documents.no_field(file, option, column, header)
    if name is None:
        name = index[0] if len(index) == 1 else id if id in header else None
        first = header[0] if header[0] != label and 0 not in dropped and not index else None
        if name is None and first is not None and parquet._is_text(opened.schema_arrow.field(0)):
            name = first
    without = {name, label, *index, *(header[place] for place in dropped)}
    free = [column for column in header if column not in without]
    features = free if columns is None else [column for column in free if column in set(columns)]
    if not features and columns:
        raise refusal(file, "has none of the model's columns", f"they are {', '.join(columns[:5])}, …")
    if not features:
        raise refusal(file, "has no column of numbers", "name a file with numbers")
    return _Layout(header, free, features, name, dropped, kept, columns is None)


def _table(
    path: Path,
    source: str,
    space: Workspace,
    files: list[Path],
    layout: _Layout,
    label: str | None,
    missing: str | None,
    image_shape: tuple[int, ...] | None,
) -> RowSource:
    """The table, after a look at all of its cells."""
    n = sum(parquet._opened(file).metadata.num_rows for file in files)
    scans, lacking = scanned(files, layout.features, space)
    ids = _ids(scans, layout, n)
    chosen = [scan for scan in scans if scan not in ids]
    of_all = files[0] if len(files) == 1 else path
    _refuse(of_all, scans, chosen, layout.header, missing, n)
    rows = lacking if missing == "drop" else lacking[:0]
    if len(rows) == n:
        remedy = Sentence("use {missing}='mean', or leave columns out")
        raise refusal(path, "has no row without a missing value", remedy)
    dtype = np.result_type(*(scan.dtype for scan in chosen))
    named = layout.name or (ids[0].name if ids else None)
    names = None if named is None else _texts(files, named)
    labels = None if label is None else table_checks.labels_from_text(of_all, _texts(files, label))
    wanted = [scan.name for scan in chosen]
    return RowSource(
        "table",
        source,
        names=_without(names, rows, n),
        feature_names=wanted,
        image_shape=image_shape,
        labels=None if labels is None else np.delete(labels, rows),
        left_out=_left_out(layout, scans, ids, names, missing, rows, n),
        count=n - len(rows),
        width=len(wanted),
        n_bytes=(n - len(rows)) * len(wanted) * dtype.itemsize,
        read=lambda: _read(files, wanted, space, dtype, missing),
    )


def _ids(scans: list[ColumnScan], layout: _Layout, n: int) -> list[ColumnScan]:
    """Columns that look like ids and were not asked for; a table of one column has none."""
    if not layout.looks_for_ids or len(scans) == 1:
        return []
    found = [scan for scan in scans if layout.header.index(scan.name) not in layout.kept and scan.is_id(n)]
    return found if len(found) < len(scans) else []


def _raw(scans: Sequence[ColumnScan], header: list[str], named: bool) -> RawTable:
    """The columns as the assembly of tables knows them, without their numbers."""
    problems = {number: scan.problems for number, scan in enumerate(scans) if scan.problems.found}
    names: list[str] | None = [] if named else None
    return RawTable(
        np.empty((0, len(scans))),
        problems,
        {},
        [scan.name for scan in scans],
        [header.index(scan.name) for scan in scans],
        names,
        None,
    )


def _refuse(
    file: Path, scans: list[ColumnScan], chosen: list[ColumnScan], header: list[str], missing: str | None, n: int
) -> None:
    """Everything that is wrong with columns, in one sentence."""
    table = _raw(scans, header, False)
    wrong = {
        number: scan.problems
        for number, scan in enumerate(scans)
        if scan in chosen
        and scan.problems.found
        and (missing is None or not scan.problems.only_absent or scan.problems.absent == n)
    }
    if wrong:
        called, keys = zip(*((table.called(i), table.key(i)) for i in range(len(scans))), strict=True)
        raise column_problems.refused(file, wrong, called, keys, n)


def _left_out(
    layout: _Layout,
    scans: list[ColumnScan],
    ids: list[ColumnScan],
    names: list[str] | None,
    missing: str | None,
    rows: Array,
    n: int,
) -> LeftOut:
    """What is not in X, in numbers and words."""
    table = _raw(scans, layout.header, layout.name is not None)
    of_ids = [number for number, scan in enumerate(scans) if scan in ids]
    others = [number for number in range(len(scans)) if number not in of_ids]
    told = table_assembly._notes_of_ids(table, of_ids, others, Wishes(None, layout.kept, ids=layout.looks_for_ids))
    if len(rows):
        many = f"{len(rows):,} of {n:,} rows"
        told.append(Sentence("{} are left out for missing values: they are in no cluster", many))
    left = {*layout.dropped, *(table.places[number] for number in of_ids)}
    return LeftOut(
        rows=tuple(rows.tolist()),
        row_names=tuple(str(row) if names is None else names[row] for row in rows),
        columns=tuple(place + 1 for place in sorted(left)),
        id_column=ids[0].name if ids and layout.name is None else None,
        missing=missing,
        ignored=tuple(column for column in layout.free if column not in set(layout.features)),
        notes=tuple(told),
    )


def _read(
    files: Sequence[Path], columns: list[str], space: Workspace, dtype: Any, missing: str | None
) -> Iterator[Array]:
    for file, first, table in tables(files, columns, space):
        X = np.empty((table.num_rows, len(columns)), dtype=dtype)
        for number, column in enumerate(columns):
            X[:, number] = parquet._values(table.column(column), table.schema.field(column))[0]
        if missing == "drop" and X.dtype.kind == "f":
            X = X[~np.isnan(X).any(axis=1)]
        if len(X):
            yield checked_block(file, X, first, missing=missing is not None)


def _texts(files: Sequence[Path], column: str) -> list[str]:
    return [text for file in files for text in parquet._text(file, parquet._opened(file), column)]


def _without(names: list[str] | None, rows: Array, n: int) -> list[str] | None:
    """The names of the rows that stay; numbers, where rows without names are left out."""
    if not len(rows):
        return names
    left = set(rows.tolist())
    return [str(row) if names is None else names[row] for row in range(n) if row not in left]
