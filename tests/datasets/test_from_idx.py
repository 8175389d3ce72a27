import gzip
from dataclasses import replace

import numpy as np
import pytest

from manifact.datasets import from_idx, load
from manifact.datasets.sources import MNIST, SETS

SMALL = replace(SETS["mnist"], n_samples=5)


def packed(array):
    head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
    return head + array.astype(np.uint8).tobytes()


def write(folder, arrays, pack=gzip.compress):
    files = [folder / name for name in MNIST]
    for file, array in zip(files, arrays, strict=True):
        file.write_bytes(pack(packed(array)))
    return files


@pytest.fixture
def arrays(rng):
    X = rng.integers(0, 256, (5, 28, 28))
    y = np.array([3, 1, 4, 1, 5])
    return X[:3], y[:3], X[3:], y[3:]


@pytest.mark.parametrize("pack", [gzip.compress, bytes])
def test_training_comes_before_test(tmp_path, arrays, pack):
    data = from_idx.read(SMALL, write(tmp_path, arrays, pack))
    np.testing.assert_array_equal(data.X.reshape(5, 28, 28), np.concatenate([arrays[0], arrays[2]]))
    np.testing.assert_array_equal(data.y, [3, 1, 4, 1, 5])
    assert (data.X.dtype, data.y.dtype, data.image_shape) == (np.uint8, np.int64, (28, 28))
    data.X[0] = 0  # ours to write to


def test_the_real_files(home, tmp_path):
    known = load("mnist", home)
    X = known.X.reshape(-1, 28, 28)
    write(tmp_path, (X[:60000], known.y[:60000], X[60000:], known.y[60000:]), lambda c: gzip.compress(c, 1))
    data = load("mnist", tmp_path)
    np.testing.assert_array_equal(data.X, known.X)
    np.testing.assert_array_equal(data.y, known.y)


def test_wrong_files_are_refused(tmp_path, arrays):
    files = write(tmp_path, arrays)
    with pytest.raises(ValueError, match=r"train-images.* hold 5 images: expected 70000"):
        load("mnist", tmp_path)
    whole = files[2].read_bytes()
    files[2].write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"t10k-images-idx3-ubyte.gz cannot be read as a gzip file"):
        from_idx.read(SMALL, files)
    for content in (b"", b"\x00\x00\x08", b"\x00\x00\x08\x03\x00\x00", packed(arrays[2])[:-1], b"<html>"):
        files[2].write_bytes(content)
        with pytest.raises(ValueError, match=r"t10k-images.* bytes that are not what its head says"):
            from_idx.read(SMALL, files)
    files[2].write_bytes(packed(arrays[2][:1]))
    with pytest.raises(ValueError, match=r"t10k-images.* holds \(1, 28, 28\) for classes of shape \(2,\): expected"):
        from_idx.read(SMALL, files)
