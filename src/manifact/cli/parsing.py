"""Options that are written as text: sizes, pairs, shares. Each takes the name of the parameter and what was typed."""

from __future__ import annotations

import re
from typing import Any

from manifact.utils.errors import BadValueError, Parameter


def device(parameter: str, text: str) -> str:
    """A device by its name, whether it is there or not.

    >>> device("device", "cuda:1")
    'cuda:1'
    """
    from manifact.backends.devices import check_device

    check_device(text)
    return text


def memory_size(parameter: str, text: str) -> int:
    """``4G``, ``500M`` and ``2GiB`` in bytes.

    >>> memory_size("memory", "2GiB")
    2147483648
    """
    from manifact.io.out_of_core.workspace import size_in_bytes

    return size_in_bytes(parameter, text)


def size(parameter: str, text: str) -> int | tuple[int, int]:
    """``32x24`` as (32, 24), ``64`` as 64.

    >>> size("image_size", "32x24"), size("image_size", "64")
    ((32, 24), 64)
    """
    match = re.fullmatch(r"([1-9]\d*)(?:x([1-9]\d*))?", text.strip().lower())
    if match is None:
        raise _refused(parameter, text, "HEIGHTxWIDTH such as 32x32, or one number for the longer side")
    height, width = match.groups()
    return int(height) if width is None else (int(height), int(width))


def shape(parameter: str, text: str) -> tuple[int, ...]:
    """``32x32`` as (32, 32), ``32x32x3`` with colours.

    >>> shape("image_shape", "8x8x3")
    (8, 8, 3)
    """
    if re.fullmatch(r"[1-9]\d*x[1-9]\d*(x3)?", text.strip().lower()) is None:
        raise _refused(parameter, text, "HEIGHTxWIDTH such as 32x32, or 32x32x3 with colours")
    return tuple(map(int, text.strip().lower().split("x")))


def pair(parameter: str, text: str) -> tuple[int, int]:
    """``1,2`` as (1, 2).

    >>> pair("ngrams", "1,2"), pair("ngrams", "2")
    ((1, 2), (2, 2))
    """
    match = re.fullmatch(r"([1-9]\d*)(?:\s*,\s*([1-9]\d*))?", text.strip())
    if match is None:
        raise _refused(parameter, text, "two numbers such as 1,2")
    low, high = match.groups()
    return int(low), int(high or low)


def frequency(parameter: str, text: str) -> int | float:
    """A whole number as it is, a share between 0 and 1 as a float.

    >>> frequency("min_df", "2"), frequency("max_df", "0.5")
    (2, 0.5)
    """
    if text.isdigit() and int(text) > 0:
        return int(text)
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 < share <= 1:
        raise _refused(parameter, text, "a number of documents such as 2, or a share such as 0.01")
    return share


def stop_words(parameter: str, text: str) -> Any:
    """``english`` and ``none`` by name, else the words of a file."""
    if text in ("english", "none"):
        return text
    from manifact.io.readers import read_words

    return read_words(text)


def genes(parameter: str, text: str) -> int | str:
    """A number ≥ 1, or a name.

    >>> genes("genes", "2000"), genes("genes", "all")
    (2000, 'all')
    """
    from manifact.io.preparation.cell_preparation import GENES

    if text in GENES:
        return text
    if text.isdecimal() and int(text) > 0:
        return int(text)
    raise _refused(parameter, text, f"a number of genes such as 2000, or one of {', '.join(GENES)}")


def names(parameter: str, text: str) -> str | list[str]:
    """One name as it is, several between commas as a list.

    >>> names("remove", "all"), names("remove", "codes, headers")
    ('all', ['codes', 'headers'])
    """
    found = [name.strip() for name in text.split(",")]
    return found[0] if len(found) == 1 else found


def count(parameter: str, text: str) -> int | str:
    """A number ≥ 1, or ``auto``.

    >>> count("n_components", "20"), count("n_components", "auto")
    (20, 'auto')
    """
    if text == "auto":
        return text
    if not (text.isascii() and text.isdecimal() and int(text) > 0):
        raise _refused(parameter, text, "a whole number >= 1, or auto")
    return int(text)


def counts(parameter: str, text: str) -> int | str | list[int]:
    """A number ≥ 1, several between commas, or ``auto``.

    >>> counts("n_neighbors", "5"), counts("n_neighbors", "5,30"), counts("n_neighbors", "auto")
    (5, [5, 30], 'auto')
    """
    if text == "auto":
        return text
    found = [number.strip() for number in text.split(",")]
    if not all(number.isascii() and number.isdecimal() and int(number) > 0 for number in found):
        raise _refused(parameter, text, "a whole number >= 1, several such as 5,30, or auto")
    return int(found[0]) if len(found) == 1 else [int(number) for number in found]


def strength(parameter: str, text: str) -> float | str:
    """A number ≥ 0, or ``auto``.

    >>> strength("tau", "0.5"), strength("tau", "auto")
    (0.5, 'auto')
    """
    if text == "auto":
        return text
    try:
        return float(text)
    except ValueError:
        raise _refused(parameter, text, "a number >= 0, or auto") from None


def _refused(parameter: str, text: str, wanted: str) -> BadValueError:
    return BadValueError("{}={!r} must be {}", Parameter(parameter), text, wanted)
