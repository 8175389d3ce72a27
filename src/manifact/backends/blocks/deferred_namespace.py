"""The functions of the array API on deferred arrays, as far as terms and solvers ask for them."""

from __future__ import annotations

from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from manifact.backends.blocks.deferred import Deferred, Rows, apply, elementwise, summed

#: Functions of NumPy's that work entry by entry.
ENTRYWISE = ("maximum", "minimum", "log", "exp", "sqrt", "abs", "where", "isfinite")


def _entrywise(name: str) -> Any:
    function = getattr(np, name)

    def deferred(*arguments: Any) -> Any:
        return elementwise(function, *arguments)

    return deferred


def _as_type(P: Any, dtype: Any) -> Any:
    return np.asarray(P).astype(dtype, copy=False)


def astype(P: Deferred, dtype: Any, copy: bool = True, device: Any = None) -> Any:
    """P in another type."""
    if P._dtype is not None and P._dtype == np.dtype(dtype):
        return P
    shape = P._shape
    return apply(_as_type, P, np.dtype(dtype), dtype=dtype, shape=shape)


def _filled(P: Any, value: float) -> Any:
    return np.full_like(P, value)


def ones_like(P: Deferred) -> Any:
    """1 everywhere."""
    return apply(_filled, P, 1.0, dtype=P._dtype, shape=P._shape)


def zeros_like(P: Deferred) -> Any:
    """0 everywhere."""
    return apply(_filled, P, 0.0, dtype=P._dtype, shape=P._shape)


def sum_(P: Deferred, axis: int | None = None) -> Any:
    """Σ along rows, or over all of them."""
    if not isinstance(P, Rows):
        return apply(np.sum, P, axis)
    if axis == 1:
        return apply(np.sum, P, axis, columns=())
    return summed(np.sum, P, axis)


def _most(P: Any, axis: int | None) -> Any:
    return np.max(P, axis=axis)


def max_(P: Deferred, axis: int | None = None) -> Any:
    """The largest entry, of all or of each column."""
    return summed(_most, P, axis, combine=np.maximum) if isinstance(P, Rows) else apply(np.max, P, axis)


def any_(P: Deferred) -> Any:
    """Whether one is true."""
    return summed(np.any, P, combine=np.logical_or) if isinstance(P, Rows) else apply(np.any, P)


def _stacked(*parts: Any) -> Any:
    return np.stack([np.asarray(part) for part in parts])


def stack(parts: list[Any]) -> Any:
    """Several of one shape, one after the other."""
    return apply(_stacked, *parts)


def _broadcast(P: Any, shape: tuple[int, ...]) -> Any:
    return np.array(np.broadcast_to(P, shape))


def eye(n: int, dtype: Any = None, device: Any = None) -> Any:
    """The identity of the host, which goes with small arrays."""
    return np.eye(n, dtype=dtype)


def zeros(shape: Any, dtype: Any = None, device: Any = None) -> Any:
    """Zeros of the host, which go with small arrays."""
    return np.zeros(shape, dtype=dtype)


def asarray(P: Any, copy: bool | None = None, dtype: Any = None, device: Any = None) -> Any:
    """P itself: nothing is changed in place."""
    return P if dtype is None else astype(P, dtype)


#: What `__array_namespace__` of a deferred array gives.
NAMESPACE = ModuleType("manifact deferred arrays")
vars(NAMESPACE).update(
    **{name: _entrywise(name) for name in ENTRYWISE},
    any=any_,
    asarray=asarray,
    astype=astype,
    broadcast_to=lambda P, shape: apply(_broadcast, P, shape, shape=shape, dtype=P._dtype),
    eye=eye,
    finfo=np.finfo,
    float32=np.dtype(np.float32),
    float64=np.dtype(np.float64),
    linalg=SimpleNamespace(diagonal=lambda P: apply(np.diagonal, P)),
    max=max_,
    ones_like=ones_like,
    reshape=lambda P, shape: apply(np.reshape, P, shape, dtype=P._dtype),
    stack=stack,
    sum=sum_,
    zeros=zeros,
    zeros_like=zeros_like,
)
