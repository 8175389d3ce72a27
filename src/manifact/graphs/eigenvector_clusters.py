"""Clusters of samples, read off the eigenvectors of their graph."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr, svd

from manifact.backends import Array

#: Rounds of reassignment at the most; after these few samples still move.
ROUNDS = 10


def clusters(E: Array) -> Array:
    """A cluster for each row of k eigenvectors: that of the mean direction it is nearest to.

    The directions begin at `corners`, so there is no start to draw and only the graph makes a difference.
    """
    # float32 has more digits than a cluster hangs on.
    F = unit_rows(E).astype(np.float32)
    return settled(F, corners(F))


def corners(F: Array) -> Array:
    """A cluster for each row of F, whose rows have unit length.

    Pivoted QR finds k samples whose directions are as different as possible; every sample goes with the axis it is
    nearest to once these are turned onto the axes (A. Damle, V. Minden, L. Ying. Simple, direct and efficient multi-way
    spectral clustering. Information and Inference 8, 2019).
    """
    chosen = qr(F.T, mode="r", pivoting=True, check_finite=False)[1][: F.shape[1]]
    left, _, right = svd(F[chosen].T, full_matrices=False, check_finite=False)
    return np.asarray(np.abs(F @ (left @ right)).argmax(axis=1))


def settled(F: Array, labels: Array, rounds: int = ROUNDS) -> Array:
    """Labels after everybody has moved to the nearest mean direction, and again, until nobody moves."""
    every = np.arange(F.shape[1])
    for _ in range(rounds):
        # A product with an array, zeros and all, is quicker than a sparse matrix is made.
        members = (labels[:, None] == every).astype(F.dtype)
        moved = (F @ unit_rows(members.T @ F).T).argmax(axis=1)
        if np.array_equal(moved, labels):
            break
        labels = moved
    return labels


def unit_rows(E: Array) -> Array:
    """Rows at unit length; those without entries stay."""
    lengths = np.sqrt(np.einsum("ij,ij->i", E, E))[:, None]
    return np.divide(E, lengths, out=np.zeros_like(E), where=lengths > 0)
