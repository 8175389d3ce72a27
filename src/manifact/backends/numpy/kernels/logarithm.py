"""Σ x log y over a whole row: vectorised, where the mathematics library takes one number at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel

LN2 = 0.6931471805599453
#: Bits of sqrt(1/2): numbers are split into 2^e m with m from sqrt(1/2) to sqrt(2).
HALF_ROOT = np.int64(0x3FE6A09E667F3BCD)
MANTISSA = np.int64(52)


@kernel
def weighted_log_sum(x: Any, y: Any, bits: Any, exponents: Any) -> float:
    """Σ x log y in double precision for normal y; y and ``bits`` are one memory, and are used up."""
    n = len(x)
    # Two loops: where one memory has two names, the compiler dares to vectorise only what uses one of them.
    for t in range(n):
        exponent = (bits[t] - HALF_ROOT) >> MANTISSA
        bits[t] -= exponent << MANTISSA
        exponents[t] = exponent
    total = 0.0
    for t in range(n):
        # log m = 2 artanh z = 2 z (1 + z²/3 + z⁴/5 + …) with |z| < 0.172.
        z = (y[t] - 1) / (y[t] + 1)
        s = z * z
        series = 1 / 17 + s * (1 / 19 + s * (1 / 21))
        series = 1 / 9 + s * (1 / 11 + s * (1 / 13 + s * (1 / 15 + s * series)))
        series = 1 + s * (1 / 3 + s * (1 / 5 + s * (1 / 7 + s * series)))
        total += x[t] * (exponents[t] * LN2 + 2 * z * series)
    return total
