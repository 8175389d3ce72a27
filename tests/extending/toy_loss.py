"""A loss: the divergence of Itakura and Saito, for power spectra, where 1 : 2 counts as much as 100 : 200."""

from typing import ClassVar

from manifact.backends import namespace
from manifact.terms.losses import Loss


class ItakuraSaito(Loss):
    """Σ x/y − log(x/y) − 1 with Y = V Uᵀ, rows weighted by γ."""

    name = "itakura-saito"
    # With the square root of the ratio no step raises it (Févotte, Idier 2011).
    powers: ClassVar = {"V": 0.5, "U": 0.5}

    def check(self, data):
        """It looks at every entry, and none may be 0; of sparse data `dense_blocks` itself says no."""
        if any(bool(namespace(X).any(X <= 0)) for _, X in data.dense_blocks()):
            raise ValueError("loss='itakura-saito' needs X > 0: add a small number to X, or use another loss")

    def value(self, s):
        """A block of rows at a time: Y is as large as X."""
        misfits = s.V[:, :1] * 0
        for rows, X in s.data.dense_blocks():
            xp, ratio = namespace(X), X / (s.V[rows] @ s.U.T)
            misfits[rows, 0] = xp.sum(ratio - xp.log(ratio) - 1, axis=1)
        return float(s.data.weighted_sums(misfits)[0])

    def gradient(self, s, block):
        """(1/Y) U and (X/Y²) U, weighted; (1/Y)ᵀΓV and (X/Y²)ᵀΓV."""
        if block not in ("V", "U"):
            return None
        positive, negative = s[block] * 0, s[block] * 0
        for rows, X in s.data.dense_blocks():
            Y = s.V[rows] @ s.U.T
            if block == "V":
                positive[rows], negative[rows] = (1 / Y) @ s.U, (X / Y**2) @ s.U
            else:
                V = s.data.weighted(s.V)[rows]
                positive, negative = positive + (1 / Y).T @ V, negative + (X / Y**2).T @ V
        return (s.data.weighted(positive), s.data.weighted(negative)) if block == "V" else (positive, negative)
