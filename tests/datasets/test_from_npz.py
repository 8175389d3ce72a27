import numpy as np
import pytest
from scipy import sparse

from manifact.datasets import load


def images(folder, **changes):
    fields = {"X": np.ones((3, 6), np.uint16), "y": np.zeros(3, np.int16), "image_shape": (2, 3), "scale": 4.0}
    fields = {name: value for name, value in {**fields, **changes}.items() if value is not None}
    np.savez(folder / "coil20.npz", **fields)
    return folder / "coil20.npz"


def test_images_are_divided_by_their_scale(tmp_path):
    images(tmp_path)
    data = load("coil20", tmp_path)
    assert (data.X == 0.25).all()
    assert data.image_shape == (2, 3)
    images(tmp_path, scale=1.0)
    assert load("coil20", tmp_path).X.dtype == np.uint16


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"scale": None}, "has no field scale: expected the fields X, y, image_shape, scale"),
        ({"X": np.ones((3, 5))}, r"holds X of shape \(3, 5\): expected 6 columns for images 2 x 3"),
        ({"y": np.zeros(2)}, r"holds classes of shape \(2,\): expected one for each of the 3 samples"),
        ({"image_shape": (2, 3, 1)}, "has an image_shape or a scale of the wrong length"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path, changes, sentence):
    images(tmp_path, **changes)
    with pytest.raises(ValueError, match=f"coil20.npz {sentence}"):
        load("coil20", tmp_path)


@pytest.mark.parametrize("content", [b"", b"not a zip file", None])
def test_a_torn_file_is_refused(tmp_path, content):
    file = images(tmp_path)
    file.write_bytes(file.read_bytes()[:300] if content is None else content)
    with pytest.raises(ValueError, match=r"coil20.npz cannot be read as NumPy data \(.*\): it may be cut short"):
        load("coil20", tmp_path)


def test_counts_need_their_classes(tmp_path):
    sparse.save_npz(tmp_path / "tdt2.npz", sparse.csr_array(np.eye(3, dtype=np.uint8)))
    with pytest.raises(FileNotFoundError, match=r"tdt2_y.npy is missing beside .*tdt2.npz: put it there"):
        load("tdt2", tmp_path)
    np.save(tmp_path / "tdt2_y.npy", np.zeros(2))
    with pytest.raises(ValueError, match=r"tdt2_y.npy holds classes of shape \(2,\)"):
        load("tdt2", tmp_path)
    np.save(tmp_path / "tdt2_y.npy", np.arange(3, dtype=np.int16))
    data = load("tdt2", tmp_path)
    assert data.y.dtype == np.int64
    np.testing.assert_array_equal(data.X.toarray(), np.eye(3))
    (tmp_path / "tdt2.npz").write_bytes(b"PK\x03\x04 torn")
    with pytest.raises(ValueError, match=r"tdt2.npz cannot be read as NumPy data"):
        load("tdt2", tmp_path)
