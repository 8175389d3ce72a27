"""Graphs made of labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, Matrix, backend_of, namespace
from manifact.backends.matrix import Pieces
from manifact.graphs.builder import GraphBuilder
from manifact.graphs.operators import Graph, beside
from manifact.utils import checks
from manifact.utils.array_checks import Numbers
from manifact.utils.cached_properties import cached_property
from manifact.utils.labels import labelled
from manifact.utils.memory import require
from manifact.utils.stored_classes import stored, stored_by_parameters

WEIGHTS = ("binary", "class")


@stored_by_parameters
class LabelGraph(GraphBuilder):
    """Samples with the same label are neighbours (GNMF paper, section 1: semi-supervised NMF).

    Labels come from ``fit``'s ``y``; −1 (or NaN, None, "") means unlabelled, and such samples have no neighbours here.
    Usually added to a graph that covers all samples: ``KNNGraph(5) + LabelGraph()``.

    Parameters
    ----------
    weight : {"binary", "class"}, default="binary"
        1 for each pair; or 1 / (size of the class), so that classes of all sizes pull alike.

    Examples
    --------
    >>> import numpy as np
    >>> from manifact.graphs import LabelGraph
    >>> LabelGraph().build(np.zeros((4, 1)), y=[0, 0, -1, 0]).degrees
    array([2., 2., 0., 2.])
    """

    def __init__(self, weight: str = "binary") -> None:
        self.weight = weight

    def build(self, X: Any, y: Any = None) -> Graph:
        """The cliques of y."""
        checks.option("weight", self.weight, WEIGHTS)
        if y is None:
            raise ValueError("LabelGraph needs labels: call fit(X, y) with -1 for unlabelled samples")
        labels = np.asarray(y)
        require(self.memory_needed(X), "the graph of labels", "take fewer samples")
        if labels.shape != (X.shape[0],):
            raise ValueError(f"y has shape {labels.shape} but X has {X.shape[0]} samples: give one label for each")
        known = labelled(labels)
        classes, members = np.unique(labels[known].astype(_comparable(labels[known])), return_inverse=True)
        sizes = np.bincount(members, minlength=len(classes))
        values = np.ones(len(members)) if self.weight == "binary" else 1 / np.sqrt(sizes[members])
        shape = (X.shape[0], max(1, len(classes)))
        return LabelCliques(sparse.csr_array((values, (np.flatnonzero(known), members)), shape=shape))

    def memory_needed(self, X: Any) -> float:
        """Of an indicator and its transpose: an entry for each sample."""
        return 100.0 * X.shape[0]


def _fits(facts: Mapping[str, Any]) -> None:
    n, classes = facts["H"].shape
    Numbers(("n", "classes"), least=0, sparse=True).check("H", facts["H"], {})
    if classes > n:
        raise ValueError(f"{classes} classes of {n} samples")


@stored(_fits, H="H")
class LabelCliques(Graph):
    """Samples of one class are joined to each other: W = H Hᵀ − diag, kept as the indicator matrix H.

    A class of 10,000 samples has 10⁸ edges and costs 10,000 entries here.
    """

    can_tie = True

    def __init__(self, H: Any) -> None:
        """The non-zeros of a column of H are equal."""
        self.H = H
        self._loops = np.asarray(H.multiply(H).sum(axis=1)).ravel()
        self.degrees = H @ np.asarray(H.sum(axis=0)).ravel() - self._loops
        self._tall, self._flat = Matrix(H), Matrix(H.T)

    def _through(self, V: Array) -> Array:
        """H HᵀV."""
        backend = backend_of(V)
        return backend.times(self._tall, backend.times(self._flat, V))

    def adjacency(self, V: Array) -> Array:
        return self._through(V) - beside(self._loops, V)[:, None] * V

    def pieces(self) -> Pieces:
        return Pieces(self.degrees, tall=self._tall, flat=self._flat, loops=self._loops)

    def majorizer(self, V: Array) -> tuple[Array, Array]:
        """H Hᵀ with its loops is positive semi-definite."""
        return beside(self.degrees + self._loops, V), self._through(V)

    @cached_property
    def _members(self) -> tuple[Matrix, Matrix]:
        """Who is in which class (n x classes), and what takes the mean of each class."""
        members = (self.H > 0).astype(np.float64)
        sizes = np.maximum(np.asarray(members.sum(axis=0)).ravel(), 1)
        return Matrix(members), Matrix(sparse.diags_array(1 / sizes) @ members.T)

    def energies(self, A: Array, B: Array) -> Array:
        """Σ over classes of (size · weight) times the covariance: differences first, as on edges."""
        backend, xp = backend_of(A), namespace(A)
        members, means = self._members
        wide = [xp.astype(P, xp.float64, copy=False) for P in (A, B)]
        A, B = (P - backend.times(members, backend.times(means, P)) for P in wide)
        return backend.column_products(beside(self.degrees + self._loops, A)[:, None] * A, B)

    def tie(self, X: Any, V: Array) -> tuple[Array, Array]:
        """New samples have no label, hence no neighbours here."""
        return np.zeros((X.shape[0], V.shape[1]), dtype=V.dtype), np.zeros(X.shape[0], dtype=V.dtype)


def _comparable(labels: Any) -> Any:
    return str if labels.dtype == object else labels.dtype
