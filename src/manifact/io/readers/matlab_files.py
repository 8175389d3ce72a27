"""MATLAB files, in which the papers' data circulate: fea and gnd, X and Y, or other variables.

SciPy follows the tags inside a file wherever they lead, and a wrong one can crash the interpreter: they are checked
before it does.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scipy import sparse

from manifact.io.file_errors import refusal, unreadable
from manifact.io.raw_samples import Samples
from manifact.io.readers import named_arrays, table_checks
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
DEEPEST = 20


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

    content = file.read_bytes()
    try:
        check_tags(content)
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


def check_tags(content: bytes) -> None:
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
    if number not in ARRAYS or flags & COMPLEX:
        raise ValueError(f"an array of kind {flags:#x} is not known")
    count = _walk(body, order, PLAIN | {MATRIX} if number in NESTED else PLAIN, depth)
    if number not in NESTED and count != (6 if number == SPARSE else 4):
        raise ValueError(f"an array of kind {number} has {count} parts")
