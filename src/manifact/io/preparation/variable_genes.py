"""Genes that tell cells apart: those whose dispersion is large among genes of a like mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array

#: Classes of genes by their mean, within which dispersions are compared.
BINS = 20


def most_variable(logged: Any, n: int) -> Array:
    """Whether each gene is among the ``n`` most variable, from log1p of normalised counts.

    The dispersion is variance / mean of the normalised counts; its logarithm is compared with those of genes of a like
    mean (Satija et al. 2015), as ``scanpy.pp.highly_variable_genes(n_top_genes=n)`` does.
    """
    score = normalized_dispersion(logged)
    kept = np.zeros(len(score), dtype=bool)
    kept[np.argsort(-score, kind="stable")[:n]] = True  # of those that are alike the earlier
    return kept


def normalized_dispersion(logged: Any) -> Array:
    """How far each gene's log dispersion is above that of its bin, in standard deviations of the bin."""
    mean, variance = _moments(logged)
    with np.errstate(divide="ignore", invalid="ignore"):
        dispersion = np.log(variance / np.where(mean > 0, mean, 1e-12))
    known = np.isfinite(dispersion)
    level = np.log1p(mean)
    edges = np.linspace(level.min(), level.max(), BINS + 1)
    place = np.clip(np.searchsorted(edges, level, side="left") - 1, 0, BINS - 1)
    score = np.zeros(len(mean))
    for number in range(BINS):
        here = known & (place == number)
        if not here.any():
            continue
        values = dispersion[here]
        # A gene alone in its bin has nobody to be compared with: it is as variable as one standard deviation.
        score[here] = (values - values.mean()) / (values.std(ddof=1) or 1.0) if len(values) > 1 else 1.0
    return score


def _moments(logged: Any) -> tuple[Array, Array]:
    """Mean and variance of each column of expm1 of this."""
    n = logged.shape[0]
    if sparse.issparse(logged):
        values = np.expm1(logged.data.astype(np.float64))
        total = np.bincount(logged.indices, weights=values, minlength=logged.shape[1])
        squares = np.bincount(logged.indices, weights=values * values, minlength=logged.shape[1])
        mean = total / n
        return mean, np.maximum(squares - n * mean**2, 0) / max(1, n - 1)
    mean, variance = np.zeros(logged.shape[1]), np.zeros(logged.shape[1])
    for start in range(0, logged.shape[1], 1024):  # dense cells are large enough once
        block = np.expm1(logged[:, start : start + 1024].astype(np.float64))
        mean[start : start + 1024] = block.mean(axis=0)
        variance[start : start + 1024] = block.var(axis=0, ddof=1) if n > 1 else 0
    return mean, variance
