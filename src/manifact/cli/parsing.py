"""Options that are written as text: sizes, pairs, shares."""

from __future__ import annotations

import re
from typing import Any


def size(option: str, text: str | None) -> int | tuple[int, int] | None:
    """``32x24`` as (32, 24), ``64`` as 64.

    >>> size("--image-size", "32x24"), size("--image-size", "64")
    ((32, 24), 64)
    """
    if text is None:
        return None
    match = re.fullmatch(r"([1-9]\d*)(?:x([1-9]\d*))?", text.strip().lower())
    if match is None:
        raise ValueError(f"{option}={text!r} must be HEIGHTxWIDTH such as 32x32, or one number for the longer side")
    height, width = match.groups()
    return int(height) if width is None else (int(height), int(width))


def shape(option: str, text: str | None) -> tuple[int, ...] | None:
    """``32x32`` as (32, 32), ``32x32x3`` with colours.

    >>> shape("--image-shape", "8x8x3")
    (8, 8, 3)
    """
    if text is None:
        return None
    if re.fullmatch(r"[1-9]\d*x[1-9]\d*(x3)?", text.strip().lower()) is None:
        raise ValueError(f"{option}={text!r} must be HEIGHTxWIDTH such as 32x32, or 32x32x3 with colours")
    return tuple(map(int, text.strip().lower().split("x")))


def pair(option: str, text: str | None) -> tuple[int, int] | None:
    """``1,2`` as (1, 2).

    >>> pair("--ngrams", "1,2"), pair("--ngrams", "2")
    ((1, 2), (2, 2))
    """
    if text is None:
        return None
    match = re.fullmatch(r"([1-9]\d*)(?:\s*,\s*([1-9]\d*))?", text.strip())
    if match is None:
        raise ValueError(f"{option}={text!r} must be two numbers such as 1,2")
    low, high = match.groups()
    return int(low), int(high or low)


def frequency(option: str, text: str | None) -> int | float | None:
    """A whole number as it is, a share between 0 and 1 as a float.

    >>> frequency("--min-df", "2"), frequency("--max-df", "0.5")
    (2, 0.5)
    """
    if text is None:
        return None
    if text.isdigit() and int(text) > 0:
        return int(text)
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise ValueError(f"{option}={text!r} must be a number of documents such as 2, or a share such as 0.01")
    return share


def stop_words(text: str | None) -> Any:
    """``english`` and ``none`` by name, else the words of a file."""
    if text in (None, "english", "none"):
        return text
    from manifact.io.readers import read_words

    return read_words(str(text))


def count(option: str, text: str | None) -> int | str | None:
    """A number ≥ 1, or ``auto``.

    >>> count("-k", "20"), count("-k", "auto")
    (20, 'auto')
    """
    if text is None or text == "auto":
        return text
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise ValueError(f"{option}={text!r} must be a whole number >= 1, or auto")
    return int(text)


def strength(option: str, text: str | None) -> float | str | None:
    """A number ≥ 0, or ``auto``.

    >>> strength("--tau", "0.5"), strength("--tau", "auto")
    (0.5, 'auto')
    """
    if text is None or text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option}={text!r} must be a number >= 0, or auto") from None
