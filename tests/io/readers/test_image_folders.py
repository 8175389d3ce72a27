"""Folders of images."""

import sys

import numpy as np
import pytest
from PIL import Image
from tests.io.readers.helpers import refused

from manifact.datasets import load
from manifact.io.readers import read
from manifact.io.readers.folders import IMAGES


def digits(folder, count=6, by_class=False):
    """Real digits, 8 x 8, as .png files."""
    from sklearn.datasets import load_digits

    images, y = load_digits(return_X_y=True)
    pixels = (images[:count] * 15).astype(np.uint8).reshape(-1, 8, 8)
    for number, (image, label) in enumerate(zip(pixels, y, strict=False)):
        place = folder / str(label) if by_class else folder
        place.mkdir(exist_ok=True)
        Image.fromarray(image).save(place / f"{number}.png")
    return pixels, y[:count]


def test_small_images_keep_their_pixels(tmp_path):
    pixels, _ = digits(tmp_path)
    found = read(tmp_path)
    assert (found.kind, found.image_shape, found.X.dtype, found.labels) == ("images", (8, 8), np.uint8, None)
    np.testing.assert_array_equal(found.X.reshape(-1, 8, 8), pixels)
    assert found.names == [f"{i}.png" for i in range(6)]


def test_subfolders_are_classes(tmp_path):
    pixels, y = digits(tmp_path, 20, by_class=True)
    found = read(tmp_path)
    order = [int(name.split("/")[1][:-4]) for name in found.names]
    np.testing.assert_array_equal(found.X, pixels[order].reshape(20, -1))
    assert found.labels.tolist() == [str(label) for label in y[order]]


def test_real_faces(home, tmp_path):
    known = load("yale", home)
    for number, face in enumerate(known.X[:10]):
        Image.fromarray(face.reshape(32, 32)).save(tmp_path / f"{number}.pgm")
    np.testing.assert_array_equal(read(tmp_path).X, known.X[:10])


def test_photographs_are_made_small(tmp_path):
    from sklearn.datasets import load_sample_images

    for number, photo in enumerate(load_sample_images().images):
        Image.fromarray(photo).save(tmp_path / f"{number}.jpg", quality=95)
    grey, colour = read(tmp_path), read(tmp_path, color=True, image_size=(20, 30))
    assert photo.shape == (427, 640, 3)
    assert (grey.image_shape, grey.X.shape) == ((43, 64), (2, 43 * 64))
    assert (colour.image_shape, colour.X.shape) == ((20, 30, 3), (2, 1800))
    np.testing.assert_allclose(colour.X[1].reshape(-1, 3).mean(axis=0), photo.reshape(-1, 3).mean(axis=0), atol=2)


@pytest.mark.parametrize("suffix", sorted(IMAGES))
def test_every_format(tmp_path, suffix):
    image = Image.fromarray(np.arange(64, dtype=np.uint8).reshape(8, 8) * 3)
    image.save(tmp_path / f"x{suffix.upper()}", **({"lossless": True} if suffix == ".webp" else {}))
    np.testing.assert_allclose(read(tmp_path).X[0], np.arange(64) * 3, atol=6)


def test_sizes_that_differ(tmp_path):
    for number, size in enumerate([(100, 50), (120, 60), (90, 90)]):
        Image.new("L", size, 200).save(tmp_path / f"{number}.png")
    found = read(tmp_path)
    assert found.image_shape == (32, 64)
    assert (found.X == 200).all()
    assert read(tmp_path, image_size=10).image_shape == (5, 10)


def test_the_middle_is_kept_and_nothing_is_stretched(tmp_path):
    wide = np.zeros((40, 80), dtype=np.uint8)
    wide[:, 20:60] = 255
    Image.fromarray(wide).save(tmp_path / "x.png")
    assert read(tmp_path, image_size=(10, 10)).X.min() > 230


def test_exif_orientation(tmp_path):
    pixels = np.zeros((6, 10), dtype=np.uint8)
    pixels[:, :5] = 240
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter to the right
    Image.fromarray(pixels).save(tmp_path / "x.png", exif=exif)
    found = read(tmp_path)
    assert found.image_shape == (10, 6)
    np.testing.assert_array_equal(found.X.reshape(10, 6), np.rot90(pixels, -1))


def test_transparency_deep_pixels_palettes_and_animations(tmp_path):
    Image.new("RGBA", (4, 4), (0, 0, 0, 0)).save(tmp_path / "a.png")
    Image.fromarray(np.full((4, 4), 257 * 77, dtype=np.uint16)).save(tmp_path / "b.png")
    Image.new("RGB", (4, 4), (60, 60, 60)).convert("P", palette=Image.Palette.ADAPTIVE).save(tmp_path / "c.png")
    frames = [Image.new("L", (4, 4), value) for value in (10, 250)]
    frames[0].save(tmp_path / "d.gif", save_all=True, append_images=frames[1:])
    Image.new("1", (4, 4), 1).save(tmp_path / "e.png")
    Image.new("CMYK", (4, 4), (0, 0, 0, 0)).save(tmp_path / "f.jpg")
    values = read(tmp_path).X
    assert (values == values[:, :1]).all()
    np.testing.assert_allclose(values[:, 0], [255, 77, 60, 10, 255, 255], atol=1)
    assert read(tmp_path, color=True).X.shape == (6, 48)


def test_pixels_that_are_not_eight_bits(tmp_path):
    Image.new("F", (4, 4), 0.5).save(tmp_path / "x.tif")
    with refused(tmp_path / "x.tif", "has floating-point pixels"):
        read(tmp_path, strict=True)
    Image.new("I", (4, 4), 70000).save(tmp_path / "x.tif")
    with refused(tmp_path / "x.tif", "has 32-bit pixels"):
        read(tmp_path, strict=True)


@pytest.mark.parametrize("part", [0.0, 0.01, 0.3, 0.7, 0.99])
@pytest.mark.parametrize("suffix", [".png", ".jpg", ".tif", ".pgm", ".webp", ".bmp"])
def test_a_torn_image_is_named(tmp_path, suffix, part, rng):
    digits(tmp_path)
    file = tmp_path / f"torn{suffix}"
    Image.fromarray(rng.integers(0, 255, (64, 64), dtype=np.uint8)).save(file)
    content = file.read_bytes()
    file.write_bytes(content[: int(part * len(content))])
    with refused(file):
        read(tmp_path, strict=True)


def test_decompression_bombs(tmp_path, monkeypatch):
    digits(tmp_path, 1)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 40)
    with refused(tmp_path / "0.png", "is too large"):
        read(tmp_path, strict=True)
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 20)
    with refused(tmp_path / "0.png", "is too large"):
        read(tmp_path, strict=True)


def test_text_that_is_called_an_image(tmp_path):
    (tmp_path / "x.png").write_text("<html>not found</html>")
    with refused(tmp_path / "x.png", "is not an image that pillow can read"):
        read(tmp_path, strict=True)


@pytest.mark.filterwarnings("ignore:.*left out:UserWarning")
def test_texts_and_images_together(tmp_path):
    digits(tmp_path, 2)
    (tmp_path / "LICENSE").write_text("free")
    with pytest.warns(
        UserWarning, match=r"1 file \(no ending\) is not an image that we read and left out, such as LIC"
    ):
        assert read(tmp_path).kind == "images"
    (tmp_path / "notes.txt").write_text("digits")
    with refused(tmp_path, "has 2 files of text and 2 images: say with kind='documents' or kind='images'"):
        read(tmp_path)
    assert read(tmp_path, kind="images").n_samples == 2
    assert read(tmp_path, kind="documents").names == ["LICENSE", "notes.txt"]


@pytest.mark.filterwarnings("ignore:.*left out:UserWarning")
def test_a_stray_text_beside_images_is_named(tmp_path):
    digits(tmp_path, 18)
    for name in ("notes.txt", "LICENSE", "list.csv", "photo.HEIC", "desktop.ini"):
        (tmp_path / name).write_text("free")
    with pytest.warns(UserWarning, match=r"4 files \(.csv, .heic, .txt, no ending\) are not images that we read and"):
        found = read(tmp_path, strict=True)
    assert (found.kind, found.n_samples, found.skipped) == ("images", 18, {})
    assert set(found.other_files) == {"notes.txt", "LICENSE", "list.csv", "photo.HEIC"}
    (tmp_path / "more.txt").write_text("two of twenty are a tenth")
    assert read(tmp_path).n_samples == 18
    (tmp_path / "most.txt").write_text("three are more")
    with refused(tmp_path, "has 4 files of text and 18 images: say with kind="):
        read(tmp_path)


def test_no_images(tmp_path):
    (tmp_path / "notes.txt").write_text("digits")
    with refused(tmp_path, r"has no images, and 1 file \(.txt\) is not an image that we read: put some there"):
        read(tmp_path, kind="images")


def test_sizes_that_make_no_sense(tmp_path):
    digits(tmp_path, 1)
    for size in (0, (4, -1)):
        with pytest.raises(ValueError, match=r"image_size=-?\d must be an integer >= 1"):
            read(tmp_path, image_size=size)


def test_without_pillow(tmp_path, monkeypatch):
    digits(tmp_path, 1)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r"needs pillow: pip install pillow$"):
        read(tmp_path)


def test_what_would_not_fit(tmp_path, monkeypatch):
    digits(tmp_path, 3)
    monkeypatch.setattr("manifact.utils.memory.available", lambda: 100)
    with pytest.raises(MemoryError, match="choose a smaller image_size"):
        read(tmp_path)


def test_progress_is_shown_where_it_is_asked_for(tmp_path, capsys):
    from manifact.utils.progress import showing

    digits(tmp_path, 3)
    with showing(True):
        read(tmp_path)
    assert "reading images" in "".join(capsys.readouterr())


def test_broken_images_are_skipped_and_named(tmp_path, rng):
    pixels, _ = digits(tmp_path)
    (tmp_path / "2.png").write_bytes((tmp_path / "2.png").read_bytes()[:60])
    (tmp_path / "empty.jpg").write_bytes(b"")
    Image.fromarray(rng.integers(0, 255, (64, 64), dtype=np.uint8)).save(tmp_path / "torn.bmp")
    (tmp_path / "torn.bmp").write_bytes((tmp_path / "torn.bmp").read_bytes()[:-500])
    with pytest.warns(UserWarning, match=r"3 of 8 files in .* are skipped, such as 2.png, which .*strict=True stops"):
        found = read(tmp_path)
    assert list(found.skipped) == ["2.png", "empty.jpg", "torn.bmp"]
    assert found.names == ["0.png", "1.png", "3.png", "4.png", "5.png"]
    assert (found.places, found.n_places) == ([0, 1, 3, 4, 5], 8)
    # a broken image of another size has no say in that of the others
    assert found.image_shape == (8, 8)
    np.testing.assert_array_equal(found.X.reshape(-1, 8, 8), pixels[[0, 1, 3, 4, 5]])
    assert "cannot be read as an image" in found.skipped["torn.bmp"]


def test_nothing_but_broken_images(tmp_path):
    for name in ("a.png", "b.jpg"):
        (tmp_path / name).write_text("<html>not found</html>")
    with refused(tmp_path, "has no file that can be read, of 2: the first, a.png, is not an image"):
        read(tmp_path)


def test_a_program_that_is_called_an_image_is_not_started(tmp_path, monkeypatch):
    """Pillow hands PostScript to Ghostscript, whatever the file is called."""
    import subprocess

    started = []
    monkeypatch.setattr(subprocess, "check_call", lambda *command, **how: started.append(command))
    monkeypatch.setattr("PIL.EpsImagePlugin.has_ghostscript", lambda: True)
    content = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n%%EOF\n"
    (tmp_path / "x.png").write_bytes(content)
    with refused(tmp_path / "x.png", "is not an image that pillow can read"):
        read(tmp_path, strict=True)
    assert not started
