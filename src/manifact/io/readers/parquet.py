"""Parquet files, through pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import optional_module, refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import record_documents, table_checks
from manifact.io.readers.chosen_columns import Wanted, places
from manifact.io.readers.column_problems import ColumnProblems
from manifact.io.readers.id_columns import called_like_an_id
from manifact.io.readers.table_assembly import RawTable, Wishes, assembled
from manifact.io.unpacked_size import check_unpacked
from manifact.utils.errors import Sentence


def read(
    file: Path,
    source: str,
    name: str | None = None,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    image_shape: tuple[int, ...] | None = None,
    drop: Wanted = None,
    keep: Wanted = None,
    missing: str | None = None,
    id: str | None = None,
) -> Samples:
    """The table in a Parquet file: its columns of numbers, and those that ``name`` and ``label`` choose.

    An index that pandas stored, or a first column of text, holds the samples' names where ``name`` is not given.
    """
    opened = _opened(file)
    header = _header(file, opened)
    index = _index(opened, header)
    dropped = places(file, "drop", drop, header, len(header))
    kept = frozenset(places(file, "keep", keep, header, len(header)))
    for option, field in (("name", name), ("label", label)):
        if field is not None and field not in header:
            raise record_documents.no_field(file, option, field, header)
    if name is None:
        name = index[0] if len(index) == 1 else None
        if name is None and id in header:
            name = id
        first = header[0] if header and header[0] != label and 0 not in dropped and not index else None
        if name is None and first is not None and _is_text(opened.schema_arrow.field(0)):
            name = first
    without = {name, label, *index, *(header[place] for place in dropped)}
    free = [column for column in header if column not in without]
    features = free if columns is None else [column for column in free if column in set(columns)]
    if not features and columns:
        raise refusal(file, "has none of the model's columns", f"they are {', '.join(columns[:5])}, …")
    if not features:
        raise refusal(file, "has no column of numbers", Sentence("say with {text}=… which column holds documents"))
    n, place = opened.metadata.num_rows, {column: number for number, column in enumerate(header)}
    check_unpacked(file, 16 * n * len(features))
    table = RawTable(
        *_numbers(file, opened, features),
        header=features,
        places=[place[column] for column in features],
        names=None if name is None else _text(file, opened, name),
        labels=None if label is None else _classes(file, opened, label),
    )
    ignored = [column for column in free if column not in set(features)]
    wishes = Wishes(missing, kept, dropped, ids=columns is None, ignored=ignored)
    return assembled(file, source, table, wishes, image_shape)


def columns_of_numbers(file: Path) -> int:
    """How many columns hold numbers."""
    return sum(_is_number(field) for field in _opened(file).schema_arrow)


def read_documents(
    file: Path, source: str, text: str | None = None, name: str | None = None, label: str | None = None
) -> Samples:
    """A document in each row, in the column ``text``."""
    opened = _opened(file)
    header = _header(file, opened)
    text, columns = text or record_documents.TEXT, {}
    for option, field in (("text", text), ("name", name), ("label", label)):
        if field is not None:
            if field not in header:
                raise record_documents.no_field(file, option, field, header)
            columns[option] = _text(file, opened, field)
    if not columns["text"]:
        raise refusal(file, "has no documents", "write a row for each")
    fields = [opened.schema_arrow.field(column) for column in header if name is None and column not in (text, label)]
    others = {field.name: _text(file, opened, field.name) for field in fields if _may_be_id(field)}
    return record_documents.samples(source, columns, others)


def _opened(file: Path, texts: Sequence[str] = ()) -> Any:
    """The open file; of the columns ``texts`` each text is read once, however many rows have it."""
    if file.stat().st_size == 0:
        raise refusal(file, "is empty", "write it again")
    parquet = optional_module("pyarrow.parquet", "pyarrow", str(file))
    return parquet.ParquetFile(file, read_dictionary=list(texts))


def _header(file: Path, opened: Any) -> list[str]:
    return table_checks.distinct_names(file, opened.schema_arrow.names)


def _index(opened: Any, header: list[str]) -> list[str]:
    """The columns that pandas stored its index in; a range of numbers has none."""
    stored = (opened.schema_arrow.pandas_metadata or {}).get("index_columns", [])
    return [column for column in stored if isinstance(column, str) and column in header]


def _numbers(
    file: Path, opened: Any, columns: list[str]
) -> tuple[Array, dict[int, ColumnProblems], dict[int, list[str]]]:
    """The numbers, NaN where there is none; what is wrong with which column; the cells of texts that may be ids.

    Columns of other types, which may be large, are not read: that they are there is told.
    """
    n, schema = opened.metadata.num_rows, opened.schema_arrow
    described = {column: schema.field(column) for column in columns}
    table = _read(file, opened, [column for column in columns if _is_number(described[column])])
    values: list[Array] = []
    problems: dict[int, ColumnProblems] = {}
    texts: dict[int, list[str]] = {}
    for number, column in enumerate(columns):
        if _is_number(described[column]):
            value, found = _values(table.column(column), described[column])
        else:
            value, found = np.broadcast_to(np.nan, (n,)), ColumnProblems()
            found.add("type", "every row", str(described[column].type), n)
            cells: list[Any] = _cells(file, column) if _is_text(described[column]) else [None]
            if None not in cells:
                texts[number] = cells
        if found is not None:
            problems[number] = found
        values.append(value)
    X = np.empty((n, len(columns)), dtype=np.result_type(*values))
    for number, value in enumerate(values):
        X[:, number] = value
    return X, problems, texts


def _read(file: Path, opened: Any, columns: list[str]) -> Any:
    """Columns, one after the other: how much each unpacks to is known when it has, and not before."""
    wanted = set(columns)
    groups = (opened.metadata.row_group(number) for number in range(opened.metadata.num_row_groups))
    chunks = (group.column(number) for group in groups for number in range(group.num_columns))
    check_unpacked(file, sum(c.total_uncompressed_size for c in chunks if c.path_in_schema.split(".")[0] in wanted))
    table = opened.read(columns=columns, use_threads=False)
    table.validate(full=True)
    if table.num_rows != opened.metadata.num_rows:
        raise ValueError(f"there are {table.num_rows} rows where {opened.metadata.num_rows} should be")
    return table


def _cells(file: Path, column: str) -> list[Any]:
    """The texts of a column, None for those that are missing; rows with the same text share it."""
    opened = _opened(file, [column])
    check_unpacked(file, 16 * opened.metadata.num_rows)
    cells: list[Any] = []
    for chunk in _read(file, opened, [column]).column(0).chunks:
        known = [*map(str, chunk.dictionary.to_pylist()), None]
        cells += [known[-1 if index is None else index] for index in chunk.indices.to_pylist()]
    return cells


def _values(cells: Any, described: Any) -> tuple[Array, ColumnProblems | None]:
    """The numbers of a column, and what is wrong with it."""
    problems = ColumnProblems()
    if not _is_number(described):
        problems.add("type", "every row", str(described.type), len(cells))
        return np.full(len(cells), np.nan), problems
    absent = cells.is_null().to_numpy()
    value = cells.to_numpy()
    if absent.any():
        value = np.array([np.nan if cell is None else cell for cell in cells.to_pylist()], dtype=np.float64)
        _count(problems, "missing", absent)
    if value.dtype.kind == "f":
        _count(problems, "missing", np.isnan(value) & ~absent, "nan")
        _count(problems, "infinite", np.isinf(value), "inf")
        value = np.where(np.isinf(value), np.nan, value) if np.isinf(value).any() else value
    return value, problems if problems.found else None


def _count(problems: ColumnProblems, kind: str, where: Array, cell: str = "") -> None:
    if where.any():
        problems.add(kind, f"row {int(np.argmax(where)) + 1}", cell, int(where.sum()))


def _text(file: Path, opened: Any, column: str) -> list[str]:
    if not (_is_text(opened.schema_arrow.field(column)) or _is_number(opened.schema_arrow.field(column))):
        found = f"has {opened.schema_arrow.field(column).type} in column {column!r}"
        raise refusal(file, found, "choose a column of text")
    if _is_text(opened.schema_arrow.field(column)):
        return ["" if cell is None else cell for cell in _cells(file, column)]
    check_unpacked(file, 64 * opened.metadata.num_rows)
    return ["" if cell is None else str(cell) for cell in _read(file, opened, [column]).column(0).to_pylist()]


def _classes(file: Path, opened: Any, column: str) -> Array:
    return table_checks.labels_from_text(file, _text(file, opened, column))


def _may_be_id(field: Any) -> bool:
    import pyarrow.types as types

    return types.is_integer(field.type) or (_is_text(field) and called_like_an_id(field.name))


def _is_number(field: Any) -> bool:
    import pyarrow.types as types

    return types.is_integer(field.type) or types.is_floating(field.type) or types.is_boolean(field.type)


def _is_text(field: Any) -> bool:
    import pyarrow.types as types

    value = field.type.value_type if types.is_dictionary(field.type) else field.type
    # Views are of PyArrow 16 and later.
    viewed = getattr(types, "is_string_view", lambda value: False)
    return types.is_string(value) or types.is_large_string(value) or viewed(value)
