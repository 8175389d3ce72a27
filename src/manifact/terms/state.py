"""Where an iteration stands: the data, the factors, and the products that terms share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from manifact.backends import Array, Data, Gram


def product(*blocks: str) -> Callable[[Callable[[Any], Any]], Any]:
    """Make a method a property, computed once per state and kept while the named blocks stay the same."""

    def wrap(compute: Callable[[Any], Any]) -> property:
        def get(self: Any) -> Any:
            return self.keep(compute.__name__, blocks, lambda: compute(self))

        return property(get, doc=compute.__doc__)

    return wrap


@dataclass(frozen=True)
class Momentum:
    """What a step that extrapolates knows of the last one: its iterate (if it needs that), how far it went."""

    before: State | None
    rate: float
    bound: float


class State:
    """X ~ V Uᵀ. States are replaced, not changed: products that a new block cannot alter are carried over."""

    #: The order in which one iteration updates the factors.
    blocks: ClassVar[tuple[str, ...]] = ("V", "U")

    data: Any

    def __init__(self, data: Data | Gram, U: Array, V: Array, kept: dict[Any, Any] | None = None) -> None:
        self.data = data
        self.U = U
        self.V = V
        self._kept = {} if kept is None else kept
        #: Set by solvers that extrapolate.
        self.momentum: Momentum | None = None

    def __getitem__(self, block: str) -> Array:
        return getattr(self, block)

    def replace(self, block: str, value: Array) -> Self:
        """The state with another value of a block."""
        kept = {name: entry for name, entry in self._kept.items() if block not in entry[0]}
        factors = {name: self[name] for name in self.blocks} | {block: value}
        return type(self)(self.data, kept=kept, **factors)

    def alone(self) -> Self:
        """The same state without its momentum."""
        return type(self)(self.data, kept=self._kept, **{name: self[name] for name in self.blocks})

    def rescaled(self, lengths: Array) -> Self:
        """U / lengths and V · lengths, with the products that only change their scale."""
        lengths = lengths.astype(self.U.dtype)
        factors = {name: self[name] / lengths if name == "U" else self[name] * lengths for name in self.blocks}
        kept = {name: entry for name, entry in self._kept.items() if name in ("XU", "XtV")}
        for name, factor in (("XU", 1 / lengths), ("XtV", lengths)):
            if name in kept:
                kept[name] = (kept[name][0], kept[name][1] * factor)
        return type(self)(self.data, kept=kept, **factors)

    def keep(self, name: Hashable, blocks: tuple[str, ...], compute: Callable[[], Any]) -> Any:
        """The value of ``compute()``, remembered under a name until one of the blocks is replaced."""
        if name not in self._kept:
            self._kept[name] = (blocks, compute())
        return self._kept[name][1]

    @property
    def basis(self) -> Array:
        """The basis as its own gradient sees it: U here, K C for concepts."""
        return self.U

    @property
    def basis_positive(self) -> Array:
        """The same with the positive part of the matrix before U: the identity here, K⁺ for concepts."""
        return self.U

    @property
    def basis_negative(self) -> Array:
        """And with the negative part."""
        return 0 * self.U

    @product("U")
    def XU(self) -> Array:
        """Γ X U."""
        return self.data.times(self.U)

    @product("V")
    def XtV(self) -> Array:
        """Xᵀ Γ V."""
        return self.data.times_transposed(self.V)

    @product("U")
    def UtU_wide(self) -> Array:
        """Uᵀ U in float64, for objectives."""
        return self.data.cross(self.U, self.U)

    @product("V")
    def VtV_wide(self) -> Array:
        """Vᵀ Γ V in float64."""
        return self.data.gram(self.V)

    @product("U")
    def UtU(self) -> Array:
        """Uᵀ U."""
        return self.UtU_wide.astype(self.U.dtype, copy=False)

    @product("V")
    def VtV(self) -> Array:
        """Vᵀ Γ V."""
        return self.VtV_wide.astype(self.V.dtype, copy=False)

    @product("U")
    def U_sums_wide(self) -> Array:
        """Σ_i u_ik in float64, for objectives."""
        return self.data.sums(self.U)

    @product("V")
    def V_sums_wide(self) -> Array:
        """Σ_j γ_j v_jk in float64."""
        return self.data.column_sums(self.V)

    @product("U")
    def U_sums(self) -> Array:
        """Σ_i u_ik."""
        return self.U_sums_wide.astype(self.U.dtype, copy=False)

    @product("V")
    def V_sums(self) -> Array:
        """Σ_j γ_j v_jk."""
        return self.V_sums_wide.astype(self.V.dtype, copy=False)

    @product("U", "V")
    def _ratio_U(self) -> tuple[Array, float]:
        return self.data.ratio_times(self.U, self.V)

    @property
    def ratio_U(self) -> Array:
        """(Γ X / Y) U."""
        return self._ratio_U[0]

    @property
    def log_likelihood(self) -> float:
        """Σ γ_j x_ji log y_ji, from the same pass as `ratio_U`."""
        return self._ratio_U[1]

    @product("U", "V")
    def ratio_V(self) -> Array:
        """(Γ X / Y)ᵀ V."""
        return self.data.ratio_times_transposed(self.U, self.V)


class TwofoldState(State):
    """X ~ V Uᵀ and X ~ A Uᵀ: one basis for a representation that is held by more than the data, and one that is not."""

    blocks: ClassVar[tuple[str, ...]] = ("V", "A", "U")

    def __init__(
        self, data: Data | Gram, U: Array, V: Array, A: Array | None = None, kept: dict[Any, Any] | None = None
    ) -> None:
        super().__init__(data, U, V, kept)
        self.A = V if A is None else A

    @product("A", "U")
    def free(self) -> State:
        """X ~ A Uᵀ, with the products of the basis that both have."""
        shared = {name: (("U",), getattr(self, name)) for name in ("XU", "UtU_wide", "UtU")}
        return State(self.data, self.U, self.A, shared)


class ConceptState(State):
    """X ~ V CᵀX: the basis is U = XᵀC, and only products with K = X Xᵀ appear. The block "U" holds C, n x k."""

    @product("U")
    def basis(self) -> Array:
        """K C."""
        return self.data.times(self.U)

    @product("U")
    def basis_positive(self) -> Array:
        """K⁺ C."""
        return self.data.times_positive(self.U)

    @product("U")
    def basis_negative(self) -> Array:
        """K⁻ C."""
        return self.data.times_negative(self.U)

    @product("U")
    def XU(self) -> Array:
        """Γ K C."""
        return self.data.weighted(self.basis)

    @product("V")
    def XtV(self) -> Array:
        """K Γ V."""
        return self.data.times(self.data.weighted(self.V))

    @product("U")
    def UtU_wide(self) -> Array:
        """Cᵀ K C in float64."""
        return self.data.cross(self.U, self.basis)
