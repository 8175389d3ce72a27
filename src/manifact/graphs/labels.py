"""Graphs made of labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.graphs.builder import GraphBuilder
from manifact.graphs.operator import Graph, LabelCliques
from manifact.utils import checks
from manifact.utils.labels import labelled

WEIGHTS = ("binary", "class")


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
        if labels.shape != (X.shape[0],):
            raise ValueError(f"y has shape {labels.shape} but X has {X.shape[0]} samples: give one label for each")
        known = labelled(labels)
        classes, members = np.unique(labels[known].astype(_comparable(labels[known])), return_inverse=True)
        sizes = np.bincount(members, minlength=len(classes))
        values = np.ones(len(members)) if self.weight == "binary" else 1 / np.sqrt(sizes[members])
        shape = (X.shape[0], max(1, len(classes)))
        return LabelCliques(sparse.csr_array((values, (np.flatnonzero(known), members)), shape=shape))


def _comparable(labels: Any) -> Any:
    return str if labels.dtype == object else labels.dtype
