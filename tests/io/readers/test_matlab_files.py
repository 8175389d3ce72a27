"""MATLAB files of any data, and their tags."""

import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat
from tests.io.readers.helpers import counts, refused, same, sparse_counts

from manifact.datasets import load
from manifact.io.readers import matlab_files, read


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


#: Places in a file that holds one matrix, uncompressed: its tag, the tag and the value of its flags, its data's tag.
ELEMENT, FLAGS_TAG, FLAGS, DATA = 128, 136, 144, 176


def stored(tmp_path, fields, **options):
    savemat(tmp_path / "whole.mat", fields, **options)
    return bytearray((tmp_path / "whole.mat").read_bytes())


@pytest.mark.parametrize("compressed", [False, True])
def test_whole_files_pass(tmp_path, compressed):
    cells = np.empty((1, 2), dtype=object)
    cells[0, 0], cells[0, 1] = np.ones((2, 3, 4), np.uint8), np.eye(2)
    fields = {
        "X": np.ones((5, 3)), "empty": np.empty((0, 0)), "S": sparse.csc_matrix(np.eye(4)), "text": "some words",
        "cells": cells, "structure": {"a": 1, "b": {"c": "d"}}, "flag": np.array([True]), "small": np.uint8(3),
    }  # fmt: skip
    matlab_files.check_tags(bytes(stored(tmp_path, fields, do_compression=compressed)), 1 << 20)


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (ELEMENT, 99, "an element of kind 99"),
        (ELEMENT + 6, 1, "bytes does not belong there"),
        (FLAGS_TAG, 10, "an element of kind 10"),
        (FLAGS, 0, "an array of kind 0x0 is not known"),
        (FLAGS, 200, "an array of kind 0xc8 is not known"),
        (FLAGS + 1, 8, "an array of kind 0x806 is not known"),
        (FLAGS, 5, "an array of kind 5 has 4 parts"),
        (DATA, 14, "an element of kind 14"),
    ],
)
def test_a_wrong_tag_is_refused_before_it_is_followed(tmp_path, place, value, sentence):
    content = stored(tmp_path, {"fea": np.ones((5, 3))})
    content[place] = value
    with pytest.raises(ValueError, match=sentence):
        matlab_files.check_tags(bytes(content), 1 << 20)


def test_other_versions_are_left_to_scipy(tmp_path):
    savemat(tmp_path / "old.mat", {"fea": np.eye(3)}, format="4")
    matlab_files.check_tags((tmp_path / "old.mat").read_bytes(), 1 << 20)
    assert loadmat(tmp_path / "old.mat")["fea"].shape == (3, 3)
    matlab_files.check_tags(b"", 1 << 20)
    matlab_files.check_tags(b"short", 1 << 20)
