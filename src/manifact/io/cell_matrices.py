"""Which matrix of annotated cells is factorised: an AnnData file or object has several, and some of them are scaled.

What a matrix holds is seen by its values, since nothing else in the file says so reliably. Of a file only a sample of
each matrix is read until one is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.io.file_errors import refusal
from manifact.utils import memory
from manifact.utils.errors import BadValueError, Sentence

#: Layers that hold raw counts wherever they are found, by the names that are usual; they are looked at first.
COUNTS = ("counts", "raw_counts", "count", "counts_raw", "umi", "umis", "umi_counts", "raw")
#: Layers looked at after X, because X was there and of no use.
LOGARITHMS = ("lognorm", "log_norm", "lognormalized", "log_normalized", "logcounts", "log1p", "log1p_norm", "data")
#: Fractions up to here are logarithms of normalised counts (log₂ of a million is 20); larger ones are not logged.
LARGEST_LOGARITHM = 30.0
#: Values that are looked at before a matrix is read, and values that are looked at together.
SAMPLE, BLOCK = 1 << 17, 1 << 22
#: What the values are, as a person is told. "linear": normalised, but not logged.
SPOKEN = {
    "counts": "counts",
    "linear": "normalised values",
    "log": "log-normalised values",
    "scaled": "scaled values",
}


@dataclass(frozen=True)
class ChosenMatrix:
    """The matrix that is factorised."""

    X: Any
    #: "layers['counts']", ".raw" or "X".
    place: str
    #: What its values are: a key of `SPOKEN`.
    values: str

    @property
    def described(self) -> str:
        """The matrix in words.

        >>> ChosenMatrix(None, ".raw", "log").described
        'log-normalised values of .raw'
        """
        return f"{SPOKEN[self.values]} of {self.place}"


@dataclass(frozen=True)
class CellMatrices:
    """The matrices of annotated cells, unread: arrays, or what a file has in their place."""

    #: The file or object, as an error calls it.
    source: str
    X: Any = None
    raw: Any = None
    layers: Mapping[str, Any] = field(default_factory=dict)

    def choose(self, read: Callable[[Any, str], Any], layer: str | None = None, expects: str | None = None) -> Any:
        """The first matrix without negative values, or the one that ``layer`` names, read by ``read(element, place)``.

        Parameters
        ----------
        read : function
            Reads what stands for a matrix, and refuses what is no table of finite numbers.
        layer : str, optional
            A layer, or "raw" or "X"; None and "auto" look for it: layers of counts, .raw, X, layers of logarithms,
            and all others.
        expects : {"counts", "log"}, optional
            Matrices with such values come first, as those that a model was fitted to.

        Returns
        -------
        ChosenMatrix
        """
        if layer is not None and layer != "auto":
            place, element = self._named(layer)
            X = read(element, place)
            return ChosenMatrix(X, place, kind_of_values(X))
        seen: dict[str, str] = {}
        for place, element in self._in_order(expects):
            seen[place] = kind_of_values(element, sample=True)
            if seen[place] == "scaled":
                continue
            X = read(element, place)
            seen[place] = kind_of_values(X)
            if seen[place] != "scaled":
                return ChosenMatrix(X, place, seen[place])
        raise self._nothing(seen)

    def places(self) -> dict[str, Any]:
        """All matrices in the order in which they are looked at."""
        named = {name.lower(): name for name in self.layers}
        first = [named[name] for name in COUNTS if name in named]
        last = [named[name] for name in LOGARITHMS if name in named]
        last += [name for name in self.layers if name not in (*first, *last)]
        found = {f"layers[{name!r}]": self.layers[name] for name in first}
        found |= {name: element for name, element in ((".raw", self.raw), ("X", self.X)) if element is not None}
        return found | {f"layers[{name!r}]": self.layers[name] for name in last}

    def _in_order(self, expects: str | None) -> Iterator[tuple[str, Any]]:
        found = self.places()
        if expects is None:
            yield from found.items()
            return
        asked = {place: _logged(kind_of_values(element, sample=True)) for place, element in found.items()}
        yield from sorted(found.items(), key=lambda item: asked[item[0]] != _logged(expects))

    def _named(self, layer: str) -> tuple[str, Any]:
        if layer in self.layers:
            return f"layers[{layer!r}]", self.layers[layer]
        for name, place, element in (("raw", ".raw", self.raw), ("X", "X", self.X)):
            if layer == name and element is not None:
                return place, element
        there = [*self.layers, *(["raw"] if self.raw is not None else []), *(["X"] if self.X is not None else [])]
        found = f"has no layer {layer!r}, but {', '.join(map(repr, there)) or 'no matrix at all'}"
        raise refusal(self.source, found, Sentence("choose one with {layer}=…") if there else "choose another file")

    def _nothing(self, seen: Mapping[str, str]) -> ValueError:
        if not seen:
            return refusal(self.source, "has no X, no .raw and no layers", "it needs a matrix of cells x genes")
        absent = [name for name, element in ((".raw", self.raw), ("layers", self.layers)) if not element_there(element)]
        lacking = f", and there is no {' and there are no '.join(absent)}" if absent else ""
        verb = "have" if len(seen) > 1 else "has"
        return refusal(
            self.source,
            f"has no counts and no log-normalised values: {', '.join(seen)} {verb} negative values, as scaled data "
            f"do{lacking}",
            Sentence(
                "keep the counts before scaling (adata.layers['counts'] = adata.X.copy()), or "
                "take {layer}='X' with a model for data of any sign (CF, LCCF, LCF)"
            ),
        )


def check_signs(model: Any, samples: Any) -> None:
    """Refuse negative values that somebody asked for, to a model that takes none."""
    if samples.kind == "cells" and samples.values == "scaled" and getattr(model, "_non_negative", True):
        raise BadValueError(
            "{layer} names {} and {} takes no negative values: leave out {layer} to have counts looked for, or take a "
            "model for data of any sign (LCCF, CF, LCF)",
            samples.matrix or "scaled values",
            type(model).__name__,
        )


def element_there(element: Any) -> bool:
    """Whether there is a matrix, or a layer among layers."""
    return element is not None and not (isinstance(element, Mapping) and len(element) == 0)


def kind_of_values(element: Any, sample: bool = False) -> str:
    """What the values of a matrix are: a key of `SPOKEN`.

    Whole numbers are counts, fractions up to 30 logarithms, larger ones "linear", and below zero something was scaled.

    >>> kind_of_values(np.array([[0, 3.0], [1, 0]])), kind_of_values(np.array([[0, 1.7]]))
    ('counts', 'log')
    >>> kind_of_values(np.array([[0.5, 250.0]])), kind_of_values(np.array([[-0.3, 1.0]]))
    ('linear', 'scaled')
    """
    return kind_of_parts(_sampled(element) if sample else _blocks(element))


def kind_of_parts(parts: Iterable[Array]) -> str:
    """The same of values that come in several arrays."""
    whole, largest = True, 0.0
    for block in parts:
        values = block[np.isfinite(block)] if block.dtype.kind == "f" else block
        if values.size == 0:
            continue
        if values.dtype.kind != "b" and values.min() < 0:
            return "scaled"
        largest = max(largest, float(values.max()))
        whole = whole and (values.dtype.kind != "f" or bool((values == np.rint(values)).all()))
    return "counts" if whole else "log" if largest <= LARGEST_LOGARITHM else "linear"


def stored_bytes(element: Any) -> int:
    """Memory that a matrix will need, seen from outside: of an array, of a file's dataset, or of a group of them."""
    parts = [_member(element, name) for name in ("data", "indices", "indptr")] if _is_sparse(element) else [element]
    return sum(prod(part.shape) * part.dtype.itemsize for part in parts)


def in_memory(element: Any, source: str) -> Any:
    """What an AnnData object holds as an array or a sparse matrix, read from its file if that is where it is."""
    if isinstance(element, np.ndarray) or sparse.issparse(element):
        return element
    memory.require(stored_bytes(element), source, "use fewer cells")
    for method in ("to_memory", "compute"):  # of a backed sparse matrix, of a Dask array
        if hasattr(element, method):
            return getattr(element, method)()
    return np.asarray(element[:])


def _logged(values: str) -> bool:
    """Whether values are logarithms: normalised values are counts to those who expect some."""
    return values == "log"


def _is_sparse(element: Any) -> bool:
    return not hasattr(element, "dtype") or sparse.issparse(element) or hasattr(element, "to_memory")


def _member(element: Any, name: str) -> Any:
    """An array of a sparse matrix: of SciPy's, of a group in a file, or of anndata's handle on such a group."""
    if sparse.issparse(element):
        return getattr(element, name)
    return (element if hasattr(element, "keys") else element.group)[name]


def _sampled(element: Any) -> Iterator[Array]:
    """Some values from the beginning, the middle and the end."""
    values = _member(element, "data") if _is_sparse(element) else element
    rows = max(1, SAMPLE // (prod(values.shape[1:]) or 1))
    n = values.shape[0]
    for start in sorted({0, max(0, (n - rows) // 2), max(0, n - rows)}):
        part = values[start : start + rows]
        yield np.asarray(part.compute() if hasattr(part, "compute") else part)


def _blocks(X: Any) -> Iterator[Array]:
    values = X.data if sparse.issparse(X) else X
    rows = max(1, BLOCK // (prod(values.shape[1:]) or 1))
    for start in range(0, values.shape[0], rows):
        yield np.asarray(values[start : start + rows])
