"""MATLAB files of any data."""

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat
from tests.io.readers.helpers import counts, refused, same, sparse_counts

from manifact.datasets import load
from manifact.io.readers import read


@pytest.fixture
def file(tmp_path):
    return tmp_path / "x.mat"


@pytest.mark.parametrize("names", [("fea", "gnd"), ("X", "Y"), ("data", "labels")])
@pytest.mark.parametrize("compressed", [False, True])
def test_samples_and_classes(file, names, compressed):
    savemat(file, {names[0]: counts(), names[1]: np.arange(7.0)[:, None]}, do_compression=compressed)
    found = read(file)
    np.testing.assert_array_equal(found.X, counts())
    np.testing.assert_array_equal(found.labels, np.arange(7))


def test_sparse_stays_sparse(file):
    savemat(file, {"fea": sparse.csc_matrix(sparse_counts())})
    same(read(file).X, sparse_counts())
    assert read(file).labels is None


def test_the_papers_images(home, file):
    known = load("yale", home)
    savemat(file, {"fea": known.X, "gnd": known.y[:, None] + 1})
    found = read(file, image_shape=(32, 32))
    np.testing.assert_array_equal(found.X, known.X)
    np.testing.assert_array_equal(found.labels, known.y + 1)
    assert (found.X.dtype, found.image_shape) == (np.uint8, (32, 32))


def test_other_variables(file):
    savemat(file, {"A": counts(), "note": "text", "v": np.arange(4)})
    np.testing.assert_array_equal(read(file).X, counts())
    savemat(file, {"A": counts(), "B": counts(1)})
    np.testing.assert_array_equal(read(file, variable="B").X, counts(1))
    with refused(file, "holds A, B: say with variable=… which holds the samples"):
        read(file)
    with refused(file, "has no variable='C', but A, B"):
        read(file, variable="C")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"fea": "text"}, "fea of shape|of type"),
        ({"fea": np.ones((2, 3, 4))}, r"fea of shape \(2, 3, 4\)"),
        ({"fea": np.array([[1.0, np.nan]])}, "has nan in row 1, column 2"),
        ({"fea": np.ones((0, 3))}, "0 x 3 values|0 x 0 values"),
        ({"fea": np.array([["a", 1.0]], dtype=object)}, "Python objects|cannot be read"),
        ({"fea": {"a": 1}}, "fea of type"),
        ({"fea": np.ones((2, 2), dtype=complex)}, "cannot be read as a MATLAB file"),
        ({}, "holds no variables"),
    ],
)
def test_broken(file, fields, sentence):
    savemat(file, fields)
    with refused(file, sentence):
        read(file)


def test_version_7_3(file):
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    file.write_bytes(head.ljust(512, b"\x00") + b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(ValueError, match=r"x.mat is a MATLAB v7.3 \(HDF5\) file.*'-v7'\)$"):
        read(file)
