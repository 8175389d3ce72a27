"""How much memory may be used for data that do not fit into it, and where they are kept on disk meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from manifact.utils import memory
from manifact.utils.sizes import size_in_bytes

#: A block, its products with the factors, and what is made of it on the way: all of them fit so often.
SHARE = 16
#: No block is larger: beyond it nothing is won. None has fewer rows, unless these alone took a whole share.
MOST_BYTES, LEAST_ROWS = 256 << 20, 1000
#: What is taken where the system does not say how much is free.
UNKNOWN = 4 << 30


@dataclass(frozen=True)
class Workspace:
    """A limit on memory in bytes, and the folder for temporary files (None: the system's)."""

    memory: int
    scratch: Path | None = None

    @staticmethod
    def of(limit: Any = None, scratch: str | PathLike[str] | None = None) -> Workspace:
        """From what a user says; without a limit, what is free now."""
        bytes_ = memory.available() if limit is None else size_in_bytes("memory", limit)
        return Workspace(bytes_ or UNKNOWN, None if scratch is None else Path(scratch))

    @property
    def block_bytes(self) -> int:
        """Bytes of a block of rows."""
        return max(1, min(MOST_BYTES, self.memory // SHARE))

    def rows(self, row_bytes: float) -> int:
        """Rows of a block, where each takes so many bytes."""
        least = min(LEAST_ROWS, int(self.memory / 4 / max(row_bytes, 1)))
        return max(1, least, int(self.block_bytes / max(row_bytes, 1)))
