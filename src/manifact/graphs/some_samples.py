"""Some of the samples that come in blocks, in memory: all of them where they are few."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.utils.memory import fits

#: Clusters of more samples than these would be the same.
ENOUGH = 100_000
#: So few samples are looked at in any case.
FEWEST = 1000
#: What is made of samples that are looked at takes about so many times their memory.
TIMES_SAMPLES = 6
#: And no more than half of what is free.
HALF = 2


def some_of(X: Any, most: int = ENOUGH) -> Array:
    """The numbers, in their order, of at most so many samples, and of as many as fit into memory."""
    n = X.shape[0]
    per_sample = TIMES_SAMPLES * max(1, X.nbytes // max(n, 1))
    while most > FEWEST and not fits(HALF * min(n, most) * per_sample):
        most = max(FEWEST, most // 2)
    return np.arange(n) if n <= most else np.sort(np.random.RandomState(0).permutation(n)[:most])
