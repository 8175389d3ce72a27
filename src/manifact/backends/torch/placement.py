"""Samples of the host on a device."""

from __future__ import annotations

from typing import Any

from manifact.backends.torch.tensors import as_tensor


def placed(X: Any, device: str) -> Any:
    """An array or sparse matrix of the host as a tensor there."""
    return as_tensor(X, device)
