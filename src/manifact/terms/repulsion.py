"""SPNMF's terms on V: near samples attract, far samples repel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends.numpy import repulsion_weights, sparse_times
from manifact.graphs.operator import AffinityGraph
from manifact.terms.state import State


class Repulsion:
    """β/2 Σ_ij Wʳ_ij exp(−‖v_i − v_j‖²) on the edges of the far graph (SPNMF paper, eq 7).

    Its gradient is −2β L̃ʳV with W̃ʳ = Wʳ ∘ exp(−‖v_i − v_j‖²), so that far samples that are close in V repel most.
    """

    def __init__(self, far: AffinityGraph, beta: float) -> None:
        self.far = far
        self.beta = float(beta)

    def weights(self, s: State) -> Any:
        """W̃ʳ at V, once per V."""
        return s.keep("repulsion_weights", ("V",), lambda: repulsion_weights(self.far.W, s.V))

    def value(self, s: State) -> float:
        """Summed over the edges."""
        return self.beta / 2 * float(self.weights(s).data.sum(dtype=np.float64))

    def grad_U(self, s: State) -> None:
        """The basis does not enter."""
        return None

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """2 β W̃ʳ V and 2 β D̃ʳ V."""
        W = self.weights(s)
        degrees = np.asarray(W.sum(axis=1)).reshape(-1, 1).astype(s.V.dtype, copy=False)
        return 2 * self.beta * sparse_times(W, s.V), 2 * self.beta * degrees * s.V


class ElementwiseStructure:
    """α Tr(VᵀLˡV) + `Repulsion`, its gradient 2(αLˡ − βL̃ʳ)V split by the sign of each matrix entry (eq 15).

    Where a degree of the near graph meets one of the far graph, only their difference enters.
    """

    def __init__(self, near: AffinityGraph, alpha: float, repulsion: Repulsion) -> None:
        self.near = near
        self.alpha = float(alpha)
        self.repulsion = repulsion

    def value(self, s: State) -> float:
        """Both parts."""
        return self.alpha * self.near.energy(s.V, s.V) + self.repulsion.value(s)

    def grad_U(self, s: State) -> None:
        """The basis does not enter."""
        return None

    def grad_V(self, s: State) -> tuple[Any, Any]:
        """2 L⁺V and 2 L⁻V."""
        W = sparse.csr_array(
            self.alpha * self.near.W - self.repulsion.beta * self.repulsion.weights(s), dtype=s.V.dtype
        )
        diagonal = np.asarray(W.sum(axis=1)).reshape(-1, 1)
        attract, repel = W.maximum(0), (-W).maximum(0)
        return (
            2 * (np.maximum(diagonal, 0) * s.V + sparse_times(sparse.csr_array(repel), s.V)),
            2 * (np.maximum(-diagonal, 0) * s.V + sparse_times(sparse.csr_array(attract), s.V)),
        )
