"""MATLAB files, in which the papers' data circulate: fea and gnd, X and Y, or other variables.

SciPy follows the tags inside a file wherever they lead, and a wrong one can crash the interpreter: they are checked
before it does.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from math import prod
from pathlib import Path
from typing import Any

from scipy import sparse

from manifact.io.file_errors import refusal, unreadable
from manifact.io.raw_samples import Samples
from manifact.io.readers import named_arrays, table_checks
from manifact.io.unpacked_size import allowed
from manifact.utils import memory
from manifact.utils.errors import Sentence

#: Bytes before the first tag.
HEAD = 128
#: Kinds of elements: arrays, and compressed elements.
MATRIX, COMPRESSED = 14, 15
#: Kinds of elements that hold numbers or text.
PLAIN = frozenset((1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18))
#: Kinds of arrays, and those among them whose parts are arrays again.
ARRAYS, NESTED = range(1, 18), frozenset((1, 2, 3, 16, 17))
SPARSE, COMPLEX = 5, 0x0800
#: Kinds of arrays: cells, those with fields, and one that does not begin with its lengths.
CELL, FIELDS, OPAQUE = 1, (2, 3), 17
DEEPEST = 20
#: Compressed bytes that are looked at together: they unpack to a thousand times as much at most.
PIECE = 1 << 10


def read(file: Path, source: str, variable: str | None = None, image_shape: tuple[int, ...] | None = None) -> Samples:
    """The samples fea, X or data (or ``variable``, or the only matrix there is) with the classes gnd or Y.

    Pixels stay in the file's order, which is by columns where MATLAB wrote images.
    """
    found = {name: value for name, value in read_variables(file).items() if not name.startswith("__")}
    matrices = [name for name, value in found.items() if _is_matrix(value)]
    name = named_arrays.name_of_samples(file, found, variable, matrices)
    X = found[name]
    if not sparse.issparse(X) and not hasattr(X, "dtype"):
        raise refusal(file, f"has no matrix in {name}", Sentence("choose another {variable}=…"))
    X = table_checks.checked_table(file, X, name)
    labels = named_arrays.classes_beside(file, found, name, X.shape[0])
    return Samples("table", source, X, image_shape=image_shape, labels=labels)


def read_variables(file: Path, names: Sequence[str] | None = None) -> dict[str, Any]:
    """The variables of these names that a file has, or all of them, as SciPy gives them."""
    from scipy.io import loadmat

    memory.require(2 * file.stat().st_size, str(file), "use fewer samples")
    content = file.read_bytes()
    try:
        check_tags(content, allowed(file))
        return loadmat(io.BytesIO(content), variable_names=None if names is None else list(names))
    except NotImplementedError as problem:
        raise ValueError(
            f"{file} is a MATLAB v7.3 (HDF5) file, which SciPy does not read: "
            f"save it again in MATLAB with save('{file.name}', 'fea', 'gnd', '-v7')"
        ) from problem
    except Exception as problem:  # SciPy's reader meets damaged files with whatever its parts raise
        raise unreadable(file, "a MATLAB file", problem) from problem


def _is_matrix(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 2 and min(value.shape) > 1 and value.dtype.kind in "biuf"


def check_tags(content: bytes, most: int) -> None:
    """Every element is of a known kind, ends inside the file and is as long as it says, or ValueError.

    Compressed ones may have ``most`` bytes together. Versions other than 5 are not looked at.
    """
    little = content[126:HEAD] == b"IM"  # what is neither this nor "MI" SciPy takes for the latter
    major = content[125:126] if content[126:127] == b"I" else content[124:125]
    if major != b"\x01" or b"\x00" in content[:4]:
        return
    _Tags("<" if little else ">", most).walk(memoryview(content)[HEAD:], frozenset((MATRIX, COMPRESSED)), 0)


class _Tags:
    """Elements in one order of bytes, and how much may still be unpacked."""

    def __init__(self, order: str, most: int) -> None:
        self._order, self._left = order, most

    def walk(self, data: memoryview, kinds: frozenset[int], depth: int) -> list[tuple[int, memoryview]]:
        """The kind and content of each element, all of these kinds."""
        at, found = 0, []
        while at < len(data):
            if len(data) - at < 8:
                raise ValueError(f"{len(data) - at} bytes are left over")
            kind, size = struct.unpack_from(f"{self._order}II", data, at)
            start = at + 8
            if kind >> 16:  # a small element: its size and up to four bytes are in the tag itself
                kind, size, start = kind & 0xFFFF, kind >> 16, at + 4
            if kind not in kinds or start + size > (at + 8 if start == at + 4 else len(data)) or depth > DEEPEST:
                raise ValueError(f"an element of kind {kind} and {size} bytes does not belong there")
            content = data[start : start + size]
            if kind == COMPRESSED:
                self.walk(memoryview(self._decompressed(content)), frozenset((MATRIX,)), depth + 1)
            elif kind == MATRIX and size:
                self._check_array(content, depth + 1)
            padding = 0 if kind == COMPRESSED else -size % 8
            at = at + 8 if start == at + 4 else start + size + padding
            found.append((kind, content))
        return found

    def _decompressed(self, content: memoryview) -> bytes:
        """The content, for which there is room at once: memory that grows on the way is there twice."""
        size = self._size_unpacked(content)
        self._left -= size
        return zlib.decompress(content, bufsize=max(1, size))

    def _size_unpacked(self, content: memoryview) -> int:
        """The bytes that an element unpacks to, which may not be more than are left; none of them are kept."""
        stream, size, at = zlib.decompressobj(), 0, 0
        while not stream.eof and at < len(content) and size <= self._left:
            size += len(stream.decompress(content[at : at + PIECE]))
            at += PIECE
        if not stream.eof or size > self._left:
            raise ValueError("a compressed element is cut short, or unpacks to more than the size of the file allows")
        return size

    def _check_array(self, body: memoryview, depth: int) -> None:
        """An array begins with the number of its kind, which decides what its parts may be, and with its lengths."""
        flags = struct.unpack_from(f"{self._order}3I", body)[2] if len(body) >= 16 else 0
        number = flags & 0xFF
        if number not in ARRAYS or flags & COMPLEX:
            raise ValueError(f"an array of kind {flags:#x} is not known")
        parts = self.walk(body, PLAIN | {MATRIX} if number in NESTED else PLAIN, depth)
        if number not in NESTED and len(parts) != (6 if number == SPARSE else 4):
            raise ValueError(f"an array of kind {number} has {len(parts)} parts")
        # SciPy makes room for all the places that an array says it has: each takes a byte at least, or an array.
        places = prod(self._integers(parts[1][1])) if len(parts) > 1 else 1
        arrays = sum(kind == MATRIX for kind, _ in parts)
        if number in FIELDS:
            names = [content for kind, content in parts if kind != MATRIX][-2:]
            length = max(1, *self._integers(names[0]), 1)
            places *= max(1, len(names[-1]) // length)
        room = arrays if number in (*FIELDS, CELL) else len(body)
        if number not in (SPARSE, OPAQUE) and not 0 <= places <= max(1, room):
            raise ValueError(f"an array says that it has {places:,} places, and has {room:,}")

    def _integers(self, content: memoryview) -> tuple[int, ...]:
        return struct.unpack(f"{self._order}{len(content) // 4}i", content[: len(content) // 4 * 4])
