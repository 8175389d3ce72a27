"""What ‖X − V Uᵀ‖² + ‖X − A Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖² must know of samples that are gone: sums that fade."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from manifact.backends import Array, backend_of
from manifact.terms.forms import RowQuadratic
from manifact.terms.statistics import QuadraticStatistics
from manifact.terms.statistics_protocol import Hold, check_shapes
from manifact.utils.stored_classes import stored

#: Rounds of steps on V for every product with X.
ROUNDS = 4


@stored(both="both", FF="FF", XF="XF", FV="FV", VV="VV")
@dataclass(frozen=True, eq=False)
class AffinityStatistics:
    """Σ ρ of f fᵀ, x fᵀ, f vᵀ and v vᵀ, and for the basis of (v vᵀ + a aᵀ) and x (v + a)ᵀ.

    For a row v all other samples are 2 μ Σ_j ρ_j (fᵀf_j − vᵀv_j)² = 2 μ (vᵀ VV v − 2 fᵀ FV v) + const. μ falls as the
    samples grow in number, so that each row is held as strongly as with all samples at once.
    """

    both: QuadraticStatistics
    FF: Array
    XF: Array
    FV: Array
    VV: Array

    @classmethod
    def empty(cls, m: int, k: int, dtype: Any) -> Self:
        """Of no samples."""
        XF, square = np.zeros((m, k), dtype=dtype), np.zeros((k, k))
        return cls(QuadraticStatistics.empty(m, k, dtype), square, XF, square, square)

    @classmethod
    def of_fit(cls, U: Array, V: Array, F: Array, share: float) -> Self:
        """Of samples that are gone but for V and F, with U as the minimiser.

        ``share`` is μ ‖F Fᵀ‖² / τ, what F explained of the data. Of A and X only what V says of them is known.
        """
        both = QuadraticStatistics.of_fit(U, V)
        backend = backend_of(V)
        FF, FV = backend.cross(F, F), backend.cross(F, V)
        inside = V * np.asarray(F.any(axis=1), dtype=V.dtype)[:, None]
        XF = U @ FV.T.astype(U.dtype)
        known = cls(replace(both, G=2 * both.G, B=2 * both.B), FF, XF, FV, backend.cross(inside, inside))
        size = known.explained
        return replace(known, XF=XF * U.dtype.type(np.sqrt(share / size))) if size > 0 else known

    def check(self, m: int, k: int) -> None:
        """Refuse what a file holds, if it does not belong to m features and k parts."""
        self.both.check(m, k)
        check_shapes((self.XF, (m, k)), (self.FF, (k, k)), (self.FV, (k, k)), (self.VV, (k, k)))

    @property
    def explained(self) -> float:
        """‖P X‖², P the projection onto the columns of F."""
        inverse = np.linalg.pinv(self.FF, hermitian=True)
        return max(0.0, float(np.einsum("ij,jk,ik->", self.XF, inverse, self.XF)))

    def strength(self, tau: float) -> float:
        """μ = τ ‖P X‖² / ‖F Fᵀ‖²."""
        alike = float(np.sum(self.FF**2))
        return tau * self.explained / alike if alike > 0 else 0.0

    def faded(self, share: float) -> Self:
        """Every sample counts by this share of what it did."""
        products = (self.FF * share, self.XF * self.XF.dtype.type(share), self.FV * share, self.VV * share)
        return type(self)(self.both.faded(share), *products)

    def counted(self, data: Any, F: Array) -> Self:
        """With what a block says whatever its V is."""
        return replace(
            self, FF=self.FF + data.cross(F, F), XF=self.XF + data.times_transposed(F.astype(data.dtype, copy=False))
        )

    def joined(self, data: Any, V: Array, A: Array | None, F: Array) -> Self:
        """With the V and A of a block; without A the basis is V's alone."""
        G, coefficients = data.gram(V), V
        if A is not None:
            # Both representations share the basis, so one product with X serves both.
            G, coefficients = G + data.gram(A), V + A
        both = replace(self.both, G=self.both.G + G, B=self.both.B + data.times_transposed(coefficients))
        inside = V * np.asarray(F.any(axis=1), dtype=V.dtype)[:, None]
        return replace(self, both=both, FV=self.FV + data.cross(F, V), VV=self.VV + data.cross(inside, inside))

    def rows(self, data: Any, U: Array, V: Array | None, F: Array, mu: float, hold: Hold) -> Array:
        """V of a block beside all samples before it and, where it is known, beside itself; this does not rise."""
        form = RowQuadratic(U.T @ U, data.times(U), shift=hold.l2 / 2, l1=hold.l1 / 2)
        known = np.asarray(F.any(axis=1))
        B = form.right(form.B) + (2 * mu * (F @ self.FV)).astype(U.dtype)
        G = (form.G + 2 * mu * self.VV).astype(U.dtype)
        backend = backend_of(B)
        if V is None:
            tied = backend.nonnegative_least_squares(G, B, form.shift)
            if known.all():
                return tied
            return np.where(known[:, None], tied, form.lowered(np.zeros_like(B), ROUNDS))
        V = np.where(known[:, None], V, 0) if not known.all() else V
        swept = backend.sweep_affinity(V, G, B, 1.0, form.shift, F.astype(U.dtype, copy=False), known, mu, ROUNDS)
        return swept if known.all() else np.where(known[:, None], swept, form.lowered(np.zeros_like(B), ROUNDS))
