"""Plain non-negative matrix factorisation."""

from __future__ import annotations

from dataclasses import dataclass

from manifact import checks
from manifact.models.base import LOSSES, Factorization


@dataclass(eq=False, repr=False, kw_only=True)
class NMF(Factorization):
    """‖X − V Uᵀ‖² or KL(X ‖ V Uᵀ) over U, V ≥ 0 (Lee, Seung 2001)."""

    loss: str = "frobenius"

    def _check_model(self) -> None:
        checks.option("loss", self.loss, LOSSES)
