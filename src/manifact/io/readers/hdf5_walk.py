"""Walk through an HDF5 file and say what is wrong with it: a program of its own, which may hang or crash.

``python hdf5_walk.py FILE BYTES`` prints one line of JSON, null where nothing is wrong. What is refused: parts that are
kept in other files, types that are addresses in memory, and arrays that unpack to more than BYTES. Everything that HDF5
finds by following the file's own addresses is followed here: links, attributes, indices of chunks, texts of any length.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from math import prod
from typing import Any

import h5py
from h5py import h5a, h5d, h5t

#: Texts of any length that are read together, and bytes of memory that this program may take beyond the BYTES.
TEXTS, OWN = 256, 1 << 32
#: Chunks that an array may have in any case, and bytes for each where there are more: HDF5 looks for every one.
FEW_CHUNKS, CHUNK = 1 << 16, 1 << 12


class FoundError(Exception):
    """What is wrong, as the end of a sentence about the file."""


def check(path: str, most: int) -> str | None:
    """What is wrong with a file; None if nothing is."""
    try:
        with h5py.File(path, "r") as stored:
            for place in _objects(stored):
                _check_attributes(place)
                if isinstance(place, h5py.Dataset):
                    _check_dataset(place, most)
        return None
    except FoundError as found:
        return str(found)
    except MemoryError:
        return f"has texts that unpack to more than {most >> 20:,} MiB"


def _objects(stored: Any) -> Iterator[Any]:
    """Groups, datasets and types, each once, whatever links lead to it."""
    waiting, seen = [stored], set()
    while waiting:
        place = waiting.pop()
        info = h5py.h5o.get_info(place.id)
        if (info.fileno, info.addr) in seen:
            continue
        seen.add((info.fileno, info.addr))
        yield place
        if isinstance(place, h5py.Group):
            waiting += [place[name] for name in place if _is_own(place, name)]


def _is_own(group: Any, name: str) -> bool:
    """Whether a link is to something in the file; what a link by name leads to has a link of its own."""
    link = group.get(name, getlink=True)
    if isinstance(link, h5py.ExternalLink):
        raise FoundError("has a link to another file")
    return isinstance(link, h5py.HardLink)


def _check_attributes(place: Any) -> None:
    for number in range(h5a.get_num_attrs(place.id)):
        attribute = h5a.open(place.id, index=number)
        _check_type(attribute.get_type())
        place.attrs[attribute.name]


def _check_dataset(array: Any, most: int) -> None:
    made = array.id.get_create_plist()
    if made.get_layout() == h5d.VIRTUAL or (made.get_layout() == h5d.CONTIGUOUS and made.get_external_count()):
        raise FoundError("keeps parts in other files")
    kind = array.id.get_type()
    _check_type(kind)
    size = prod(array.shape or ()) * max(1, kind.get_size())
    if size > most:
        raise FoundError(f"would unpack to {size >> 20:,} MiB")
    if made.get_layout() == h5d.CHUNKED and array.shape is not None:
        chunks = prod(-(-length // side) for length, side in zip(array.shape, array.chunks, strict=True))
        if chunks > max(FEW_CHUNKS, most // CHUNK):
            raise FoundError(f"has room for {chunks:,} chunks")
        array.id.get_num_chunks()
    if array.shape and _has_any_length(kind):
        _check_texts(array, most)
    elif array.shape == () and size <= most:
        array[()]


def _check_texts(array: Any, most: int) -> None:
    """Many texts may be one in the file: they are counted as often as they will be in memory."""
    total, rows = 0, max(1, TEXTS // max(1, prod(array.shape[1:])))
    for start in range(0, array.shape[0], rows):
        total += sum(len(text) if hasattr(text, "__len__") else 1 for text in array[start : start + rows].ravel())
        if total > most:
            raise FoundError(f"has texts that unpack to more than {most >> 20:,} MiB")


def _check_type(kind: Any) -> None:
    """Refuse what h5py would take for objects of Python, and follow the addresses of."""
    for part in _parts(kind):
        if isinstance(part, h5t.TypeOpaqueID):
            raise FoundError("has values of an opaque type")


def _has_any_length(kind: Any) -> bool:
    return any(
        isinstance(part, h5t.TypeVlenID) or (isinstance(part, h5t.TypeStringID) and part.is_variable_str())
        for part in _parts(kind)
    )


def _parts(kind: Any) -> Iterator[Any]:
    """A type and all that it is made of."""
    yield kind
    if isinstance(kind, h5t.TypeCompoundID):
        for number in range(kind.get_nmembers()):
            yield from _parts(kind.get_member_type(number))
    elif isinstance(kind, h5t.TypeArrayID | h5t.TypeVlenID | h5t.TypeEnumID):
        yield from _parts(kind.get_super())


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # where there are no such limits
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = OWN + 2 * most
    resource.setrlimit(resource.RLIMIT_AS, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


if __name__ == "__main__":
    _limit_memory(int(sys.argv[2]))
    print(json.dumps(check(sys.argv[1], int(sys.argv[2]))))
