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
    return _largest(normalized_dispersion(logged), n)


def most_dispersed(mean: Array, variance: Array, n: int) -> Array:
    """The same, from the mean and the variance of each gene's normalised counts."""
    return _largest(_within_bins(mean, variance), n)


def normalized_dispersion(logged: Any) -> Array:
    """How far each gene's log dispersion is above that of its bin, in standard deviations of the bin."""
    found = Moments(logged.shape[1])
    found.add(logged)
    return _within_bins(found.mean, found.variance)


def _largest(score: Array, n: int) -> Array:
    kept = np.zeros(len(score), dtype=bool)
    kept[np.argsort(-score, kind="stable")[:n]] = True  # of those that are alike the earlier
    return kept


def _within_bins(mean: Array, variance: Array) -> Array:
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


class Moments:
    """Mean and variance of each column of expm1 of what is added, a block of rows at a time."""

    def __init__(self, m: int) -> None:
        self._n, self._sparse = 0, False
        self.mean: Array = np.zeros(m)
        #: Squares around the mean; of sparse data, around zero, which costs nothing for zeros.
        self._squares: Array = np.zeros(m)

    def add(self, logged: Any) -> None:
        """Some more rows."""
        if sparse.issparse(logged):
            self._add_sparse(logged)
        else:
            self._add_dense(logged)

    @property
    def variance(self) -> Array:
        """With n − 1 in the denominator."""
        if self._sparse:
            return np.maximum(self._squares - self._n * self.mean**2, 0) / max(1, self._n - 1)
        return self._squares / max(1, self._n - 1)

    def _add_sparse(self, logged: Any) -> None:
        m, n = len(self.mean), self._n + logged.shape[0]
        values = np.expm1(logged.data.astype(np.float64))
        self.mean = (self.mean * self._n + np.bincount(logged.indices, weights=values, minlength=m)) / n
        self._squares = self._squares + np.bincount(logged.indices, weights=values * values, minlength=m)
        self._n, self._sparse = n, True

    def _add_dense(self, logged: Any) -> None:
        before, here = self._n, logged.shape[0]
        n = before + here
        for start in range(0, logged.shape[1], 1024):  # dense cells are large enough once
            columns = slice(start, start + 1024)
            block = np.expm1(logged[:, columns].astype(np.float64))
            mean = block.mean(axis=0)
            apart = mean - self.mean[columns]
            # Chan, Golub & LeVeque (1983)
            self._squares[columns] += ((block - mean) ** 2).sum(axis=0) + apart**2 * before * here / n
            self.mean[columns] += apart * here / n
        self._n = n
