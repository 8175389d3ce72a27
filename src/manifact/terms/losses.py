"""How far V Uᵀ is from X. A loss owns all that depends on it; nobody else asks which one it is."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from manifact.backends import Array, backend_of, device_of, namespace, smallest_normal
from manifact.terms.forms import LogBound, RowQuadratic
from manifact.terms.smoothness import EntropicSmoothness, Smoothness
from manifact.terms.state import State
from manifact.terms.statistics import DivergenceStatistics, QuadraticStatistics, Statistics
from manifact.terms.term import Parts, Quadratic, Term

#: Losses by the name that ``loss=`` takes.
LOSSES: dict[str, type[Loss]] = {}
#: The most iterations of a projection by multiplicative steps, and the relative change at which it stops.
PROJECTION_ITERATIONS, PROJECTION_TOL = 1000, 1e-9


class Loss(Term):
    """How far V Uᵀ is from X, summed over all entries; rows weighted by γ.

    A new loss has a ``name``, ``value`` and ``gradient``, and becomes known by subclassing; the rest has defaults that
    work for every loss. One that cannot take all data says so in ``check``. With ``rows`` goes ``misfits(s)``, the loss
    of each sample, and with ``bound`` ``mass(s)``, the sum of its c.
    """

    name: ClassVar[str]
    #: Who can minimise it, alone, with its smoothness and with penalties; the first is what "auto" means.
    solvers: ClassVar[tuple[str, ...]] = ("mu",)
    #: The penalty of neighbours that differ, as the paper of this loss has it.
    smoothness: ClassVar[type[Any]] = Smoothness
    #: The factor between scikit-learn's loss and this one: its penalties are scaled alike.
    times_sklearns: ClassVar[float] = 1.0
    #: What it must know of samples that are gone to learn on from others; None: it needs all samples at once.
    statistics: ClassVar[type[Statistics] | None] = None
    #: Whether a V with zeros has an infinite objective beside the smoothness.
    needs_positive_V: ClassVar[bool] = False

    kinds = frozenset({"factors", "two representations"})

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "name" in vars(cls):
            LOSSES[cls.name] = cls

    def gradient(self, s: State, block: str) -> Parts:
        """Positive and negative part."""
        raise NotImplementedError

    def lacks(self, need: str) -> str | None:
        """The forms of a loss come with what solvers ask beside them."""
        beside = {"rows": "misfits", "bound": "mass"}.get(need)
        if hasattr(self, need) and beside is not None and not hasattr(self, beside):
            return f"no {beside}(s), which goes with {need}"
        return super().lacks(need)

    def error(self, value: float) -> float:
        """The reconstruction error, as scikit-learn reports it, of a value."""
        return math.sqrt(max(0.0, 2 * value))

    def project(self, data: Any, U: Array, pull: Array | None, held: Any, l1: float, l2: float) -> Array:
        """V for new samples with the basis fixed, each on its own.

        Rows minimise the loss, l1 Σ v + l2/2 Σ v², and the smoothness that ties them to training samples:
        ``pull`` is λ W V of their neighbours there, ``held`` λ times their degrees; None and 0 where they are free.
        """
        xp = namespace(U)
        mean = max(data.square_sum / max(1, data.shape[0] * data.shape[1]), 0.0) ** 0.5
        V = xp.full((data.shape[0], U.shape[1]), mean or 1.0, dtype=U.dtype, device=device_of(U))
        drawn = 0.0 if pull is None else 2 * pull
        held = held[:, None] if getattr(held, "ndim", 0) == 1 else held
        power = self.powers.get("V", 1.0)
        for _ in range(PROJECTION_ITERATIONS):
            positive, negative = self.gradient(State(data, U, V), "V") or (0.0, 0.0)
            factor = data.rescale(xp.ones_like(V), negative + drawn, positive + (l1 + (l2 + 2 * held) * V))
            new = V * factor**power
            change, size = data.inner(new - V, new - V), data.inner(new, new)
            V = new
            if change <= PROJECTION_TOL**2 * size:
                break
        return V


class Frobenius(Loss):
    """‖X − V Uᵀ‖², rows weighted by γ (GNMF paper, eq 1 and appendix C)."""

    name = "frobenius"
    solvers = ("bcd", "mu")
    times_sklearns = 2.0
    statistics = QuadraticStatistics
    kinds = Term.kinds
    rows_by_sign = True

    def value(self, s: State) -> float:
        """‖X‖² − 2 <X U, V> + <UᵀU, VᵀV>, from products that the updates need anyway."""
        square = s.data.square_sum
        value = square - 2 * s.overlap + s.data.inner(s.UtU_wide, s.VtV_wide)
        epsilon = float(namespace(s.U).finfo(s.U.dtype).eps)
        if s.data.settles_for_free or value < max(1e-6, 1e5 * epsilon) * square:
            # The expanded square has lost too many digits: the residual is summed instead.
            return s.data.settled(value, s.U, s.V)
        return value

    def gradient(self, s: State, block: str) -> Parts:
        """2 V UᵀU and 2 X U; 2 U VᵀV and 2 XᵀV."""
        if block == "V":
            return s.data.weighted(_product(s.V, 2 * s.UtU)), 2 * s.XU
        return (_product(s.basis, 2 * s.VtV), 2 * s.XtV) if block == "U" else None

    def quadratic(self, s: State, block: str) -> Quadratic | None:
        """The same, the matrices split by sign: K for concepts, UᵀU for their V."""
        if block == "V":
            xp = namespace(s.UtU)
            positive, negative = xp.maximum(s.UtU, 0), xp.maximum(-s.UtU, 0)
            parts = (s.data.weighted(_product(s.V, 2 * part)) for part in (positive, negative))
            return *parts, -2 * s.XU
        if block == "U":
            parts = (_product(part, 2 * s.VtV) for part in (s.basis_positive, s.basis_negative))
            return *parts, -2 * s.XtV
        return None

    def rows(self, s: State, block: str) -> RowQuadratic | None:
        """Exactly the loss, but for ‖X‖²."""
        if block == "V":
            return RowQuadratic(s.UtU, s.XU, s.data.weight)
        return RowQuadratic(s.VtV_wide, s.XtV) if block == "U" else None

    def descended(self, s: State, before: State, rate: float, sweeps: int) -> State | None:
        """V, then U, lowered from points ahead where this loss is all there is; None where data know no short way."""
        if type(self) is not Frobenius:
            return None
        # Without momentum the last XᵀV does not count.
        XtV = s.XtV if rate else s.U
        found = s.data.descended(s.U, s.V, (before.U, before.V), rate, XtV, sweeps)
        if found is None:
            return None
        kept = {
            "XtV": (("V",), found.XtV),
            "VtV_wide": (("V",), found.VtV),
            "UtU_wide": (("U",), found.UtU),
            "overlap": (("U", "V"), found.overlap),
        }
        return type(s)(s.data, found.U, found.V, kept=kept)

    def misfits(self, s: State) -> Array:
        """The loss of each sample."""
        xp = namespace(s.V)
        return s.data.squares - xp.sum((2 * s.XU - s.data.weighted(_product(s.V, s.UtU))) * s.V, axis=1)

    def error(self, value: float) -> float:
        """‖X − V Uᵀ‖."""
        return math.sqrt(max(0.0, value))

    def project(self, data: Any, U: Array, pull: Array | None, held: Any, l1: float, l2: float) -> Array:
        """Non-negative least squares."""
        return data.project_least_squares(U, U.T @ U, pull, held + l2 / 2, l1)


class KullbackLeibler(Loss):
    """Σ x log(x / y) − x + y with Y = V Uᵀ, rows weighted by γ (GNMF paper, eq 2)."""

    name = "kullback-leibler"
    solvers = ("newton", "mu")
    smoothness = EntropicSmoothness
    statistics = DivergenceStatistics
    needs_positive_V = True

    def value(self, s: State) -> float:
        """Y is summed through its factors: Σ y = <Σ u, Σ v>."""
        return s.data.entropy_sum - self._pass(s)[1] + s.U_sums_wide @ s.V_sums_wide

    def gradient(self, s: State, block: str) -> Parts:
        """Σ_i u_i and (X / Y) U; Σ_j v_j and (X / Y)ᵀ V."""
        if block == "V":
            sums, weight = s.U_sums[None, :], s.data.weight
            return (sums if weight is None else weight[:, None] * sums), self.ratio_U(s)
        return (s.V_sums[None, :], self.ratio_V(s)) if block == "U" else None

    def bound(self, s: State, block: str) -> LogBound | None:
        """Σ a v − c log v: the concave −log Y is taken apart by Jensen's inequality."""
        parts = self.gradient(s, block)
        return None if parts is None else LogBound(parts[0], s[block] * parts[1])

    def mass(self, s: State) -> float:
        """Σ c, for either block: Σ γ_j x_ji."""
        return s.data.entry_sum

    def ratio_U(self, s: State) -> Array:
        """(Γ X / Y) U."""
        return self._pass(s)[0]

    def ratio_V(self, s: State) -> Array:
        """(Γ X / Y)ᵀ V."""
        found: Array = s.keep("ratio_V", ("U", "V"), lambda: s.data.ratio_times_transposed(s.U, s.V))
        return found

    def _pass(self, s: State) -> tuple[Array, float]:
        """(Γ X / Y) U and Σ γ_j x_ji log y_ji, in one pass over X."""
        found: tuple[Array, float] = s.keep("ratio_U", ("U", "V"), lambda: s.data.ratio_times(s.U, s.V))
        return found

    def project(self, data: Any, U: Array, pull: Array | None, held: Any, l1: float, l2: float) -> Array:
        """Its own kernel, whose rows stop one by one."""
        return data.project_divergence(U, pull, held, l1, l2)


def _product(P: Array, G: Array) -> Array:
    return backend_of(P).product(P, G)


def positive_floor(V: Array) -> Array:
    """V with zeros raised to a number that costs nothing and whose logarithm is finite."""
    mean = float(backend_of(V).column_sums(V).sum()) / max(1, V.shape[0] * V.shape[1])
    return namespace(V).maximum(V, 1e-10 * mean or max(1e-10, smallest_normal(V)))
