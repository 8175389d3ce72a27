"""Pictures: PNG files that others can read, sheets, sizes, colours."""

import base64
import io

import numpy as np
import pytest
from scipy import sparse

from manifact.report import thumbnails
from manifact.report.thumbnails import affordable, part_tiles, png, sample_tiles, sheet, shrunk


@pytest.mark.parametrize("shape", [(5, 7), (5, 7, 3), (1, 1)])
def test_others_read_our_files(rng, shape):
    image = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    pixels = rng.integers(0, 256, shape).astype(np.uint8)
    np.testing.assert_array_equal(np.asarray(image.open(io.BytesIO(png(pixels)))), pixels)


def test_a_sheet_holds_every_tile(rng):
    image = pytest.importorskip("PIL.Image", reason="pillow is not installed")
    tiles = rng.integers(0, 256, (11, 3, 4)).astype(np.uint8)
    made = sheet(tiles)
    whole = np.asarray(image.open(io.BytesIO(base64.b64decode(made["source"].partition(",")[2]))))
    for number, tile in enumerate(tiles):
        row, column = divmod(number, made["columns"])
        np.testing.assert_array_equal(whole[3 * row : 3 * row + 3, 4 * column : 4 * column + 4], tile)


def test_parts_from_black_to_white():
    tiles = part_tiles(np.array([[0.0, 1.0, 2.0, 4.0], [0.0, 0.0, 0.0, 0.0]]), (2, 2))
    assert tiles[0].tolist() == [[0, 64], [128, 255]]
    assert not tiles[1].any()


def test_signed_parts_by_colour():
    tiles = part_tiles(np.array([[-2.0, 0.0, 1.0, 2.0]]), (2, 2))
    assert tiles.shape == (1, 2, 2, 3)
    assert tuple(tiles[0, 0, 0]) == thumbnails.NEGATIVE
    assert tuple(tiles[0, 0, 1]) == thumbnails.ZERO
    assert tuple(tiles[0, 1, 1]) == thumbnails.POSITIVE


def test_shrinking_takes_means(rng):
    images = rng.random((2, 100, 60))
    small = shrunk(images, 50)
    assert small.shape == (2, 50, 30)
    np.testing.assert_allclose(small, images.reshape(2, 50, 2, 30, 2).mean(axis=(2, 4)))
    assert shrunk(rng.random((1, 49, 97, 3)), 48).shape == (1, 24, 48, 3)


def test_samples_by_their_own_range(rng):
    X = rng.random((5, 6)) * 0.01
    tiles = sample_tiles(sparse.csr_array(X), (2, 3), np.array([4, 1]))
    np.testing.assert_array_equal(tiles, np.rint(255 * X[[4, 1]] / X[[4, 1]].max(axis=1)[:, None]).reshape(2, 2, 3))


def test_bytes_are_shown_as_they_are():
    pixels = np.array([[0, 10, 20, 30]], dtype=np.uint8)
    assert sample_tiles(pixels, (2, 2), np.array([0]), exposed=True).ravel().tolist() == [0, 10, 20, 30]
    assert sample_tiles(pixels, (2, 2), np.array([0])).ravel().tolist() == [0, 85, 170, 255]


def test_a_budget():
    assert affordable((28, 28)) == thumbnails.PIXELS // 784
    assert affordable((480, 480, 3)) == thumbnails.PIXELS // (48 * 48 * 3)
