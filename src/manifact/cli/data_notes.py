"""What is worth a person's look in prepared data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

#: Names that a note lists.
LISTED = 3
#: Why a sample has no cluster, where it is not empty.
NO_PART = "have nothing of any part"


def notes(samples: Any, preparation: Any, X: Any, labels: Any) -> list[str]:
    """Which matrix was taken, what was left out, who has no cluster, copies, and what is odd about columns."""
    from manifact.cli import column_notes
    from manifact.utils.sparse_matrices import empty_rows

    return [
        *cells(samples, preparation),
        *skipped(samples, all_in="--json"),
        *blank_lines(samples),
        *of_reading(samples),
        *unplaced(samples, empty_rows(X), labels),
        *copies(X),
        *column_notes.notes(samples, preparation, X),
    ]


def cells(samples: Any, preparation: Any) -> list[str]:
    """Which matrix was taken, and what was done to it."""
    if samples.kind != "cells":
        return []
    from manifact.io.cell_matrices import SPOKEN

    return [f"factorised {samples.matrix or SPOKEN[preparation.values]}, {preparation.described}"]


def skipped(samples: Any, all_in: str = "") -> list[str]:
    """Files of a folder that were not used; ``all_in`` says where all are named, if somewhere."""
    from manifact.io.readers.other_files import counted, told

    notes = []
    if samples.skipped:
        count, files = len(samples.skipped), counted(samples.n_places, "file")
        of_all = f"{count:,} of {files} {'is' if count == 1 else 'are'} skipped (--strict stops at the first)"
        notes.append(f"{of_all}: {_some([f'{name} {why}' for name, why in samples.skipped.items()], '; ', all_in)}")
    for said, names in told(samples.other_files).items():
        notes.append(f"{said} and left out: {_some(names, ', ', all_in)}")
    return notes


def _some(items: Sequence[str], separator: str, all_in: str) -> str:
    """The first items, and how many more there are."""
    more = len(items) - LISTED
    known = f" ({all_in} has all)" if all_in else ""
    return separator.join(items[:LISTED]) + (f"{separator}and {more:,} more{known}" if more > 0 else "")


def blank_lines(samples: Any) -> list[str]:
    """Lines without a document."""
    if samples.places is None or samples.skipped:
        return []
    count, lines = samples.n_places - samples.n_samples, f"{samples.n_places:,} lines"
    return [f"{count:,} of {lines} {'is' if count == 1 else 'are'} blank and left out: names are the numbers of lines"]


def of_reading(samples: Any) -> list[str]:
    """What a reader of tables left out, and what it made of cells."""
    left = samples.left_out
    return [] if left is None else [sentence.worded(_option) for sentence in left.notes]


def of_new_samples(model: Any, samples: Any, below: int | None = None) -> list[str]:
    """The same for new samples; also columns that the model does not know, and what is below all that it does.

    ``below`` is how many cells that are, where it is known.
    """
    told, preparation = of_reading(samples), model.preparation_
    if preparation.kind != "table":
        return told
    known = _columns_of_options(getattr(model, "source_", {}).get("reading", {}))
    if ignored := [name for name in preparation.ignored(samples) if name not in known]:
        listed = ", ".join(map(repr, ignored[:LISTED])) + (", …" if len(ignored) > LISTED else "")
        what = f"column {listed} is" if len(ignored) == 1 else f"{len(ignored):,} columns ({listed}) are"
        told.append(f"{what} not among the model's and not looked at")
    return [*told, *below_training(preparation.below(samples) if below is None else below)]


def below_training(cells: int) -> list[str]:
    """Cells that are below all training samples."""
    if not cells:
        return []
    what = "1 value is" if cells == 1 else f"{cells:,} values are"
    return [f"{what} below the smallest of the training samples and counted as that"]


def _columns_of_options(reading: Any) -> set[str]:
    """Columns that whoever fitted the model named as no features."""
    dropped = reading.get("drop") or ()
    asked = [reading.get("label"), reading.get("name"), *([dropped] if isinstance(dropped, str) else dropped)]
    texts = [str(one) for one in asked if one is not None]
    return {*texts, *(part.strip() for text in texts for part in text.split(","))}


def rows_left_out(rows: Any) -> list[str]:
    """Rows of the training table that became no samples."""
    if not rows:
        return []
    return [f"{'1 row was' if len(rows) == 1 else f'{len(rows):,} rows were'} left out of training for missing values"]


def copies(X: Any) -> list[str]:
    """Samples that equal others; those that say nothing are told elsewhere."""
    from manifact.utils.equal_rows import first_equal_rows, number_of_copies
    from manifact.utils.sparse_matrices import empty_rows

    found = number_of_copies(first_equal_rows(X)) - max(0, int(empty_rows(X).sum()) - 1)
    if not found:
        return []
    what = "is a copy of another" if found == 1 else "are copies of others"
    return [f"{found:,} of {X.shape[0]:,} samples {what}"]


def refuse_negative(model: Any, samples: Any, preparation: Any, X: Any) -> None:
    """Refuse values below zero where a model takes none, with the columns that have them."""
    from manifact.cli import column_notes

    if samples.kind == "table" and getattr(model, "_non_negative", False):
        column_notes.refuse_negative(samples.source, preparation, X)


def _option(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"


def empty(samples: Any, found: Any) -> list[str]:
    """Samples that say nothing: ``found`` says which."""
    if not found.any():
        return []
    what = f"{_of_all(found)} {_saying_nothing(samples.kind)}"
    return [f"{what}, so where they belong is not known: {_listed(found, samples.names)}"]


def unplaced(samples: Any, empty: Any, labels: Any) -> list[str]:
    """Samples without a cluster, and why; ``empty`` says which samples say nothing."""
    why = _saying_nothing(samples.kind) if empty[labels < 0].all() else NO_PART
    return without_cluster(labels, samples.names, why)


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
