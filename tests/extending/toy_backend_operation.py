"""An operation of a backend: a kernel for some rows, and the function that shares all rows out among threads."""

from math import log

import numpy as np

from manifact.backends.numpy.kernels import kernel
from manifact.backends.threads import over_rows


@kernel
def _row_entropies(P, out, start, stop):
    """out_j = −Σ_k p_jk log p_jk."""
    for j in range(start, stop):
        total = 0.0
        for k in range(P.shape[1]):
            if P[j, k] > 0:
                total -= P[j, k] * log(P[j, k])
        out[j] = total


def row_entropies(P):
    """−Σ_k p_jk log p_jk of every row j, in float64."""
    out = np.empty(P.shape[0])
    over_rows(_row_entropies, P.shape[0], 20 * P.size, np.ascontiguousarray(P), out)
    return out
