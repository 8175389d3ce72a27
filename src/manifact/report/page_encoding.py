"""How numbers and texts travel inside the page."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np

from manifact.backends import Array

#: JSON inside a script element must hold nothing that ends or opens an element, nor the line ends of old JavaScript.
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def packed(values: Any, kind: str) -> dict[str, str]:
    """An array as base64 of little-endian numbers; ``kind`` is u1, u2, u4 or f4."""
    data = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {"type": kind, "data": base64.b64encode(data.tobytes()).decode("ascii")}


def packed_index(values: Any, count: int) -> dict[str, str]:
    """Whole numbers up to ``count``, in as few bytes as hold them."""
    return packed(values, "u1" if count < 1 << 8 else "u2" if count < 1 << 16 else "u4")


def quantised(values: Array, levels: int) -> Array:
    """Numbers between 0 and 1 as whole numbers between 0 and ``levels``."""
    return np.rint(np.clip(values, 0, 1) * levels).astype(np.int64)


def data_uri(png: bytes) -> str:
    """A picture as an address that holds it."""
    return "data:image/png;base64," + base64.b64encode(png).decode("ascii")


def number(value: Any) -> float | None:
    """A number as JSON has it: what is not finite is nothing."""
    return float(value) if value is not None and np.isfinite(value) else None


def script_json(value: Any) -> str:
    """JSON that is safe inside ``<script type="application/json">``."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in ESCAPES.items():
        text = text.replace(character, escape)
    return text
