"""The tags inside a MATLAB 5 file, checked before SciPy follows them: a wrong one can crash the interpreter."""

from __future__ import annotations

import struct
import zlib

HEAD = 128
MATRIX, COMPRESSED = 14, 15
#: Kinds of elements that hold numbers or text.
PLAIN = frozenset((1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18))
#: Kinds of arrays, and those among them whose parts are arrays again.
CLASSES, NESTED = range(1, 18), frozenset((1, 2, 3, 16, 17))
SPARSE, COMPLEX = 5, 0x0800
DEEPEST = 20


def check(content: bytes) -> None:
    """Every element is of a known kind and ends inside the file, or ValueError; other versions are not looked at."""
    little = content[126:HEAD] == b"IM"  # what is neither this nor "MI" SciPy takes for the latter
    major = content[125:126] if content[126:127] == b"I" else content[124:125]
    if major != b"\x01" or b"\x00" in content[:4]:
        return
    order = "<" if little else ">"
    _walk(memoryview(content)[HEAD:], order, frozenset((MATRIX, COMPRESSED)), 0)


def _walk(data: memoryview, order: str, kinds: frozenset[int], depth: int) -> int:
    """How many elements there are, all of these kinds."""
    at = count = 0
    while at < len(data):
        if len(data) - at < 8:
            raise ValueError(f"{len(data) - at} bytes are left over")
        kind, size = struct.unpack_from(f"{order}II", data, at)
        start = at + 8
        if kind >> 16:  # a small element: its size and up to four bytes are in the tag itself
            kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
        if kind not in kinds or start + size > (at + 8 if start == at + 4 else len(data)) or depth > DEEPEST:
            raise ValueError(f"an element of kind {kind} and {size} bytes does not belong there")
        if kind == COMPRESSED:
            _walk(memoryview(zlib.decompress(data[start : start + size])), order, frozenset((MATRIX,)), depth + 1)
        elif kind == MATRIX and size:
            _array(data[start : start + size], order, depth + 1)
        padding = 0 if kind == COMPRESSED else -size % 8
        at = at + 8 if start == at + 4 else start + size + padding
        count += 1
    return count


def _array(body: memoryview, order: str, depth: int) -> None:
    """An array begins with the number of its kind, which decides what its parts may be."""
    flags = struct.unpack_from(f"{order}3I", body)[2] if len(body) >= 16 else 0
    number = flags & 0xFF
    if number not in CLASSES or flags & COMPLEX:
        raise ValueError(f"an array of kind {flags:#x} is not known")
    count = _walk(body, order, PLAIN | {MATRIX} if number in NESTED else PLAIN, depth)
    if number not in NESTED and count != (6 if number == SPARSE else 4):
        raise ValueError(f"an array of kind {number} has {count} parts")
