"""Where an iteration stands: the data, the factors, and the products that terms share."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, ClassVar, Self

from manifact.backends import Array, Data, Gram, backend_of, namespace

#: The kinds of states there are, and their names for people.
NAMES = {
    "factors": "X ~ V Uᵀ",
    "two representations": "X ~ V Uᵀ and X ~ A Uᵀ",
    "concepts": "X ~ V CᵀX",
}
KINDS = frozenset(NAMES)


def product(*blocks: str) -> Callable[[Callable[[Any], Any]], Any]:
    """Make a method a property, computed once per state and kept while the named blocks stay the same."""

    def wrap(compute: Callable[[Any], Any]) -> property:
        def get(self: Any) -> Any:
            return self.keep(compute.__name__, blocks, lambda: compute(self))

        return property(get, doc=compute.__doc__)

    return wrap


def ahead(new: Array, before: Array, rate: float) -> Array:
    """A factor, or a product that is linear in one, moved on the same way."""
    return new if rate == 0 else backend_of(new).ahead(new, before, rate)


class State:
    """X ~ V Uᵀ. States are replaced, not changed: products that a new block cannot alter are carried over."""

    kind: ClassVar[str] = "factors"
    #: The order in which one iteration updates the factors.
    blocks: ClassVar[tuple[str, ...]] = ("V", "U")
    #: Products that are linear in a block: they scale and move with it.
    linear: ClassVar[dict[str, str]] = {"XU": "U", "XtV": "V"}

    data: Any

    def __init__(self, data: Data | Gram, U: Array, V: Array, kept: dict[Any, Any] | None = None) -> None:
        self.data = data
        self.U = U
        self.V = V
        self._kept = {} if kept is None else kept

    def __getitem__(self, block: str) -> Array:
        return getattr(self, block)

    def replace(self, block: str, value: Array) -> Self:
        """The state with another value of a block."""
        kept = {name: entry for name, entry in self._kept.items() if block not in entry[0]}
        factors = {name: self[name] for name in self.blocks} | {block: value}
        return type(self)(self.data, kept=kept, **factors)

    def unchanged(self) -> Self:
        """The same state, which keeps the products that it has now and none that are made later."""
        return type(self)(self.data, kept=dict(self._kept), **{name: self[name] for name in self.blocks})

    def rescaled(self, lengths: Array) -> Self:
        """U / lengths and V · lengths, with the products that only change their scale."""
        backend = backend_of(self.U)

        def scaled(P: Array, block: str) -> Array:
            return backend.scale(P, columns=1 / lengths if block == "U" else lengths)

        factors = {name: scaled(self[name], name) for name in self.blocks}
        kept = {
            name: ((block,), scaled(self._kept[name][1], block))
            for name, block in self.linear.items()
            if name in self._kept
        }
        return type(self)(self.data, kept=kept, **factors)

    def ahead(self, before: State, rate: float, *blocks: str) -> Self:
        """The state (some of its blocks only, if they are named) moved on as far again as it came, times ``rate``.

        Products with X that are linear in a factor move along, so that this costs none.
        """
        if rate == 0:
            return self
        moved = blocks or self.blocks
        factors = {name: ahead(self[name], before[name], rate) if name in moved else self[name] for name in self.blocks}
        kept = {
            name: ((block,), ahead(getattr(self, name), getattr(before, name), rate))
            for name, block in self.linear.items()
            if block in moved and name in self._kept and name in before._kept
        }
        return type(self)(self.data, kept=kept, **factors)

    def keep(self, name: Hashable, blocks: tuple[str, ...], compute: Callable[[], Any]) -> Any:
        """The value of ``compute()``, remembered under a name until one of the blocks is replaced."""
        if name not in self._kept:
            self._kept[name] = (blocks, compute())
        return self._kept[name][1]

    def arrays(self) -> dict[str, Array]:
        """The factors, and the products that were carried along and would differ in their last digits if made anew."""
        carried = {name: self._kept[name][1] for name in self.linear if name in self._kept}
        return {name: self[name] for name in self.blocks} | carried

    @classmethod
    def from_arrays(cls, data: Any, arrays: dict[str, Array]) -> Self:
        """The state that ``arrays`` were taken from."""
        kept = {name: ((block,), arrays[name]) for name, block in cls.linear.items() if name in arrays}
        return cls(data, kept=kept, **{name: arrays[name] for name in cls.blocks})

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

    @product("U", "V")
    def overlap(self) -> Any:
        """<Γ X U, V>, from whichever product is there."""
        if "XtV" in self._kept and "XU" not in self._kept:
            return self.data.inner(self.U, self.XtV)
        return self.data.inner(self.XU, self.V)

    @product("U")
    def UtU_wide(self) -> Array:
        """Uᵀ U in float64, for objectives."""
        return self.data.cross(self.U, self.U)

    @product("V")
    def VtV_wide(self) -> Array:
        """Vᵀ Γ V in float64."""
        return self.data.gram(self.V)

    @product("U")
    def U_squares(self) -> Array:
        """‖u_k‖² in float64."""
        xp = namespace(self.U)
        return xp.sum(xp.astype(self.U, xp.float64) ** 2, axis=0)

    @product("U")
    def UtU(self) -> Array:
        """Uᵀ U."""
        return self._narrow(self.UtU_wide)

    @product("V")
    def VtV(self) -> Array:
        """Vᵀ Γ V."""
        return self._narrow(self.VtV_wide)

    @product("U")
    def U_sums_wide(self) -> Array:
        """Σ_i u_ik in float64, for objectives."""
        return self.data.sums(self.U)

    @product("V")
    def V_sums_wide(self) -> Array:
        """Σ_j γ_j v_jk in float64."""
        return self.data.weighted_sums(self.V)

    @product("U")
    def U_sums(self) -> Array:
        """Σ_i u_ik."""
        return self._narrow(self.U_sums_wide)

    @product("V")
    def V_sums(self) -> Array:
        """Σ_j γ_j v_jk."""
        return self._narrow(self.V_sums_wide)

    def _narrow(self, P: Array) -> Array:
        """P in the type of the factors."""
        return namespace(P).astype(P, self.U.dtype, copy=False)


class TwofoldState(State):
    """X ~ V Uᵀ and X ~ A Uᵀ: one basis for a representation that is held by more than the data, and one that is not."""

    kind: ClassVar[str] = "two representations"
    blocks: ClassVar[tuple[str, ...]] = ("V", "A", "U")

    def __init__(
        self, data: Data | Gram, U: Array, V: Array, A: Array | None = None, kept: dict[Any, Any] | None = None
    ) -> None:
        super().__init__(data, U, V, kept)
        self.A = V if A is None else A

    @product("A", "U")
    def second(self) -> State:
        """X ~ A Uᵀ, with the products of the basis that both have."""
        shared = {name: (("U",), getattr(self, name)) for name in ("XU", "UtU_wide", "UtU")}
        return State(self.data, self.U, self.A, shared)


class ConceptState(State):
    """X ~ V CᵀX: the basis is U = XᵀC, and only products with K = X Xᵀ appear. The block "U" holds C, n x k."""

    kind: ClassVar[str] = "concepts"

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
    def U_squares(self) -> Array:
        """c_kᵀ K c_k in float64."""
        return namespace(self.U).linalg.diagonal(self.UtU_wide)

    @product("U")
    def UtU_wide(self) -> Array:
        """Cᵀ K C in float64."""
        return self.data.cross(self.U, self.basis)
