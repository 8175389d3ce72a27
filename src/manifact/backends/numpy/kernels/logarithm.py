"""Σ x log y over a whole row: vectorised, where the mathematics library takes one number at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends.numpy.kernels import kernel

LN2 = 0.6931471805599453
#: Bits of sqrt(1/2): numbers are split into 2^e m with m from sqrt(1/2) to sqrt(2); and how many m has.
HALF_ROOT, MANTISSA = np.int64(0x3FE6A09E667F3BCD), np.int64(52)
SINGLE_HALF_ROOT, SINGLE_MANTISSA = np.int64(0x3F3504F3), np.int64(23)


@kernel
def weighted_log_sum(x: Any, y: Any, bits: Any, exponents: Any) -> float:
    """Σ x log y, added up in double precision, for normal y; y and ``bits`` are one memory, and are used up.

    Logarithms of y in single precision have the digits of y: its own rounding matters more.
    """
    n, number, whole = len(x), y.dtype.type, bits.dtype.type
    single = y.itemsize == 4
    half_root = whole(SINGLE_HALF_ROOT if single else HALF_ROOT)
    mantissa = whole(SINGLE_MANTISSA if single else MANTISSA)
    # Loops of their own: where one memory has two names, the compiler dares to vectorise only what uses one of them.
    for t in range(n):
        exponent = (bits[t] - half_root) >> mantissa
        bits[t] -= exponent << mantissa
        exponents[t] = exponent
    for t in range(n):
        # log m = 2 artanh z = 2 z (1 + z²/3 + z⁴/5 + …) with |z| < 0.172.
        z = (y[t] - number(1)) / (y[t] + number(1))
        s = z * z
        series = number(1 / 17) + s * (number(1 / 19) + s * number(1 / 21))
        series = number(1 / 9) + s * (number(1 / 11) + s * (number(1 / 13) + s * (number(1 / 15) + s * series)))
        series = number(1) + s * (number(1 / 3) + s * (number(1 / 5) + s * (number(1 / 7) + s * series)))
        y[t] = number(2) * z * series
    total = 0.0
    for t in range(n):
        total += np.float64(x[t]) * (np.float64(exponents[t]) * LN2 + np.float64(y[t]))
    return total
