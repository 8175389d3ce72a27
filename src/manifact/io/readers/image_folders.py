"""Folders of images, through pillow, brought to one size."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import FileRefusedError, guarded, optional_module, refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers.folders import Readable, refuse_closed, with_progress
from manifact.io.unpacked_size import allowed
from manifact.utils import memory
from manifact.utils.errors import Sentence

#: Pixels up to which images that agree keep their size, and the longer side that others get.
SMALL, SIDE = 128 * 128, 64
#: The value of EXIF orientations from which height and width change places.
TURNED = 5
#: What a file may be, whatever its name says. Others of pillow's readers start programs (EPS) or open other files.
FORMATS = ("PNG", "JPEG", "BMP", "GIF", "TIFF", "WEBP", "PPM")
#: Pixels that an image may have, four bytes each while it is turned and flattened; pillow would only warn of more.
MOST_PIXELS = 89_478_485
SMALLER = Sentence("choose a smaller {image_size}=…")


def read(
    folder: Path,
    source: str,
    files: list[Path],
    others: Mapping[str, str],
    image_size: int | tuple[int, int] | None = None,
    color: bool = False,
    strict: bool = False,
) -> Samples:
    """The images as uint8 pixels, grey unless ``color``; names of subfolders are labels, one level down.

    Without ``image_size``, images of one size with at most 128 x 128 pixels keep it. Otherwise the longer side gets 64
    pixels, and the shorter one follows from the median shape. Where an image is longer or wider than that, its middle
    is used: nothing is stretched. Images are turned as their EXIF data say, put on white where they are transparent,
    and of an animation the first frame is used. 16-bit greys are reduced to 8 bits. An image that cannot be read is
    skipped, unless ``strict``. ``others`` are in the folder, and no images.
    """
    optional_module("PIL.Image", "pillow", f"{folder}")
    sizes: dict[Path, tuple[int, int]] = {}
    bad: dict[Path, FileRefusedError] = {}
    for file in with_progress("looking at images", files):
        try:
            sizes[file] = _size(file)
        except FileRefusedError as problem:
            _passed_over(bad, file, problem, strict)
    while True:
        size = _common(list(sizes.values()), image_size) if sizes else (1, 1)
        memory.require(len(sizes) * size[0] * size[1] * (3 if color else 1), source, SMALLER)
        X, broken = _all_pixels(list(sizes), size, color, strict)
        bad |= broken
        sizes = {file: shape for file, shape in sizes.items() if file not in broken}
        # An image that turns out to be broken has no say in the size of the others.
        if not broken or not sizes or _common(list(sizes.values()), image_size) == size:
            break
    found = Readable(folder, strict, others)
    for file in files:
        if file in bad:
            found.skip(file, bad[file])
        else:
            found.keep(file)
    return Samples("images", source, X, image_shape=(*size, 3) if color else size, **found.facts())


def _passed_over(bad: dict[Path, FileRefusedError], file: Path, problem: FileRefusedError, strict: bool) -> None:
    if strict:
        raise problem
    bad[file] = problem


def _all_pixels(
    files: list[Path], size: tuple[int, int], color: bool, strict: bool
) -> tuple[Array, dict[Path, FileRefusedError]]:
    """The pixels of those images that can be read, and what is wrong with the others."""
    X = np.empty((len(files), size[0] * size[1] * (3 if color else 1)), dtype=np.uint8)
    broken: dict[Path, FileRefusedError] = {}
    row = 0
    for file in with_progress("reading images", files):
        try:
            X[row] = _pixels(file, size, color).ravel()
            row += 1
        except FileRefusedError as problem:
            _passed_over(broken, file, problem, strict)
    return X[:row], broken


@contextmanager
def _opened(file: Path) -> Iterator[Any]:
    """An image whose pixels are not decoded yet; one that would decode to a huge size is refused."""
    from PIL import Image

    with guarded(file, "an image"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with Image.open(file, formats=FORMATS) as image:
                pixels = image.width * image.height
                if pixels > min(MOST_PIXELS, Image.MAX_IMAGE_PIXELS or MOST_PIXELS) or 4 * pixels > allowed(file):
                    raise Image.DecompressionBombError(f"{image.width} x {image.height} pixels")
                yield image
        except Image.UnidentifiedImageError as problem:
            raise refusal(file, "is not an image that pillow can read", "remove or replace it") from problem
        except Image.DecompressionBombError as problem:
            raise refusal(file, f"is too large ({problem})", "make it smaller") from problem


def _size(file: Path) -> tuple[int, int]:
    """Height and width as a person sees the image."""
    refuse_closed(file)
    with _opened(file) as image:
        turned = image.getexif().get(0x0112, 1) >= TURNED
        return (image.width, image.height) if turned else (image.height, image.width)


def _common(sizes: list[tuple[int, int]], wanted: int | tuple[int, int] | None) -> tuple[int, int]:
    """The height and width that all images get."""
    if isinstance(wanted, tuple):
        return wanted
    if wanted is None and len(set(sizes)) == 1 and sizes[0][0] * sizes[0][1] <= SMALL:
        return sizes[0]
    side = SIDE if wanted is None else wanted
    ratio = float(np.median([height / width for height, width in sizes]))
    return (side, max(1, round(side / ratio))) if ratio >= 1 else (max(1, round(side * ratio)), side)


def _pixels(file: Path, size: tuple[int, int], color: bool) -> Array:
    from PIL import Image, ImageOps

    height, width = size
    with _opened(file) as image:
        # A JPEG decodes to an eighth, a quarter or a half by itself where that is still more than is needed.
        image.draft(None, (4 * max(size), 4 * max(size)))
        image.load()
        upright = ImageOps.exif_transpose(image)
        flat = _flat(file, upright).convert("RGB" if color else "L")
        if flat.size != (width, height):
            flat = ImageOps.fit(flat, (width, height), method=Image.Resampling.LANCZOS)
        return np.asarray(flat, dtype=np.uint8)


def _flat(file: Path, image: Any) -> Any:
    """The image with 8 bits and without transparency."""
    from PIL import Image

    if image.mode.startswith("I"):
        values = np.asarray(image)
        if values.min() < 0 or values.max() > 0xFFFF:
            raise refusal(file, "has 32-bit pixels", "store 8 or 16 bits")
        return Image.fromarray((values / 257).round().astype(np.uint8))
    if image.mode == "F":
        raise refusal(file, "has floating-point pixels", "store 8 or 16 bits")
    if image.has_transparency_data:
        ground = Image.new("RGBA", image.size, "white")
        return Image.alpha_composite(ground, image.convert("RGBA"))
    return image
