"""What every table must be: rows and columns of numbers, none of them missing, under distinct names."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.io.unpacked_size import check_unpacked
from manifact.utils.sparse_matrices import checked_structure

#: Cells that are looked at together, and bytes of an empty row of a sparse matrix.
BLOCK, ROW, COLUMN = 1 << 22, 16, 8
#: Bytes that the names of classes may take.
MOST_TEXT = 1 << 28


def checked_table(file: Path | str, X: Any, what: str = "", missing: bool = False) -> Any:
    """X as a dense array or CSR of finite numbers with at least one row and column, or one sentence that says why not.

    ``what`` is the name that X has within the file; with ``missing``, NaN stands where a value is missing.
    """
    at = f"{what} " if what else ""
    if X.ndim != 2:
        raise refusal(file, f"holds {at}of shape {tuple(X.shape)}", "store n x m numbers, a row for each sample")
    if X.dtype.kind not in "biuf":
        raise refusal(file, f"holds {at}of type {_type(X.dtype)}", "store numbers alone")
    if 0 in X.shape:
        raise refusal(file, f"holds {at}{X.shape[0]} x {X.shape[1]} values", "it needs a sample and a feature at least")
    X = _rows(file, X) if sparse.issparse(X) else np.ascontiguousarray(X)
    X = X.astype(_native(X.dtype), copy=False)
    if not missing:
        _finite(file, X)
    return X


def checked_labels(file: Path, values: Any, n: int, what: str) -> Array:
    """One class for each sample, as whole numbers where they are."""
    values = np.asarray(_dense(values, n) if sparse.issparse(values) else values)
    if values.size != n or values.dtype.kind not in "biufUST":
        found = f"has {what} of shape {values.shape} and type {_type(values.dtype)}"
        raise refusal(file, found, f"store one class for each of the {n} samples")
    values = values.ravel()
    if values.dtype.kind == "f" and np.isfinite(values).all() and (np.rint(values) == values).all():
        return values.astype(np.int64)
    if values.dtype.kind in "ST":
        return values.astype(str)
    return values


def labels_from_text(file: Path, cells: Sequence[str]) -> Array:
    """Classes from cells of text, as whole numbers where all are.

    >>> labels_from_text(Path("x.csv"), ["3", "-1"]), labels_from_text(Path("x.csv"), ["3", "b"])
    (array([ 3, -1]), array(['3', 'b'], dtype='<U1'))
    """
    try:
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    except (ValueError, OverflowError):
        longest = max(map(len, cells), default=0)
        # An array of texts has as much room in each place as the longest of them needs.
        if 4 * longest * len(cells) > MOST_TEXT:
            raise refusal(file, f"has a class of {longest:,} characters", "give classes short names") from None
        return np.array(list(cells), dtype=str)


def distinct_names(file: Path, names: Sequence[str]) -> list[str]:
    """The names of columns, if they all differ: new samples are matched by them."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise refusal(file, f"has two columns named {name!r}", "rename one of them")
        seen.add(name)
    return list(names)


def made_distinct(names: Sequence[str]) -> list[str]:
    """Names made distinct by numbers, as several genes may share a symbol: the second one gets "-1" and so on.

    >>> made_distinct(["A", "B", "A", "A-1", "A"])
    ['A', 'B', 'A-2', 'A-1', 'A-3']
    """
    taken, counts, unique = set(names), dict.fromkeys(names, 0), []
    seen: set[str] = set()
    for name in names:
        if name in seen:
            new = name
            while new in taken:
                counts[name] += 1
                new = f"{name}-{counts[name]}"
            taken.add(new)
            unique.append(new)
        else:
            seen.add(name)
            unique.append(name)
    return unique


def _rows(file: Path | str, X: Any) -> Any:
    """A sparse matrix by rows; what came from a file is checked before SciPy follows it."""
    if isinstance(file, Path):
        check_unpacked(file, ROW * X.shape[0], "use fewer rows")
        check_unpacked(file, COLUMN * X.shape[1], "use fewer columns")
    X = sparse.csr_array(checked_structure(X))
    X.sum_duplicates()
    return X


def _dense(values: Any, n: int) -> Array:
    """A sparse column as an array, if it has the length that it should; an empty array if not."""
    if max(values.shape) != n or min(values.shape) != 1:
        return np.empty(0)
    return np.asarray(checked_structure(values).toarray())


def _native(dtype: np.dtype[Any]) -> Any:
    """The type that computations use for these numbers: this machine's byte order, no exotic widths."""
    if dtype.kind == "f" and dtype.itemsize not in (4, 8):
        return np.float32 if dtype.itemsize == 2 else np.float64
    return dtype.newbyteorder("=")


def _finite(file: Path | str, X: Any) -> None:
    """Refuse NaN and infinity, and say where the first is."""
    values = X.data if sparse.issparse(X) else X
    if X.dtype.kind != "f":
        return
    rows = max(1, BLOCK // (values.shape[1] if values.ndim == 2 else 1))
    for start in range(0, len(values), rows):
        bad = ~np.isfinite(values[start : start + rows])
        if bad.any():
            first = np.argwhere(bad)[0]
            first[0] += start
            row, column = _entry(X, int(first[0])) if sparse.issparse(X) else first
            value = values[tuple(first)]
            found = f"has {value} in row {row + 1}, column {column + 1}"
            raise refusal(file, found, "fill in or drop what is missing")


def _entry(X: Any, at: int) -> tuple[int, int]:
    return int(np.searchsorted(X.indptr, at, side="right")) - 1, int(X.indices[at])


def _type(dtype: np.dtype[Any]) -> str:
    return "Python objects" if dtype.kind == "O" else str(dtype)
