"""What a loader returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from manifact.backends import Array


@dataclass(frozen=True)
class Dataset:
    """Samples in rows, their classes (−1: unknown), and what is needed to show them."""

    name: str
    X: Any
    y: Array
    image_shape: tuple[int, int] | None = None
    feature_names: Array | None = None
    target_names: Array | None = None

    @property
    def n_classes(self) -> int:
        """Number of known classes."""
        return len(set(self.y[self.y >= 0].tolist()))
