"""Graph regularised NMF."""

from __future__ import annotations

from dataclasses import dataclass

from manifact import checks
from manifact.models.base import LOSSES
from manifact.models.graph_regularized import GraphFactorization


@dataclass(eq=False, repr=False, kw_only=True)
class GNMF(GraphFactorization):
    """‖X − V Uᵀ‖² + λ Tr(VᵀLV), or KL(X ‖ V Uᵀ) + λ Tr(Vᵀ L log V), over U, V ≥ 0."""

    loss: str = "frobenius"

    def _check_model(self) -> None:
        super()._check_model()
        checks.option("loss", self.loss, LOSSES)
