"""Arrays that are formulas until somebody needs their numbers: tall ones in blocks of rows, and small ones.

What terms and solvers write down becomes a graph of operations. Numbers are asked for rarely (an objective, a
decision), and then everything that can be computed in one walk over the blocks is: a block of X is read once, however
many steps and sums need it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from manifact.backends.blocks.layout import Layout

Function = Callable[..., Any]


class Deferred:
    """An array of which the shape, the type and how to compute it are known."""

    package = "blocks"
    #: Its numbers cost a walk, which may be worth putting off.
    is_formula = True
    #: NumPy's arrays on the left leave operators to us.
    __array_ufunc__ = None
    __hash__ = object.__hash__

    def __init__(
        self, layout: Layout, function: Function | None, arguments: Sequence[Any], shape: Any = None, dtype: Any = None
    ) -> None:
        self.layout = layout
        self.function = function
        self.arguments = tuple(arguments)
        self._shape = shape
        self._dtype = None if dtype is None else np.dtype(dtype)

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        from manifact.backends.blocks.deferred_namespace import NAMESPACE

        return NAMESPACE

    @property
    def device(self) -> Layout:
        """Where it lives: with all others of its layout."""
        return self.layout

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def shape(self) -> tuple[int, ...]:
        """Rows and columns."""
        raise NotImplementedError

    def contiguous(self) -> Any:
        """Itself: computed rows are in one piece."""
        return self

    def forget(self) -> None:
        """Let go of what this was computed from."""
        self.function, self.arguments = None, ()

    def __add__(self, other: Any) -> Any:
        return elementwise(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return elementwise(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return elementwise(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return elementwise(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return elementwise(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return elementwise(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return elementwise(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return elementwise(operator.truediv, other, self)

    def __pow__(self, other: Any) -> Any:
        return elementwise(operator.pow, self, other)

    def __neg__(self) -> Any:
        return elementwise(operator.neg, self)

    def __abs__(self) -> Any:
        return elementwise(operator.abs, self)

    def __lt__(self, other: Any) -> Any:
        return elementwise(operator.lt, self, other, dtype=bool)

    def __le__(self, other: Any) -> Any:
        return elementwise(operator.le, self, other, dtype=bool)

    def __gt__(self, other: Any) -> Any:
        return elementwise(operator.gt, self, other, dtype=bool)

    def __ge__(self, other: Any) -> Any:
        return elementwise(operator.ge, self, other, dtype=bool)

    def __eq__(self, other: Any) -> Any:
        return elementwise(operator.eq, self, other, dtype=bool)

    def __ne__(self, other: Any) -> Any:
        return elementwise(operator.ne, self, other, dtype=bool)

    def __matmul__(self, other: Any) -> Any:
        return matmul(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return matmul(other, self)


class Rows(Deferred):
    """A row for each sample, in blocks."""

    #: What the blocks hold, once they were computed to be kept.
    held: Any = None
    #: Whether blocks are kept when they are computed: they will be read by more than one walk.
    kept: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        return (self.layout.n_rows, *self._shape)

    @property
    def columns(self) -> tuple[int, ...]:
        """The shape of one row."""
        return tuple(self._shape)

    @property
    def dtype(self) -> Any:
        """Of its numbers."""
        return self._dtype

    def __getitem__(self, key: Any) -> Rows:
        if not (isinstance(key, tuple) and isinstance(key[0], slice) and key[0] == slice(None)):
            raise TypeError("rows in blocks are taken all at once: ask for [:, columns]")
        columns = np.empty((1, *self._shape), dtype=bool)[key].shape[1:]
        return Rows(self.layout, operator.getitem, (self, key), columns, self.dtype)


class Whole(Deferred):
    """A small array or a number."""

    _value: Any = None
    known: bool = False

    def value(self) -> Any:
        """Its numbers, computed if they are not known."""
        if not self.known:
            self.layout.evaluate(self)
        return self._value

    def become(self, value: Any) -> None:
        """Hold what was computed."""
        # A number of one's own type would widen float32 arrays that it is multiplied with.
        self._value = value.item() if isinstance(value, np.generic) else value
        self.known = True
        self.forget()

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.value()) if self._shape is None else tuple(self._shape)

    @property
    def dtype(self) -> Any:
        """Of its numbers."""
        return np.asarray(self.value()).dtype if self._dtype is None else self._dtype

    @property
    def T(self) -> Whole:
        """Its transpose."""
        shape = None if self._shape is None else self._shape[::-1]
        return Whole(self.layout, np.transpose, (self,), shape, self._dtype)

    def __getitem__(self, key: Any) -> Whole:
        # Of a view that takes no memory: what is asked for has this shape.
        shape = None if self._shape is None else np.broadcast_to(np.empty(()), self._shape)[key].shape
        return Whole(self.layout, operator.getitem, (self, key), shape, self._dtype)

    def sum(self, axis: int | None = None) -> Whole:
        """Σ of its numbers."""
        return Whole(self.layout, np.sum, (self, axis))

    def item(self) -> Any:
        """The one number that it is."""
        return np.asarray(self.value()).item()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.asarray(self.value(), dtype=dtype)

    def __float__(self) -> float:
        return float(self.value())

    def __bool__(self) -> bool:
        return bool(self.value())

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        return iter(np.asarray(self.value()))


class Sum(Whole):
    """What blocks give, added up over all of them, in their order."""

    def __init__(
        self, layout: Layout, function: Function, arguments: Sequence[Any], shape: Any = None, dtype: Any = None,
        combine: Function = operator.add,
    ) -> None:  # fmt: skip
        super().__init__(layout, function, arguments, shape, dtype)
        self.combine = combine
        layout.pending[id(self)] = self


class Across:
    """All blocks of some rows, of which a block's operation picks what it needs."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows


def whole(layout: Layout, value: Any) -> Whole:
    """A small array that is known."""
    made = Whole(layout, None, ())
    made.become(value)
    if isinstance(value, np.ndarray):
        made._shape, made._dtype = value.shape, value.dtype
    return made


def kept(P: Any) -> Any:
    """P, which more than one walk will read."""
    if isinstance(P, Rows):
        P.kept = True
    return P


def apply(function: Function, *arguments: Any, columns: Any = None, dtype: Any = None, shape: Any = None) -> Any:
    """function(arguments), block by block where one of them is in blocks."""
    rows = [argument for argument in arguments if isinstance(argument, Rows)]
    if rows:
        columns = rows[0].columns if columns is None else columns
        return Rows(rows[0].layout, function, arguments, columns, rows[0].dtype if dtype is None else dtype)
    layout = next(argument.layout for argument in arguments if isinstance(argument, Deferred))
    return Whole(layout, function, arguments, shape, dtype)


def summed(function: Function, *arguments: Any, combine: Function = operator.add, shape: Any = None) -> Sum:
    """function(arguments) of every block, added up."""
    layout = next(argument.layout for argument in arguments if isinstance(argument, Rows))
    return Sum(layout, function, arguments, shape, combine=combine)


def elementwise(function: Function, *arguments: Any, dtype: Any = None) -> Any:
    """function(arguments) entry by entry, with NumPy's rules for shapes and types."""
    shapes = [shape for argument in arguments if (shape := _known_shape(argument)) is not None]
    if dtype is None:
        dtype = _result_type(arguments)
    rows = [argument for argument in arguments if isinstance(argument, Rows)]
    if rows:
        # One row of each: of a column, of a matrix, or what is the same for all rows.
        return apply(function, *arguments, columns=np.broadcast_shapes(*shapes)[1:], dtype=dtype)
    complete = len(shapes) == len(arguments)
    return apply(function, *arguments, shape=np.broadcast_shapes(*shapes) if complete else None, dtype=dtype)


def matmul(left: Any, right: Any) -> Any:
    """Left @ right; where both are in blocks, add up what the blocks give."""
    if isinstance(right, Rows):
        raise TypeError("a product over samples is a sum over blocks: ask the backend for cross(A, B)")
    dtype = _result_type((left, right))
    if isinstance(left, Rows):
        return apply(operator.matmul, left, right, columns=right.shape[1:], dtype=dtype)
    shapes = _known_shape(left), _known_shape(right)
    shape = None if None in shapes else (*shapes[0][:-1], *shapes[1][1:])  # type: ignore[index]
    return apply(operator.matmul, left, right, shape=shape, dtype=dtype)


def _known_shape(argument: Any) -> tuple[int, ...] | None:
    if isinstance(argument, Rows):
        return argument.shape
    if isinstance(argument, Whole):
        return None if argument._shape is None else tuple(argument._shape)
    return np.shape(argument)


def _result_type(arguments: Sequence[Any]) -> Any:
    types = []
    for argument in arguments:
        if isinstance(argument, Deferred):
            if argument._dtype is not None:
                types.append(argument._dtype)
        else:
            types.append(argument if isinstance(argument, int | float) else np.asarray(argument).dtype)
    return np.result_type(*types) if types and any(isinstance(one, np.dtype) for one in types) else None
