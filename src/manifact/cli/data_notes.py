"""What is worth a person's look in prepared data."""

from __future__ import annotations

from typing import Any

#: A column with more of all squares than this decides alone which samples are near.
LARGEST_SHARE = 0.5
#: Names that a note lists.
LISTED = 3


def notes(samples: Any, preparation: Any, X: Any) -> list[str]:
    """Samples without entries, and a column that drowns the others."""
    return [*empty(samples, X), *_drowning(preparation, X)]


def empty(samples: Any, X: Any) -> list[str]:
    """Samples that say nothing."""
    import numpy as np
    from scipy import sparse

    entries = np.diff(X.indptr) > 0 if sparse.issparse(X) else X.any(axis=1)
    rows = np.flatnonzero(~entries)
    if not len(rows):
        return []
    what = {"documents": "have no word that is known", "images": "are black"}.get(samples.kind, "have only zeros")
    first = ", ".join(samples.names[i] if samples.names else str(i) for i in rows[:LISTED])
    more = ", …" if len(rows) > LISTED else ""
    return [f"{len(rows):,} of {samples.n_samples:,} samples {what}, so where they belong is not known: {first}{more}"]


def _drowning(preparation: Any, X: Any) -> list[str]:
    import numpy as np
    from scipy import sparse

    if preparation.kind != "table" or preparation.image_shape is not None or X.shape[1] < 2:
        return []
    squares = np.asarray((X.multiply(X) if sparse.issparse(X) else X * X).sum(axis=0)).ravel()
    total = float(squares.sum())
    column = int(squares.argmax())
    if total == 0 or squares[column] <= LARGEST_SHARE * total:
        return []
    names = preparation.feature_names
    name = repr(names[column]) if names else f"number {column}"
    share = 100 * squares[column] / total
    return [f"column {name} makes up {share:.0f} % of the data: --scale-columns max gives all columns the same range"]
