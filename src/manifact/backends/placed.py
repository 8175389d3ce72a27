"""An array of the host, and copies of it where others live."""

from __future__ import annotations

from typing import Any

from manifact.backends.kinds import backend_of, package_of


class Placed:
    """An array or sparse matrix of the host, and beside it copies on devices, each made once."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self._copies: dict[tuple[str, str], Any] = {}

    def beside(self, other: Any) -> Any:
        """The array where another one lives."""
        device = package_of(other), str(getattr(other, "device", "cpu"))
        if device not in self._copies:
            self._copies[device] = backend_of(other).like(self.array, other)
        return self._copies[device]

    def __getstate__(self) -> dict[str, Any]:
        # Another process may have no such device.
        return {"array": self.array, "_copies": {}}
