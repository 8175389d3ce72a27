"""The device that ``device=`` names, and samples placed there."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from importlib.util import find_spec
from typing import Any, TypeVar

from manifact.backends.kinds import PACKAGES, package_of, tensors
from manifact.utils.errors import BadValueError, MissingPackageError, TooLargeError

Function = TypeVar("Function", bound=Callable[..., Any])
#: What may stand there; "cuda:1" and so on name one of several.
NAMES = ("cpu", "cuda", "auto")


def check_device(name: Any) -> None:
    """Refuse what names no device, without looking for one."""
    kind, colon, number = name.partition(":") if isinstance(name, str) else ("", "", "")
    if name not in NAMES and not (kind == "cuda" and colon and number.isdigit()):
        raise BadValueError(
            "{device}={!r} is not known: choose 'cpu', 'cuda' ('cuda:1' for the second GPU) or 'auto'", name
        )


def chosen_device(name: str) -> str | None:
    """The GPU that is meant, as PyTorch names it; None for the host. Refuse one that is not there."""
    check_device(name)
    if name == "cpu":
        return None
    if find_spec("torch") is None:
        if name == "auto":
            return None
        raise MissingPackageError(
            "{device}={!r} needs PyTorch, manifact's extra [torch]: pip install torch, or use {device}='cpu'", name
        )
    there = import_module("manifact.backends.torch.gpus").number_of_gpus()
    if name == "auto":
        return "cuda" if there else None
    if not there:
        raise BadValueError(
            "{device}={!r} needs a GPU that PyTorch can use, and there is none: use {device}='cpu', or 'auto'", name
        )
    if int(name.partition(":")[2] or 0) >= there:
        raise BadValueError("{device}={!r} is not there: PyTorch sees {} GPU{}", name, there, "s" * (there > 1))
    return name


def reachable_device(name: str) -> str | None:
    """The same, but the host where it is not there: a fitted model serves on machines without one."""
    try:
        return chosen_device(name)
    except (BadValueError, MissingPackageError):
        return None


def placed(X: Any, device: str | None) -> Any:
    """Samples on a device; where they are, if none is named."""
    if device is None:
        return X
    if package_of(X) in PACKAGES:
        return tensors().moved(X, device)
    return import_module("manifact.backends.torch.placement").placed(X, device)


def says_what_fits(function: Function) -> Function:
    """``function``, which says in one sentence what to do where the memory of a GPU does not suffice."""

    @wraps(function)
    def told(*arguments: Any, **named: Any) -> Any:
        try:
            return function(*arguments, **named)
        except RuntimeError as error:
            # Of PyTorch, which nobody imports to catch it.
            if type(error).__name__ != "OutOfMemoryError":
                raise
            free, total = import_module("manifact.backends.torch.gpus").memory_in_gib()
            raise TooLargeError(
                "the GPU's memory is full ({:.1f} of its {:.1f} GiB were free): give X in float32 or as a sparse "
                "matrix, fewer samples at a time or a smaller {n_components}, or use {device}='cpu'",
                free,
                total,
            ) from error

    return told  # type: ignore[return-value]
