"""Clusters of samples, read off the eigenvectors of their graph."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.linalg import svd

from manifact.backends import Array

#: Rounds of reassignment at the most; after these few samples still move.
ROUNDS = 10
#: Rows are equally different from others that differ by less than this share of the most, squared; and one that is no
#: longer than this beside others depends on them.
ALMOST, DEPENDENT = 0.01, 1e-6


def clusters(E: Array) -> Array:
    """A cluster for each row of k eigenvectors: that of the mean direction it is nearest to.

    The directions begin at `corners`, so there is no start to draw and only the graph makes a difference.
    """
    # float32 has more digits than a cluster hangs on.
    F = unit_rows(E).astype(np.float32)
    return settled(F, corners(F))


def corners(F: Array) -> Array:
    """A cluster for each row of F, whose rows have unit length.

    k samples whose directions are as different as possible are found one after the other; every sample goes with the
    axis it is nearest to once these are turned onto the axes (A. Damle, V. Minden, L. Ying. Simple, direct and
    efficient multi-way spectral clustering. Information and Inference 8, 2019).
    """
    return turned_onto_axes(F, most_different(F))


def turned_onto_axes(F: Array, rows: Array) -> Array:
    """The axis that each row of F is nearest to once k of them are turned onto the axes."""
    left, _, right = svd(F[rows].T, full_matrices=False, check_finite=False)
    return np.asarray(np.abs(F @ (left @ right)).argmax(axis=1))


def most_different(F: Array) -> Array:
    """k rows of F, each with the most that is not in the directions of those before it (QR with pivots).

    All rows are equally long at first, and rounding would choose among them: of rows that have almost the most the
    first is taken, so that another device or library finds the same.
    """
    n, k = F.shape
    chosen, axes = np.zeros(min(n, k), dtype=np.int64), np.zeros((k, k), dtype=F.dtype)
    outside = np.einsum("ij,ij->i", F, F)
    for number in range(len(chosen)):
        most = outside.max()
        row = int(np.argmax(outside >= most - ALMOST * abs(most)))
        axis, before = F[row], axes[:number]
        # Twice: the first leaves what rounding makes of a row that all but depends on others. Not by BLAS, some of
        # whose kernels look past the end of short rows and report what they find there as invalid.
        for _ in range(2):
            axis = axis - np.einsum("i,ij->j", np.einsum("ij,j->i", before, axis), before)
        length = np.sqrt(axis @ axis)
        axes[number] = axis / length if length > DEPENDENT else 0
        outside = outside - (F @ axes[number]) ** 2
        chosen[number], outside[row] = row, -np.inf
    return chosen


def settled(F: Array, labels: Array, rounds: int = ROUNDS) -> Array:
    """Labels after everybody has moved to the nearest mean direction, and again, until nobody moves."""
    n, k = F.shape
    ones, places = np.ones(n, dtype=F.dtype), np.arange(n + 1)
    for _ in range(rounds):
        members = sparse.csr_array((ones, labels, places), shape=(n, k))
        moved = (F @ unit_rows(members.T @ F).T).argmax(axis=1)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def unit_rows(E: Array) -> Array:
    """Rows at unit length; those without entries stay."""
    lengths = np.sqrt(np.einsum("ij,ij->i", E, E))[:, None]
    return np.divide(E, lengths, out=np.zeros_like(E), where=lengths > 0)
