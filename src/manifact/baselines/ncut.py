"""Normalised cut (Shi, Malik 2000), as the papers seem to have run it and with unit rows (Ng, Jordan, Weiss 2002)."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from manifact.backends import Array, backend_of
from manifact.baselines.average_association import enough_samples
from manifact.graphs import as_builder
from manifact.graphs.spectral import leading_eigenvectors
from manifact.graphs.unit_row_kmeans import unit_row_clusters
from manifact.utils import checks

ROWS = ("unit", "degree", "raw")


class NCut(ClusterMixin, BaseEstimator):
    """Minimise Σ_c cut(c, rest) / degrees(c) over clusters, relaxed to the leading eigenvectors of D^(−½) W D^(−½).

    Parameters
    ----------
    n_clusters : int, default=8
        Clusters, and eigenvectors.
    rows : {"unit", "degree", "raw"}, default="unit"
        What k-means sees: rows of the eigenvectors at unit length (Ng, Jordan, Weiss); divided by the square root of
        the degree, the relaxed indicators of Shi and Malik; or as they are. The last two, without unit rows, are
        what the papers' much lower figures for NCut look like.
    graph : graph builder, n x n affinity or None, default=None
        How samples are neighbours; None means ``KNNGraph(5, weight="binary")``.
    n_init : int, default=20
        Starts of k-means. Unit rows start at their corners and others at k-means++; from the best of the former,
        centres are tried elsewhere until twice as many tries in a row fail.
    random_state : int, RandomState or None, default=None
        Seed of the eigensolver and of k-means.

    Attributes
    ----------
    labels_ : array, n
        Cluster of each sample.
    embedding_ : array, n x n_clusters
        What k-means saw.
    graph_ : Graph
        The graph as an operator.

    References
    ----------
    J. Shi, J. Malik. Normalized cuts and image segmentation. IEEE Transactions on Pattern Analysis and Machine
    Intelligence 22(8), 2000. A. Ng, M. Jordan, Y. Weiss. On spectral clustering: analysis and an algorithm. NIPS 14,
    2002.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact.baselines import NCut
    >>> from manifact.metrics import nmi
    >>> X, y = load_digits(return_X_y=True)
    >>> nmi(y, NCut(n_clusters=10, random_state=0).fit_predict(X)) > 0.8
    True
    """

    def __init__(
        self, n_clusters: int = 8, rows: str = "unit", graph: Any = None, n_init: int = 20, random_state: Any = None
    ) -> None:
        self.n_clusters = n_clusters
        self.rows = rows
        self.graph = graph
        self.n_init = n_init
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters of the samples; ``y`` is for graphs made of labels."""
        checks.integer("n_clusters", self.n_clusters, at_least=1)
        checks.option("rows", self.rows, ROWS)
        checks.integer("n_init", self.n_init, at_least=1)
        X = validate_data(self, X, accept_sparse="csr", dtype=(np.float64, np.float32))
        enough_samples(self.n_clusters, X.shape[0])
        rng = check_random_state(self.random_state)
        self.graph_ = as_builder(self.graph).build(X, y)
        vectors = leading_eigenvectors(self.graph_, self.n_clusters, rng)
        self.embedding_ = _rows(vectors, self.graph_.degrees, self.rows)
        # float32 tells clusters apart in half the time.
        rows = self.embedding_.astype(np.float32)
        if self.rows == "unit":
            self.labels_ = unit_row_clusters(rows, self.n_init, rng)
        else:
            self.labels_ = backend_of(rows).kmeans(rows, self.n_clusters, self.n_init, rng)[0]
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _rows(vectors: Array, degrees: Array, rows: str) -> Array:
    if rows == "unit":
        return normalize(vectors)
    if rows == "degree":
        return vectors / np.sqrt(np.where(degrees > 0, degrees, 1))[:, None]
    return np.ascontiguousarray(vectors)
