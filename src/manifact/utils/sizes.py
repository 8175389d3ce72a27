"""Numbers of bytes as people write them."""

from __future__ import annotations

import re
from typing import Any

from manifact.utils.errors import BadValueError, Parameter

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_SIZE = re.compile(r"([0-9]+(?:\.[0-9]*)?|\.[0-9]+)\s*([kmgt]?)(i?b)?", re.IGNORECASE)


def size_in_bytes(parameter: str, given: Any) -> int:
    """A number of bytes, from a number or a text such as 4G, 500M or 2GiB; all units are powers of 1024.

    >>> size_in_bytes("memory", "4G") == size_in_bytes("memory", "4 GiB") == 4 * 2**30
    True
    >>> size_in_bytes("memory", "0.5m")
    524288
    """
    match = _SIZE.fullmatch(str(given).strip())
    size = 0 if match is None else int(float(match[1]) * UNITS[match[2].lower()])
    if size < 1:
        raise BadValueError("{}={!r} must be a size such as 500M, 4G or 2GiB", Parameter(parameter), given)
    return size


def shown_size(n_bytes: float) -> str:
    """A size as people write it.

    >>> shown_size(6 * 2**30), shown_size(1536), shown_size(0)
    ('6.0 GiB', '1.5 KiB', '0 B')
    """
    for unit in ("B", "KiB", "MiB"):
        if n_bytes < 1024:
            return f"{n_bytes:.0f} B" if unit == "B" else f"{n_bytes:.1f} {unit}"
        n_bytes /= 1024
    return f"{n_bytes:.1f} GiB"
