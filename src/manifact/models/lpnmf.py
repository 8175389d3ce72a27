"""Locality preserving NMF."""

from __future__ import annotations

from dataclasses import dataclass

from manifact.models.graph_regularized import GraphFactorization


@dataclass(eq=False, repr=False, kw_only=True)
class LPNMF(GraphFactorization):
    """KL(X ‖ V Uᵀ) + λ Tr(Vᵀ L log V) over U, V ≥ 0."""

    @property
    def _loss(self) -> str:
        return "kullback-leibler"
