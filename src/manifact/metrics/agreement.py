"""How well clusters agree with classes, and how sparse parts are: the papers' measures."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from manifact.backends import Array, on_host
from manifact.utils import checks
from manifact.utils.labels import NOWHERE


def match(y: Any, labels: Any) -> dict[Any, Any]:
    """The one-to-one map of clusters to classes under which most samples agree (Hungarian method).

    Samples whose cluster is −1 are in none, as in a model's ``labels_``: no class is theirs.
    """
    y, labels = on_host(y), on_host(labels)
    _, rows, columns = _matching(y, labels)
    classes, clusters = np.unique(y), np.unique(labels)
    return {clusters[column]: classes[row] for row, column in zip(rows, columns, strict=True)}


def accuracy(y: Any, labels: Any) -> float:
    """AC: the fraction of samples whose cluster is mapped to their class by the best one-to-one map.

    A sample whose cluster is −1 is in none, as in a model's ``labels_``, and counts as one that does not agree.

    >>> accuracy([0, 0, 1, 1], [5, 5, 3, 5])
    0.75
    """
    counts, rows, columns = _matching(on_host(y), on_host(labels))
    return float(counts[rows, columns].sum() / counts.sum())


def nmi(y: Any, labels: Any, average: str = "max") -> float:
    """Mutual information over max(H, H') (GNMF, LPNMF papers) or sqrt(H H') (``average="sqrt"``, SPNMF paper).

    Samples whose cluster is −1 count as one cluster more.

    >>> nmi([0, 0, 1, 1], [1, 1, 0, 0])
    1.0
    """
    checks.option("average", average, ("max", "sqrt"))
    joint = contingency_matrix(on_host(y), on_host(labels)).astype(float)
    joint /= joint.sum()
    rows, columns = joint.sum(axis=1), joint.sum(axis=0)
    own, other = _entropy(rows), _entropy(columns)
    known = joint > 0
    information = float(np.sum(joint[known] * np.log(joint[known] / np.outer(rows, columns)[known])))
    scale = max(own, other) if average == "max" else float(np.sqrt(own * other))
    if own == other == 0:
        return 1.0
    return float(np.clip(information / scale, 0, 1)) if scale > 0 else 0.0


def sparseness(P: Any) -> Array:
    """Hoyer's sparseness of each row: 0 where all entries are equal, 1 where a single one is not zero.

    >>> sparseness([[1.0, 1.0, 1.0, 1.0], [0.0, 3.0, 0.0, 0.0]])
    array([0., 1.])
    """
    P = np.atleast_2d(np.asarray(on_host(P), dtype=float))
    root = np.sqrt(P.shape[1])
    length = np.linalg.norm(P, axis=1)
    ratio = np.divide(np.abs(P).sum(axis=1), length, out=np.full(len(P), root), where=length > 0)
    return (root - ratio) / (root - 1) if root > 1 else np.ones(len(P))


def _matching(y: Any, labels: Any) -> tuple[Array, Array, Array]:
    counts = contingency_matrix(y, labels)
    names = np.unique(labels).tolist()
    # Where classes are called −1 as well, it is a name like others.
    nowhere = None if NOWHERE in np.unique(y).tolist() else NOWHERE
    clusters = np.array([column for column, name in enumerate(names) if name != nowhere], dtype=int)
    rows, columns = linear_sum_assignment(-counts[:, clusters])
    return counts, rows, clusters[columns]


def _entropy(p: Array) -> float:
    p = p[p > 0]
    return float(-np.sum(p * np.log(p)))
