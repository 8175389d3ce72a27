"""A term: neighbouring features of a part are alike, as in spectra and signals."""

from manifact.backends import namespace, on_host
from manifact.terms import Term


class TotalVariation(Term):
    """λ Σ_k Σ_i √((u_ik − u_{i+1,k})² + ε²): parts that change seldom along the features."""

    # The rows of U are features, which have an order; for concept models they would be samples.
    kinds = frozenset({"factors", "two representations"})

    def __init__(self, lam, epsilon=1e-2):
        self.lam = float(lam)
        self.epsilon = float(epsilon)

    def value(self, s):
        """Every sum is the data's: they know where the arrays live."""
        return self.lam * float(on_host(s.data.sums(self._jumps(s.U))).sum())

    def gradient(self, s, block):
        """λ Σ_j w_ij u_i and λ Σ_j w_ij u_j over the features j beside i, w = 1 / √(…): both ≥ 0."""
        if block != "U":
            return None
        xp = namespace(s.U)
        w, nothing = 1 / self._jumps(s.U), xp.zeros_like(s.U[:1])
        before, after = xp.concat([nothing, w]), xp.concat([w, nothing])
        pulled = before * xp.concat([nothing, s.U[:-1]]) + after * xp.concat([s.U[1:], nothing])
        return self.lam * (before + after) * s.U, self.lam * pulled

    def _jumps(self, U):
        return namespace(U).sqrt((U[1:] - U[:-1]) ** 2 + self.epsilon**2)
