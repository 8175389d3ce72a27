"""Writing results: representations and clusters, as the end of a file's name asks, whole or not at all."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import optional_module
from manifact.io.spreadsheet_cells import protected
from manifact.utils.files import check_place, replacing
from manifact.utils.terminal_text import encodable

#: What a matrix and what a table of columns can be written as.
MATRICES = (".npy", ".npz", ".csv", ".tsv", ".parquet")
TABLES = (*MATRICES, ".jsonl")
#: Rows that are made into text, or into a group of a Parquet file, together: V may be larger than memory, on disk.
ROWS_AT_ONCE = 1 << 16
#: The header of the names, where they are a column beside a matrix.
NAMES = {".csv": "name", ".tsv": "name", ".parquet": "name"}

#: Bytes that texts may take in an array, which has room for the longest in each place.
MOST_TEXT = 1 << 28

Columns = Mapping[str, Any]


def check_output(path: Path | str, suffixes: Sequence[str] = MATRICES) -> Path:
    """The path, if a file of its kind can be written there; otherwise one sentence, before any work is done."""
    file = Path(path)
    if file.suffix.lower() not in suffixes:
        known = ", ".join(suffixes)
        raise ValueError(f"{file} has an ending that we do not write ({file.suffix or 'none'}): choose one of {known}")
    check_place("path", file)
    if file.suffix.lower() == ".parquet":
        optional_module("pyarrow.parquet", "pyarrow", str(file))
    return file


def write_matrix(
    path: Path | str, V: Any, names: Sequence[str] | None = None, columns: Sequence[str] | None = None
) -> None:
    """Write V, a row for each sample.

    A .npy file holds V alone, .npz X with ``names`` and ``feature_names``, the others a header and the names in their
    first column. ``columns`` default to "part0", "part1" and so on. Every value has the digits that bring it back
    exactly, and `manifact.io.read` reads what is written.
    """
    file = check_output(path)
    V = np.asarray(V)
    header = [f"part{number}" for number in range(V.shape[1])] if columns is None else [str(name) for name in columns]
    for what, values, n in (("names", names, V.shape[0]), ("columns", header, V.shape[1])):
        if values is not None and len(values) != n:
            raise ValueError(f"{what} has {len(values)} entries for V of shape {V.shape}: give one for each")
    _check_different(header, None if names is None else NAMES.get(file.suffix.lower()))
    named = {} if names is None else {NAMES.get(file.suffix.lower(), ""): list(names)}
    if file.suffix.lower() == ".npy":
        _write(file, lambda temporary: _save_npy(temporary, V))
    elif file.suffix.lower() == ".npz":
        texts = {"names": names, "feature_names": columns}
        arrays = {key: _array(list(value), packed=True) for key, value in texts.items() if value is not None}
        _write(file, lambda temporary: _save_npz(temporary, {"X": V, **arrays}))
    else:
        _write_columns(file, {**named, **dict(zip(header, V.T, strict=True))})


def write_matrix_as_csv(stream: IO[str], V: Any, names: Sequence[str] | None = None) -> None:
    """What `write_matrix` writes to a .csv file, into a stream that is open already."""
    columns = {f"part{number}": column for number, column in enumerate(np.asarray(V).T)}
    _write_delimited(stream, columns if names is None else {NAMES.get(".csv", ""): list(names), **columns}, ",")


def write_table(path: Path | str, columns: Columns) -> None:
    """Write columns of one length by their names: a .npz of arrays, a .jsonl of records, or a table; .npy: the last."""
    file = check_output(path, TABLES)
    if len({len(column) for column in columns.values()}) != 1:
        raise ValueError(f"{file} needs columns of one length: got {', '.join(columns) or 'none'}")
    suffix = file.suffix.lower()
    arrays = {name: _array(column, packed=suffix in (".npy", ".npz")) for name, column in columns.items()}
    if file.suffix.lower() == ".npy":
        _write(file, lambda temporary: _save_npy(temporary, list(arrays.values())[-1]))
    elif file.suffix.lower() == ".npz":
        _write(file, lambda temporary: _save_npz(temporary, arrays))
    else:
        _write_columns(file, arrays)


def write_labels(
    path: Path | str, clusters: Any, names: Sequence[str] | None = None, words: Sequence[str] | None = None
) -> None:
    """Write the cluster of each sample, beside its name or its number from 0.

    A sample whose cluster is −1 has none: its cell is left blank (null in .jsonl and .parquet), and −1 in .npy and
    .npz, whose integers know no blank. ``words`` are told of each cluster, in a column of their own; a .npy file holds
    the clusters alone.
    """
    suffix, clusters = Path(path).suffix.lower(), np.asarray(clusters)
    placed = clusters >= 0
    columns: dict[str, Any] = {"name": range(len(clusters)) if names is None else list(names)}
    blank = not placed.all() and suffix not in (".npy", ".npz")
    columns["cluster"] = np.where(placed, clusters.astype(object), None) if blank else clusters
    if words is not None and suffix != ".npy":
        columns["words"] = [words[cluster] if cluster >= 0 else "" for cluster in clusters.tolist()]
    write_table(path, columns)


def write_rows(stream: IO[str], rows: Iterable[Iterable[Any]], delimiter: str) -> None:
    """Write rows as text that a reader of tables takes apart again, whatever is in their cells."""
    cells = ([protected(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    csv.writer(_Lines(stream), delimiter=delimiter).writerows(cells)


class _Lines:
    """Rows that end in a newline alone: csv puts quotes around the characters that its own rows end in, \\r\\n."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream

    def write(self, row: str) -> None:
        self._stream.write(row.removesuffix("\r\n") + "\n")


def _check_different(columns: Sequence[str], taken: str | None) -> None:
    """Columns must differ, also from the header of the names."""
    repeated = next((name for name, times in Counter(columns).items() if times > 1), None)
    if repeated is not None:
        raise ValueError(f"columns has {repeated!r} twice: give every column a name of its own")
    if taken is not None and taken in columns:
        raise ValueError(f"columns has {taken!r}, which is the header of the names: give that column another name")


def _write_columns(file: Path, columns: Columns) -> None:
    suffix = file.suffix.lower()
    if suffix == ".parquet":
        _write(file, lambda temporary: _save_parquet(temporary, columns))
    elif suffix == ".jsonl":
        _write(file, lambda temporary: _save_jsonl(temporary, columns))
    else:
        delimiter = "\t" if suffix == ".tsv" else ","
        _write(file, lambda temporary: _save_delimited(temporary, columns, delimiter))


def _write(file: Path, save: Callable[[Path], None]) -> None:
    """Save to a file beside it that takes its place; one sentence if the disk is full or refuses."""
    try:
        with replacing(file) as temporary:
            save(temporary)
    except OSError as problem:
        raise ValueError(f"{file} cannot be written ({problem.strerror or problem}): name another file") from problem


def _save_npy(file: Path, values: Array) -> None:
    with file.open("wb") as stream:  # NumPy puts another ending on a name that it does not know
        np.save(stream, values, allow_pickle=False)


def _save_npz(file: Path, arrays: dict[str, Any]) -> None:
    with file.open("wb") as stream:
        np.savez_compressed(stream, **arrays)


def _save_parquet(file: Path, columns: Columns) -> None:
    parquet = optional_module("pyarrow.parquet", "pyarrow", str(file))
    import pyarrow as pa

    arrays = [_array(column) for column in columns.values()]
    # Of texts and numbers with blanks among them, the first rows do not tell the type.
    types = [pa.infer_type(a) if a.dtype.kind in "OUST" else pa.from_numpy_dtype(a.dtype) for a in arrays]
    names = [name or NAMES[".parquet"] for name in columns]
    with parquet.ParquetWriter(file, pa.schema(list(zip(names, types, strict=True)))) as content:
        for rows in _some_rows(len(arrays[0])):
            parts = [pa.array(np.ascontiguousarray(a[rows]), t) for a, t in zip(arrays, types, strict=True)]
            content.write_table(pa.table(parts, names=names))


def _save_jsonl(file: Path, columns: Columns) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for row in _rows(columns):
            stream.write(json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) + "\n")


def _save_delimited(file: Path, columns: Columns, delimiter: str) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        _write_delimited(stream, columns, delimiter)


def _write_delimited(stream: IO[str], columns: Columns, delimiter: str) -> None:
    write_rows(stream, [columns], delimiter)
    write_rows(stream, _rows(columns), delimiter)


def _rows(columns: Columns) -> Iterable[tuple[Any, ...]]:
    """Rows of Python values, some of them in memory at a time; a float has as many digits as its own type needs."""
    arrays = [_array(column) for column in columns.values()]
    for rows in _some_rows(len(arrays[0])):
        yield from zip(*(_plain(column[rows]) for column in arrays), strict=True)


def _some_rows(n: int) -> Iterator[slice]:
    """Rows that are written together; one part at least, and be it empty."""
    return (slice(start, start + ROWS_AT_ONCE) for start in range(0, max(1, n), ROWS_AT_ONCE))


def _array(column: Any, packed: bool = False) -> Array:
    """A column as an array; texts as Python has them unless they are ``packed``, with room for the longest in each."""
    texts = isinstance(column, list) and all(isinstance(value, str) for value in column)
    if not texts:
        return np.asarray(column)
    values = [encodable(value) for value in column]
    if not packed:
        return np.array(values, dtype=object)
    longest = max(map(len, values), default=0)
    if 4 * longest * len(values) > MOST_TEXT:
        raise ValueError(f"a name has {longest:,} characters: write a .csv file, or give samples short names")
    return np.array(values, dtype=str)


def _plain(column: Array) -> list[Any]:
    if column.dtype == np.float32:
        return [float(str(value)) for value in column]
    values: list[Any] = column.tolist()
    return values
