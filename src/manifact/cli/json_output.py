"""JSON that every program can read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import isfinite
from typing import Any

from manifact.utils.terminal_text import is_acting


def dumps(value: Any, indent: int | None = None) -> str:
    """The value as JSON, with null for numbers that JSON does not know.

    >>> dumps({"error": float("nan"), "sizes": (1, float("inf"))})
    '{"error": null, "sizes": [1, null]}'
    """
    text = json.dumps(_plain(value), ensure_ascii=False, indent=indent, allow_nan=False)
    if text.isprintable():
        return text
    # JSON has escapes for all characters, and some would act upon a terminal or be none in UTF-8.
    return "".join(json.dumps(character)[1:-1] if is_acting(character) else character for character in text)


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
