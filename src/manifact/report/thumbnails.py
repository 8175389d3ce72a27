"""Pictures for the page: pixels to PNG with the standard library alone, many small ones on one sheet."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.models.feature_relevance import is_signed
from manifact.report.page_encoding import data_uri

#: Longest side of a sample's picture and of a part's.
SAMPLE_SIDE, PART_SIDE = 48, 160
#: Pixels (times channels) that all samples' pictures may have together.
PIXELS = 6_000_000
#: Widest sheet that every browser takes.
SHEET_WIDTH = 4096
#: Ends of the diverging colours; zero is the middle grey-white.
NEGATIVE, ZERO, POSITIVE = (33, 102, 172), (247, 247, 244), (178, 84, 20)


def png(pixels: Array) -> bytes:
    """A picture (h x w grey, or h x w x 3, uint8) as a PNG file."""
    height, width = pixels.shape[:2]
    rows = np.zeros((height, 1 + pixels[0].size), dtype=np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2 if pixels.ndim == 3 else 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def sheet(tiles: Array) -> dict[str, Any]:
    """Pictures of one size side by side, row after row, and where to find them."""
    count, height, width = tiles.shape[:3]
    columns = max(1, min(SHEET_WIDTH // width, int(np.ceil(np.sqrt(count)))))
    rows = -(-count // columns)
    whole = np.zeros((rows * columns, *tiles.shape[1:]), dtype=np.uint8)
    whole[:count] = tiles
    grid = whole.reshape(rows, columns, *tiles.shape[1:]).swapaxes(1, 2)
    picture = np.ascontiguousarray(grid).reshape(rows * height, columns * width, *tiles.shape[3:])
    return {"source": data_uri(png(picture)), "width": width, "height": height, "columns": columns}


def part_tiles(components: Array, shape: tuple[int, ...]) -> Array:
    """Parts as pictures: black to white where none is negative, blue over white to orange where some are."""
    images = shrunk(np.asarray(components, dtype=np.float64).reshape(-1, *shape), PART_SIDE)
    return _diverging(images) if is_signed(components) else _scaled(images)


def sample_tiles(pixels: Any, shape: tuple[int, ...], rows: Array, exposed: bool = False) -> Array:
    """Pictures of the samples in ``rows``; with ``exposed`` bytes are shown as they are, all else by its own range."""
    chosen = pixels[rows]
    chosen = chosen.toarray() if sparse.issparse(chosen) else np.asarray(chosen)
    images = shrunk(chosen.reshape(-1, *shape).astype(np.float32), SAMPLE_SIDE)
    if exposed and chosen.dtype == np.uint8:
        return np.rint(images).astype(np.uint8)
    return _scaled(images - np.minimum(_over_image(np.min, images), 0))


def affordable(shape: tuple[int, ...]) -> int:
    """How many samples may have a picture."""
    height, width = _smaller(shape, SAMPLE_SIDE)
    return max(1, PIXELS // (height * width * (shape[2] if len(shape) == 3 else 1)))


def shrunk(images: Array, side: int) -> Array:
    """Images (n x h x w, or with channels last) whose sides are at the most ``side``, each pixel a mean of blocks."""
    height, width = _smaller(images.shape[1:], side)
    if (height, width) == images.shape[1:3]:
        return images
    for axis, size in ((1, height), (2, width)):
        starts = np.arange(size) * images.shape[axis] // size
        counts = np.diff(np.append(starts, images.shape[axis]))
        counts = counts.reshape([-1 if a == axis else 1 for a in range(images.ndim)])
        images = np.add.reduceat(images, starts, axis=axis) / counts
    return images


def _smaller(shape: tuple[int, ...], side: int) -> tuple[int, int]:
    factor = max(1.0, max(shape[0], shape[1]) / side)
    return max(1, int(shape[0] / factor)), max(1, int(shape[1] / factor))


def _scaled(images: Array) -> Array:
    """Zero black, each image's largest value white."""
    largest = _over_image(np.max, images)
    return np.rint(255 * np.clip(images / np.where(largest > 0, largest, 1), 0, 1)).astype(np.uint8)


def _diverging(images: Array) -> Array:
    """Colours by sign and size; of a colour image the mean of its channels."""
    values = images.mean(axis=3) if images.ndim == 4 else images
    largest = _over_image(np.max, np.abs(values))
    values = (values / np.where(largest > 0, largest, 1))[..., None]
    zero, ends = np.array(ZERO, dtype=float), np.where(values < 0, NEGATIVE, POSITIVE)
    return np.rint(zero + np.abs(values) * (ends - zero)).astype(np.uint8)


def _over_image(function: Any, images: Array) -> Array:
    return function(images, axis=tuple(range(1, images.ndim)), keepdims=True)
