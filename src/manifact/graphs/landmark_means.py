"""Landmarks of a stream: they stay, and what is known of them follows the samples that come and go."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from scipy import sparse

from manifact.backends import Array, Placed, backend_of, on_host
from manifact.graphs.landmark import LandmarkOperator, mixtures
from manifact.graphs.operators import check_width
from manifact.utils.cached_properties import cached_property
from manifact.utils.sparse_matrices import sorted_csr
from manifact.utils.stored_classes import is_positive, stored


def _fits(facts: Mapping[str, Any]) -> None:
    is_positive(facts, "sigma", "n_neighbors")
    landmarks, sums, masses = facts["landmarks"], facts["sums"], facts["masses"]
    if landmarks.ndim != 2 or sums.ndim != 2 or len(sums) != len(landmarks) or masses.shape != landmarks.shape[:1]:
        raise ValueError(f"{len(landmarks)} landmarks with {len(sums)} sums")


@stored(_fits, landmarks="landmarks", n_neighbors="n_neighbors", sigma="sigma", sums="sums", masses="masses")
class LandmarkMeans:
    """r_l = Σ_j ρ_j z_jl v_j / Σ_j ρ_j z_jl: V at p landmarks, z_j the mixture of landmarks that a sample is.

    With all samples at once Tr(VᵀLV) = Σ_jl z_jl ‖v_j − r_l‖² for L = I − ẐᵀẐ, and no other r makes the sum smaller: so
    a penalty of neighbours that differ is one of samples that differ from their landmarks, and a sample needs to know
    the landmarks alone.
    """

    def __init__(self, landmarks: Array, n_neighbors: int, sigma: float, sums: Array, masses: Array) -> None:
        """Sums are p x k, masses p."""
        self.landmarks = landmarks
        self.n_neighbors = n_neighbors
        self.sigma = sigma
        self.sums = sums
        self.masses = masses

    @classmethod
    def of_graph(cls, graph: LandmarkOperator, V: Array) -> Self:
        """As the samples of a graph leave them."""
        sums = np.asarray(graph.Z.T @ V.astype(np.float64))
        return cls(graph.landmarks, graph._n_neighbors, graph._sigma, sums, np.array(graph.masses, dtype=np.float64))

    @classmethod
    def unknown(cls, landmarks: Array, n_neighbors: int, sigma: float, k: int) -> Self:
        """Before any sample."""
        return cls(landmarks, n_neighbors, sigma, np.zeros((len(landmarks), k)), np.zeros(len(landmarks)))

    @property
    def means(self) -> Array:
        """R, p x k; zeros for landmarks that no sample was near to."""
        return self.sums / np.where(self.masses > 0, self.masses, 1)[:, None]

    @property
    def energies(self) -> Array:
        """Σ_l ‖r_l‖² mass_l of every column: what Tr(VᵀLV) lacks of Σ ρ v²."""
        return np.einsum("lk,lk->k", self.means, self.sums)

    def graph(self, X: Any) -> LandmarkOperator:
        """The graph of some samples through these landmarks."""
        return LandmarkOperator(self.mixtures(X), self.landmarks, self.n_neighbors, self.sigma)

    def mixtures(self, X: Any) -> Any:
        """Z of samples, n x p."""
        check_width(X, self.landmarks.shape[1])
        if sparse.issparse(X):
            X = sorted_csr(X)  # whoever searches would sort the user's own
        index, squares = map(on_host, backend_of(X).nearest(self._placed.beside(X), self.n_neighbors, X))
        return mixtures(index, squares, self.sigma, len(self.landmarks))

    def tie(self, Z: Any) -> tuple[Array, Array]:
        """Z R, and the share of each mixture that is of landmarks with a mean."""
        known = (self.masses > 0).astype(np.float64)
        return np.asarray(Z @ self.means), np.asarray(Z @ known)

    def faded(self, share: float) -> Self:
        """Every sample counts by this share of what it did."""
        return self._with(self.sums * share, self.masses * share)

    def joined(self, Z: Any, V: Array) -> Self:
        """With the samples of a block."""
        return self._with(self.sums + Z.T @ V, self.masses + np.asarray(Z.sum(axis=0)).ravel())

    def rescaled(self, lengths: Array) -> Self:
        """As if every V had been multiplied by ``lengths``, column by column."""
        return self._with(self.sums * lengths, self.masses)

    def _with(self, sums: Array, masses: Array) -> Self:
        new = type(self)(self.landmarks, self.n_neighbors, self.sigma, sums, masses)
        new.__dict__["_placed"] = self._placed
        return new

    @cached_property
    def _placed(self) -> Placed:
        return Placed(self.landmarks)

    def __getstate__(self) -> dict[str, Any]:
        # What is kept for devices is made again.
        return {name: value for name, value in vars(self).items() if name != "_placed"}
