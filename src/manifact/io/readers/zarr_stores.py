"""Zarr stores of others: their descriptions are read before zarr opens them.

A store is a folder of files with descriptions in JSON, which name the codecs that unpack its values. One of these loads
pickled objects, and so runs whatever somebody has put there; others may be installed that nobody has looked at.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from math import prod
from pathlib import Path
from typing import Any

from manifact.io.file_errors import guarded, refusal
from manifact.io.readers.other_files import ELSEWHERE, leads_out
from manifact.io.unpacked_size import SMALL, STORE, TIMES

#: Files that describe arrays and groups, and what one of them may be long.
DESCRIPTIONS, LONGEST = (".zarray", ".zgroup", ".zmetadata", "zarr.json"), 1 << 26
#: Codecs that make numbers and texts of bytes and nothing else, in both versions of the format.
_CHECKS = ("adler32", "crc32", "crc32c", "fletcher32", "jenkins_lookup3")
_PACKED = ("base64", "blosc", "bz2", "gzip", "lz4", "lzma", "packbits", "shuffle", "zlib", "zstd")
_NUMBERS = ("astype", "bitround", "bytes", "delta", "endian", "fixedscaleoffset", "quantize", "transpose")
_TEXTS = ("categorize", "json2", "msgpack2", "sharding_indexed", "vlen-array", "vlen-bytes", "vlen-utf8")
CODECS = frozenset((*_CHECKS, *_PACKED, *_NUMBERS, *_TEXTS))
#: Where a description names codecs, and where it has what users wrote.
NAMED, FREE = ("codecs", "index_codecs", "filters", "compressor"), "attributes"
#: Bytes of a value, unless its type says otherwise.
VALUE = 8


def check_store(folder: Path) -> None:
    """Refuse a store with codecs that are not known to be harmless, links elsewhere, or too many values."""
    size, descriptions = 0, []
    for here, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if leads_out(Path(here, name), folder):
                raise refusal(Path(here, name), ELSEWHERE, "put the file itself there")
        for name in files:
            file = Path(here, name)
            size += file.stat().st_size
            if name in DESCRIPTIONS:
                descriptions.append(file)
    for file in descriptions:
        with guarded(file, "a description of zarr"):
            described = _parsed(file)
        _check(folder, described, SMALL + TIMES * size)


def _parsed(file: Path) -> Any:
    if file.stat().st_size > LONGEST:
        raise refusal(file, "is too long for a description", "write the store again")
    return json.loads(file.read_bytes())


def _check(folder: Path, description: Any, most: int) -> None:
    for part in _objects(description):
        for codec in _codecs(part):
            if codec.removeprefix("numcodecs.") not in CODECS:
                raise refusal(
                    folder, f"is packed by {codec!r}, which may run programs", "store it with zstd, or unpacked"
                )
        shape = part.get("shape")
        if isinstance(shape, list) and all(isinstance(length, int) for length in shape):
            claimed = prod(shape) * VALUE
            if claimed > most:
                raise refusal(folder, f"would unpack to {claimed / 2**20:,.0f} MiB", STORE)


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects in a description, but what users wrote."""
    if isinstance(value, dict):
        yield value
        for name, part in value.items():
            if name != FREE and not name.endswith(".zattrs"):
                yield from _objects(part)
    elif isinstance(value, list):
        for part in value:
            yield from _objects(part)


def _codecs(part: dict[str, Any]) -> Iterator[str]:
    for place in NAMED:
        named = part.get(place) or []
        for codec in named if isinstance(named, list) else [named]:
            yield str(codec.get("id", codec.get("name"))) if isinstance(codec, dict) else str(codec)
