"""Arrays and texts in one file of the safetensors format, with a checksum over every byte.

The format is a number, a header of JSON and plain arrays one after the other, which any safetensors reader takes apart.
Equal content gives equal bytes. A reader makes no array that is larger than the file, whatever the header says.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np

from manifact.utils.files import written

Array = np.ndarray[Any, np.dtype[Any]]

#: What the format calls the types of numbers that it has.
TYPES = {
    name: np.dtype(code)
    for name, code in {
        "F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "U64": "<u8", "I32": "<i4", "U32": "<u4",
        "I16": "<i2", "U16": "<u2", "I8": "i1", "U8": "u1", "BOOL": "?", "C64": "<c8",
    }.items()
}  # fmt: skip
NAMES = {dtype: name for name, dtype in TYPES.items()}
#: The text that holds the checksum, and what stands there while it is computed.
CHECKSUM, UNKNOWN = "checksum", 64 * "0"
#: As safetensors readers have it.
MOST_HEADER_BYTES = 100_000_000


def write_arrays(path: Path, arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Write a safetensors file; one sentence if the disk is full or refuses."""
    # Wide types first: so each array begins where its type may.
    parts = dict(sorted(((name, _plain(name, value)) for name, value in arrays.items()), key=_by_width))
    header = _header(parts, {**metadata, CHECKSUM: UNKNOWN})
    found = hashlib.sha256(header)
    for value in parts.values():
        found.update(_bytes_of(value))
    with written(path) as temporary, temporary.open("wb") as stream:
        stream.write(header.replace(_entry(UNKNOWN), _entry(found.hexdigest())))
        for value in parts.values():
            stream.write(_bytes_of(value))


def read_arrays(path: Path) -> tuple[dict[str, Array], dict[str, str]]:
    """Arrays and metadata of a safetensors file, or one sentence that says why not.

    A checksum that is there is right; files of others, and of former versions, have none.
    """
    with path.open("rb") as stream:
        try:
            header, found = _read_header(stream, os.fstat(stream.fileno()).st_size)
            parts = _read_parts(stream, header, found)
            metadata = header.get("__metadata__", {})
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, MemoryError) as error:
            # What went wrong is about bytes of a header, of which whoever named the wrong file knows nothing.
            raise ValueError(f"{path} is torn or not a file of ours: name another one") from error
    if CHECKSUM in metadata and metadata[CHECKSUM] != found.hexdigest():
        raise ValueError(f"{path} is damaged (its content is not what was written, by its checksum): name another one")
    return parts, metadata


def _by_width(part: tuple[str, Array]) -> tuple[int, str]:
    return -part[1].dtype.itemsize, part[0]


def _plain(name: str, value: Any) -> Array:
    """The array as it lies in a file."""
    value = np.asarray(value)
    dtype = value.dtype.newbyteorder("<")
    if dtype not in NAMES:
        raise TypeError(f"{name} holds numbers of type {value.dtype}, for which the safetensors format has no name")
    return np.ascontiguousarray(value, dtype=dtype).reshape(value.shape)


def _bytes_of(value: Array) -> memoryview:
    # NumPy shows the bytes of empty arrays to nobody.
    return value.reshape(-1).view(np.uint8).data if value.size else memoryview(b"")


def _header(parts: Mapping[str, Array], metadata: Mapping[str, str]) -> bytes:
    """Length and JSON, in one order whatever the order of what is written."""
    entries: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))}
    begin = 0
    for name, value in parts.items():
        offsets = [begin, begin := begin + value.nbytes]
        entries[name] = {"dtype": NAMES[value.dtype], "shape": list(value.shape), "data_offsets": offsets}
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def _entry(checksum: str) -> bytes:
    """How the checksum stands in the header, and nothing else: quotes inside of texts have a backslash."""
    return f'"{CHECKSUM}":"{checksum}"'.encode()


def _read_header(stream: IO[bytes], size: int) -> tuple[dict[str, Any], Any]:
    """The header, and the hash of its bytes as they were when the checksum was not known."""
    length = int.from_bytes(stream.read(8), "little")
    if length > min(size - 8, MOST_HEADER_BYTES):
        raise ValueError("a header longer than its file")
    text = stream.read(length)
    header = json.loads(text.decode("utf-8", "surrogatepass"))
    metadata = header.get("__metadata__", {})
    if not all(isinstance(key, str) and isinstance(value, str) for key, value in metadata.items()):
        raise ValueError("metadata that are no texts")
    if CHECKSUM in metadata:
        entry = _entry(metadata[CHECKSUM])
        if len(metadata[CHECKSUM]) != len(UNKNOWN) or text.count(entry) != 1:
            raise ValueError("a checksum of another form")
        text = text.replace(entry, _entry(UNKNOWN))
    begin, ends = 0, sorted(entry["data_offsets"] for name, entry in header.items() if name != "__metadata__")
    for first, last in ends:
        if not (isinstance(first, int) and isinstance(last, int) and begin == first <= last):
            raise ValueError("arrays that overlap or leave gaps")
        begin = last
    if 8 + length + begin != size:
        raise ValueError("another size than its arrays have")
    return header, hashlib.sha256(length.to_bytes(8, "little") + text)


def _read_parts(stream: IO[bytes], header: Mapping[str, Any], found: Any) -> dict[str, Array]:
    """The arrays, in the order in which they lie there, whose bytes go into the hash."""
    entries = ((name, entry) for name, entry in header.items() if name != "__metadata__")
    parts: dict[str, Array] = {}
    for name, entry in sorted(entries, key=lambda pair: pair[1]["data_offsets"]):
        dtype, shape = TYPES[entry["dtype"]], entry["shape"]
        if not all(type(length) is int and 0 <= length <= 2**62 for length in shape):
            raise ValueError(f"an array of shape {shape}")
        first, last = entry["data_offsets"]
        if math.prod(shape) * dtype.itemsize != last - first:
            raise ValueError(f"an array of shape {shape} in {last - first} bytes")
        value = np.empty(shape, dtype)
        if value.size and stream.readinto(_bytes_of(value)) != last - first:  # type: ignore[attr-defined]
            raise ValueError("the file ends too early")
        found.update(_bytes_of(value))
        if dtype.kind == "b" and value.size and value.view(np.uint8).max() > 1:
            raise ValueError("truth values that are neither true nor false")
        parts[name] = value
    return parts
