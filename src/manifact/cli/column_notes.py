"""What is worth a person's look in the columns of a table."""

from __future__ import annotations

from typing import Any

#: A column with more of all squares than this decides alone which samples are near.
LARGEST_SHARE = 0.5
#: Columns that a note lists.
LISTED = 5
#: A column is squeezed by a few far values where so many percent of the samples lie within this share of its range.
SQUEEZED, NEARLY_ALL = 0.02, 95.0
#: Whole numbers of which a column has at most so many may be codes of classes; with so many samples it is worth a word.
CODES, SAMPLES = 10, 30


def notes(samples: Any, preparation: Any, X: Any) -> list[str]:
    """Columns that drown the others, that say nothing, that few cells squeeze, that may be classes."""
    from scipy import sparse

    if preparation.kind != "table" or preparation.image_shape is not None or X.shape[1] < 2:
        return []
    if preparation.columns is None:
        return [*_one_unit(samples, preparation), *_drowning(preparation, X)]
    if sparse.issparse(X) or samples.left_out is None:
        return []
    return [*_constant(preparation, X), *_squeezed(preparation, X), *_codes(samples, preparation)]


def refuse_negative(source: str, preparation: Any, X: Any) -> None:
    """Refuse values below zero, with the columns that have them."""
    import numpy as np
    from scipy import sparse

    from manifact.utils.errors import BadValueError

    lowest = X.data.min(initial=0) if sparse.issparse(X) else np.min(X, initial=0)
    if lowest >= 0:
        return
    count = np.asarray((X < 0).sum(axis=0)).ravel()
    found = np.flatnonzero(count)
    listed = ", ".join(f"{_name(preparation, i)} ({count[i]:,})" for i in found[:LISTED])
    more = f" and {len(found) - LISTED:,} more columns" if len(found) > LISTED else ""
    scales = " (--scale-columns range)" if not sparse.issparse(X) else ""
    raise BadValueError(
        "{} has values below zero in column{} {}{}: measure columns from their smallest value{}, shift or clip them, "
        "or use {model} cf, lccf or lcf, which take any sign",
        source,
        "s" if len(found) > 1 else "",
        listed,
        more,
        scales,
    )


def _name(preparation: Any, column: int) -> str:
    names = preparation.feature_names
    return repr(names[column]) if names and names[column] else f"number {_number(preparation, column)}"


def _number(preparation: Any, column: int) -> int:
    """The number of a column in its file, from 1."""
    return int(preparation.places[column]) if preparation.places else column + 1


def _listed(preparation: Any, found: Any) -> str:
    listed = ", ".join(_name(preparation, i) for i in found[:LISTED])
    more = ", …" if len(found) > LISTED else ""
    return f"{'columns' if len(found) > 1 else 'column'} {listed}{more}"


def _one_unit(samples: Any, preparation: Any) -> list[str]:
    """Why columns of a file of columns were not scaled, where nobody had said so."""
    from manifact.io.preparation.column_scales import of_one_unit

    why = None if samples.left_out is None or preparation.scale != "unit" else of_one_unit(samples.X)
    if why is None:
        return []
    return [f"columns are taken to be of one unit ({why}): --scale-columns range would scale each of them"]


def _drowning(preparation: Any, X: Any) -> list[str]:
    import numpy as np
    from scipy import sparse

    squares = np.asarray((X.multiply(X) if sparse.issparse(X) else X * X).sum(axis=0)).ravel()
    total = float(squares.sum())
    column = int(squares.argmax())
    if total == 0 or squares[column] <= LARGEST_SHARE * total:
        return []
    share = 100 * squares[column] / total
    told = f"column {_name(preparation, column)} makes up {share:.0f} % of the data"
    return [f"{told}: --scale-columns range gives all columns the same range"]


def _constant(preparation: Any, X: Any) -> list[str]:
    import numpy as np

    found = np.flatnonzero(np.array(preparation.columns.width) == 0)
    if not len(found):
        return []
    return [f"{_listed(preparation, found)} {'have' if len(found) > 1 else 'has'} one value for all samples"]


def _squeezed(preparation: Any, X: Any) -> list[str]:
    """Columns whose scale a few far values make."""
    import numpy as np

    top = X.max(axis=0)
    low, high = np.percentile(X, [(100 - NEARLY_ALL) / 2, (100 + NEARLY_ALL) / 2], axis=0)
    found = np.flatnonzero((high - low < SQUEEZED * top) & (high > low))
    if not len(found):
        return []
    theirs = "their" if len(found) > 1 else "its"
    return [
        f"{_listed(preparation, found)}: a few values are so far from the others that {theirs} scale is made by them, "
        "and hardly tells samples apart: check them"
    ]


def _codes(samples: Any, preparation: Any) -> list[str]:
    """Columns of few whole numbers among others that have many: they may be classes, or names written as numbers."""
    import numpy as np

    X = samples.X
    if X.shape[0] < SAMPLES:
        return []
    found = [i for i in range(X.shape[1]) if _few_whole_numbers(X[:, i])]
    if not found or 2 * len(found) > X.shape[1]:
        return []
    them = "these are codes" if len(found) == 1 else "they are codes"
    values = ""
    if len(found) == 1:
        distinct = [f"{value:g}" for value in np.unique(X[:, found[0]])]
        values = f" ({', '.join(distinct[:LISTED])}{', …' if len(distinct) > LISTED else ''})"
    name = samples.feature_names[found[0]] if samples.feature_names else str(_number(preparation, found[0]))
    have = f"{'has' if len(found) == 1 else 'have'} only a few values{values}"
    return [f"{_listed(preparation, found)} {have}: if {them} of classes, use --label {name} or --drop {name}"]


def _few_whole_numbers(column: Any) -> bool:
    """Three to ten whole numbers; two are an answer, yes or no, that may well be a feature."""
    import numpy as np

    distinct = np.unique(column[: 1 << 16])
    distinct = distinct[np.isfinite(distinct)]
    return 3 <= len(distinct) <= CODES and bool((np.rint(distinct) == distinct).all())
