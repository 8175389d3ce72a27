"""Properties that are computed once, without a lock: `functools` has one for all objects of a class until Python 3.12.

Fits in threads would wait for each other there, and a child that is forked meanwhile would wait for ever.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801
    """A method without arguments whose result is kept in place of it; threads that ask at once get the same one."""

    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type | None = None) -> T: ...

    def __get__(self, instance: object | None, owner: type | None = None) -> Self | T:
        if instance is None:
            return self
        # What two threads compute at once is the same, and the first one is kept.
        found: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return found
