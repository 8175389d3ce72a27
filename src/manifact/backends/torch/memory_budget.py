"""How much of a device's memory a block of work may take."""

from __future__ import annotations

from typing import Any

import torch
from sklearn import get_config

#: The most that a block takes on a GPU: more makes nothing faster.
MOST = 1 << 30
#: The share of what is free there.
SHARE = 4


def budget(beside: Any) -> int:
    """Bytes for what is computed at once beside a tensor: scikit-learn's ``working_memory``, or a share of a GPU's."""
    if beside.device.type != "cuda":
        return int(get_config()["working_memory"] * 2**20)
    free, _ = torch.cuda.mem_get_info(beside.device)
    return max(1 << 20, min(MOST, (free + _unused(beside.device)) // SHARE))


def _unused(device: Any) -> int:
    """What PyTorch holds of a GPU's memory and nobody uses."""
    return int(torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device))


def slices(beside: Any, n: int, bytes_each: int, at_most: int = 1 << 30) -> list[slice]:
    """0 to n in slices within the budget, where each takes so many bytes."""
    at_once = max(1, min(at_most, budget(beside) // max(1, bytes_each)))
    return [slice(start, min(start + at_once, n)) for start in range(0, n, at_once)]
