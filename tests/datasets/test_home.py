from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

from manifact.datasets import data_home, load
from manifact.datasets.home import find


def test_the_data_home(monkeypatch, tmp_path):
    for name in ("MANIFACT_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    assert data_home() == Path.home() / ".cache" / "manifact"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert data_home() == tmp_path / "manifact"
    monkeypatch.setenv("MANIFACT_DATA", str(tmp_path / "data"))
    assert data_home() == tmp_path / "data"
    assert data_home(tmp_path) == tmp_path
    assert data_home("~/data") == Path.home() / "data"


def test_a_missing_set_says_every_way_to_get_it(tmp_path):
    with pytest.raises(FileNotFoundError) as refusal:
        load("coil20", tmp_path / "nowhere")
    for part in ("put coil20.npz there", "MANIFACT_DATA", "COIL20.mat", "manifact data coil20", str(tmp_path)):
        assert part in str(refusal.value)


def test_our_layout_comes_before_the_originals(toy, toy_mat, tmp_path):
    _, X, y = toy
    (tmp_path / "toy.MAT").write_bytes(toy_mat)
    assert find("toy", tmp_path) == (tmp_path / "toy.MAT",)
    np.testing.assert_array_equal(load("toy", tmp_path).X, X)
    np.savez(tmp_path / "toy.npz", X=X + 1, y=y, image_shape=(3, 4), scale=1.0)
    assert find("toy", tmp_path) == (tmp_path / "toy.npz",)
    np.testing.assert_array_equal(load("toy", tmp_path).X, X + 1)


def test_a_set_of_several_files_needs_them_all(tmp_path):
    for name in ("train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte"):
        (tmp_path / name).touch()
    assert find("mnist", tmp_path) == ()
    (tmp_path / "t10k-labels-idx1-ubyte").touch()
    assert [file.name[:7] for file in find("mnist", tmp_path)] == ["train-i", "train-l", "t10k-im", "t10k-la"]


def test_an_original_is_read_like_the_layout(home, tmp_path):
    known = load("yale", home)
    pixels = np.arange(1024).reshape(32, 32).ravel(order="F")
    savemat(tmp_path / "Yale_32x32.mat", {"fea": known.X[:, pixels].astype(float), "gnd": known.y[:, None] + 1.0})
    data = load("yale", tmp_path)
    np.testing.assert_array_equal(data.X, known.X)
    np.testing.assert_array_equal(data.y, known.y)
    assert (data.X.dtype, data.y.dtype, data.image_shape) == (known.X.dtype, known.y.dtype, known.image_shape)
