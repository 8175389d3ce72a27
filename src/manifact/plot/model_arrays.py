"""What is drawn of a fitted model, with one sentence where it is not there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from manifact.backends import Array, on_host


def read(model: Any, attribute: str) -> Any:
    """An attribute that ``fit`` makes."""
    if hasattr(model, attribute) and not isinstance(model, type):
        return getattr(model, attribute)
    if isinstance(model, type) or not hasattr(model, "fit"):
        name = getattr(model, "__name__", type(model).__name__)
        raise TypeError(f"a fitted model is needed to draw its {attribute}, got {name}")
    raise _missing(model, attribute)


def _missing(model: Any, attribute: str) -> Exception:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    name = type(model).__name__
    try:
        check_is_fitted(model)
    except NotFittedError:
        return NotFittedError(f"{name} is not fitted: call fit before drawing it")
    if attribute == "components_" and hasattr(model, "kernel"):
        return ValueError(
            f"{name} with kernel={model.kernel!r} has its basis in the kernel's space: it cannot be drawn"
        )
    return TypeError(f"{name} has no {attribute}: it cannot be drawn this way")


def matrix(model: Any, attribute: str, name: str) -> Array:
    """A factor of a model, or the matrix itself that the user calls ``name``."""
    own = isinstance(model, np.ndarray | list | tuple) or hasattr(model, "__array__")
    P = np.asarray(on_host(model if own else read(model, attribute)), dtype=float)
    if P.ndim != 2 or not P.size:
        raise ValueError(f"{name} has shape {P.shape} but must be a matrix with a row for each")
    if not np.isfinite(P).all():
        raise ValueError(f"{name} contains NaN or infinite values: they cannot be drawn")
    return P


def components(model: Any) -> Array:
    """Uᵀ."""
    return matrix(model, "components_", "components")


def selected(parts: Iterable[int] | None, k: int) -> list[int]:
    """Numbers of parts, all k of them for None."""
    if parts is None:
        return list(range(k))
    chosen = list(np.atleast_1d(np.asarray(parts)))
    for part in chosen:
        if not isinstance(part, np.integer) or not 0 <= part < k:
            raise ValueError(f"parts={parts!r} holds {part}: there are parts 0 to {k - 1}")
    if not chosen:
        raise ValueError("parts is empty: name at least one part, or leave it out for all")
    return [int(part) for part in chosen]
