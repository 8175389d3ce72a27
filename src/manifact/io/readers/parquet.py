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
from manifact.utils import memory
from manifact.utils.errors import Sentence


def read(
    file: Path,
    source: str,
    name: str | None = None,
    label: str | None = None,
    columns: Sequence[str] | None = None,
    image_shape: tuple[int, ...] | None = None,
) -> Samples:
    """The table in a Parquet file: its columns of numbers, and those that ``name`` and ``label`` choose.

    An index that pandas stored, or a first column of text, holds the samples' names where ``name`` is not given.
    """
    opened = _opened(file)
    header = _header(file, opened)
    index = _index(opened, header)
    for option, field in (("name", name), ("label", label)):
        if field is not None and field not in header:
            raise record_documents.no_field(file, option, field, header)
    if name is None:
        name = index[0] if len(index) == 1 else None
        if name is None and not index and header and header[0] != label and _is_text(opened.schema_arrow.field(0)):
            name = header[0]
    free = [column for column in header if column not in (name, label, *index)]
    features = free if columns is None else [column for column in free if column in set(columns)]
    for column in features:
        if not _is_number(opened.schema_arrow.field(column)):
            found = f"has {opened.schema_arrow.field(column).type} in column {column!r}"
            raise refusal(file, found, Sentence("drop it, or use it with {label}={!r} or {name}={!r}", column, column))
    if not features and columns:
        raise refusal(file, "has none of the model's columns", f"they are {', '.join(columns[:5])}, …")
    if not features:
        raise refusal(file, "has no column of numbers", Sentence("say with {text}=… which column holds documents"))
    n = opened.metadata.num_rows
    memory.require(16 * n * len(features), source, "use fewer rows or columns")
    X = _numbers(file, opened.read(columns=features), features)
    return Samples(
        "table",
        source,
        table_checks.checked_table(file, X),
        names=None if name is None else _text(file, opened, name),
        feature_names=features,
        image_shape=image_shape,
        labels=None if label is None else _classes(file, opened, label),
    )


def read_documents(
    file: Path, source: str, text: str | None = None, name: str | None = None, label: str | None = None
) -> Samples:
    """A document in each row, in the column ``text``."""
    opened = _opened(file)
    header = _header(file, opened)
    columns = {}
    for option, field in (("text", text or record_documents.TEXT), ("name", name), ("label", label)):
        if field is not None:
            if field not in header:
                raise record_documents.no_field(file, option, field, header)
            columns[option] = _text(file, opened, field)
    if not columns["text"]:
        raise refusal(file, "has no documents", "write a row for each")
    return record_documents.samples(source, columns)


def _opened(file: Path) -> Any:
    if file.stat().st_size == 0:
        raise refusal(file, "is empty", "write it again")
    parquet = optional_module("pyarrow.parquet", "pyarrow", str(file))
    return parquet.ParquetFile(file)


def _header(file: Path, opened: Any) -> list[str]:
    return table_checks.distinct_names(file, opened.schema_arrow.names)


def _index(opened: Any, header: list[str]) -> list[str]:
    """The columns that pandas stored its index in; a range of numbers has none."""
    stored = (opened.schema_arrow.pandas_metadata or {}).get("index_columns", [])
    return [column for column in stored if isinstance(column, str) and column in header]


def _numbers(file: Path, table: Any, columns: list[str]) -> Array:
    table.validate(full=True)
    values = []
    for column in columns:
        cells = table.column(column)
        if cells.null_count:
            row = int(np.argmax(cells.is_null().to_numpy())) + 1
            found = f"has a missing value in row {row}, column {column!r}"
            raise refusal(file, found, "fill it in, or drop the row or the column")
        values.append(cells.to_numpy())
    X = np.empty((table.num_rows, len(columns)), dtype=np.result_type(*values))
    for number, value in enumerate(values):
        X[:, number] = value
    return X


def _text(file: Path, opened: Any, column: str) -> list[str]:
    if not (_is_text(opened.schema_arrow.field(column)) or _is_number(opened.schema_arrow.field(column))):
        found = f"has {opened.schema_arrow.field(column).type} in column {column!r}"
        raise refusal(file, found, "choose a column of text")
    return ["" if cell is None else str(cell) for cell in opened.read(columns=[column]).column(0).to_pylist()]


def _classes(file: Path, opened: Any, column: str) -> Array:
    return table_checks.labels_from_text(_text(file, opened, column))


def _is_number(field: Any) -> bool:
    import pyarrow.types as types

    return types.is_integer(field.type) or types.is_floating(field.type) or types.is_boolean(field.type)


def _is_text(field: Any) -> bool:
    import pyarrow.types as types

    value = field.type.value_type if types.is_dictionary(field.type) else field.type
    return types.is_string(value) or types.is_large_string(value) or types.is_string_view(value)
