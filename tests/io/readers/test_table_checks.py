"""Sparse matrices in files whose parts lead compiled code out of its arrays."""

import io
import zipfile

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat
from tests.io.readers.helpers import refused

from manifact.datasets import load
from manifact.io.readers import read

#: Differences overflow, or the last entry says that nothing is there: SciPy's own full check lets both pass.
ASTRAY = [np.array([0, 2**31 - 1, -(2**31) + 1, 2], np.int32), np.array([0, 1 << 20, 1 << 20, 0], np.int32)]


def write_npz(file, form, indptr, shape=(3, 3)):
    parts = {"indices": np.array([0, 1], np.int32), "indptr": indptr, "data": np.ones(2), "shape": shape}
    with zipfile.ZipFile(file, "w") as archive:
        for name, value in {**parts, "format": form.encode()}.items():
            content = io.BytesIO()
            np.save(content, np.asarray(value))
            archive.writestr(f"{name}.npy", content.getvalue())


def write_mat(file, name, indptr):
    """A column for each sample or class, with the ends of its columns put in by hand."""
    X = sparse.csc_matrix((np.ones(2), np.array([0, 1]), np.array([0, 1, 2, 2])), shape=(3, 3))
    savemat(file, {name: X})
    before, after = X.indptr.astype("<i4").tobytes(), indptr.astype("<i4").tobytes()
    content = file.read_bytes()
    assert content.count(before) == 1
    file.write_bytes(content.replace(before, after))


@pytest.mark.parametrize("indptr", ASTRAY)
@pytest.mark.parametrize("form", ["csr", "csc", "bsr"])
def test_npz_files_that_lead_astray_are_refused(tmp_path, form, indptr):
    file = tmp_path / "x.npz"
    write_npz(file, form, indptr)
    with refused(file):
        read(file)


@pytest.mark.parametrize("indptr", ASTRAY)
def test_mat_files_that_lead_astray_are_refused(tmp_path, indptr):
    file = tmp_path / "x.mat"
    write_mat(file, "fea", indptr)
    with refused(file):
        read(file)


@pytest.mark.parametrize("indptr", ASTRAY)
def test_data_sets_that_lead_astray_are_refused(tmp_path, indptr):
    write_npz(tmp_path / "tdt2.npz", "csc", indptr)
    np.save(tmp_path / "tdt2_y.npy", np.zeros(3, np.int16))
    with refused(tmp_path / "tdt2.npz", "indptr"):
        load("tdt2", tmp_path)
    write_mat(tmp_path / "Reuters21578.mat", "fea", indptr)
    with refused(tmp_path / "Reuters21578.mat"):
        load("reuters", tmp_path)


def test_sparse_classes_that_lead_astray_are_refused(tmp_path):
    file = tmp_path / "x.mat"
    y = sparse.csc_matrix((np.ones(2), np.array([0, 1]), np.array([0, 2])), shape=(3, 1))
    savemat(file, {"fea": np.ones((3, 2)), "gnd": y})
    place = np.array([0, 1], "<i4").tobytes()
    content = file.read_bytes()
    assert content.count(place) == 1
    file.write_bytes(content.replace(place, np.array([0, 1 << 24], "<i4").tobytes()))
    with refused(file):
        read(file)


def test_rows_that_a_small_file_promises_are_refused_before_they_are_made(tmp_path):
    file = tmp_path / "x.npz"
    write_npz(file, "csc", np.array([0, 1, 2, 2]), shape=(1 << 30, 3))
    with refused(file, r"would unpack to 16,384 MiB from 1,213 bytes: use fewer rows"):
        read(file)


def test_columns_that_a_small_file_promises_are_refused_before_a_model_has_a_part_of_them(tmp_path):
    file = tmp_path / "x.npz"
    write_npz(file, "csr", np.array([0, 1, 2, 2]), shape=(3, 1 << 40))
    with refused(file, r"would unpack to 8,388,608 MiB from [\d,]+ bytes: use fewer columns"):
        read(file)
