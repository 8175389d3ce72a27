"""What is worth a person's look in prepared data."""

from __future__ import annotations

from typing import Any

#: A column with more of all squares than this decides alone which samples are near.
LARGEST_SHARE = 0.5
#: Names that a note lists.
LISTED = 3
#: Why a sample has no cluster, where it is not empty.
NO_PART = "have nothing of any part"


def notes(samples: Any, preparation: Any, X: Any, labels: Any) -> list[str]:
    """Which matrix was taken, what was left out, samples without a cluster, and a column that drowns the others."""
    told = [*_cells(samples, preparation), *left_out(samples)]
    return [*told, *unplaced(samples, X, labels), *_drowning(preparation, X)]


def _cells(samples: Any, preparation: Any) -> list[str]:
    """Which matrix was taken, and what was done to it."""
    if samples.kind != "cells":
        return []
    from manifact.io.cell_matrices import SPOKEN

    return [f"factorised {samples.matrix or SPOKEN[preparation.values]}, {preparation.described}"]


def left_out(samples: Any) -> list[str]:
    """Files that were skipped and lines that are blank."""
    if samples.skipped:
        of_all = f"{len(samples.skipped):,} of {samples.n_places:,} files are skipped"
        some = [f"{name} {why}" for name, why in list(samples.skipped.items())[:LISTED]]
        more = "; …" if len(samples.skipped) > LISTED else ""
        return [f"{of_all} (--strict stops at the first): {'; '.join(some)}{more}"]
    if samples.places is None:
        return []
    blank = samples.n_places - samples.n_samples
    return [f"{blank:,} of {samples.n_places:,} lines are blank and left out: names are the numbers of lines"]


def empty(samples: Any, X: Any) -> list[str]:
    """Samples that say nothing."""
    from manifact.utils.sparse_matrices import empty_rows

    found = empty_rows(X)
    if not found.any():
        return []
    what = f"{_of_all(found)} {_saying_nothing(samples.kind)}"
    return [f"{what}, so where they belong is not known: {_listed(found, samples.names)}"]


def unplaced(samples: Any, X: Any, labels: Any) -> list[str]:
    """Samples without a cluster, and why."""
    from manifact.utils.sparse_matrices import empty_rows

    nothing = empty_rows(X)[labels < 0].all()
    return without_cluster(labels, samples.names, _saying_nothing(samples.kind) if nothing else NO_PART)


def without_cluster(labels: Any, names: Any, why: str = NO_PART) -> list[str]:
    """The same, where the samples themselves are not at hand."""
    found = labels < 0
    if not found.any():
        return []
    return [f"{_of_all(found)} {why}, so their clusters are left blank: {_listed(found, names)}"]


def _of_all(found: Any) -> str:
    return f"{found.sum():,} of {len(found):,} samples"


def _saying_nothing(kind: str) -> str:
    return {"documents": "have no word that is known", "images": "are black"}.get(kind, "have only zeros")


def _listed(found: Any, names: Any) -> str:
    rows = found.nonzero()[0]
    return ", ".join(names[i] if names else str(i) for i in rows[:LISTED]) + (", …" if len(rows) > LISTED else "")


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
