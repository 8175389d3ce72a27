"""NumPy's files, dense and sparse."""

import numpy as np
import pytest
from scipy import sparse
from tests.io.readers.helpers import counts, refused, same, sparse_counts

from manifact.io.readers import read


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int32, ">i2", np.float16, np.float32, np.float64, ">f8", "g"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_keeps_the_values(tmp_path, dtype, order):
    X = np.asarray(counts(), dtype=dtype, order=order)
    np.save(tmp_path / "x.npy", X)
    found = read(tmp_path / "x.npy")
    assert (found.kind, found.source, found.n_samples) == ("table", str(tmp_path / "x.npy"), 7)
    np.testing.assert_array_equal(found.X, X)
    assert found.X.dtype.isnative
    assert found.X.dtype.itemsize <= 8
    assert found.names is found.labels is found.feature_names is None


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
@pytest.mark.parametrize(("x", "y"), [("X", "y"), ("data", "labels"), ("fea", "gnd")])
def test_npz_with_classes(tmp_path, save, x, y):
    save(tmp_path / "x.npz", **{x: counts(), y: np.arange(7.0)[:, None], "other": np.ones(3)})
    found = read(tmp_path / "x.npz")
    np.testing.assert_array_equal(found.X, counts())
    np.testing.assert_array_equal(found.labels, np.arange(7))
    assert found.labels.dtype == np.int64


def test_npz_with_one_array_of_any_name(tmp_path):
    np.savez(tmp_path / "x.npz", counts())
    np.testing.assert_array_equal(read(tmp_path / "x.npz").X, counts())


def test_npz_with_names(tmp_path):
    names, columns = [f"s{i}" for i in range(7)], [f"g{i}" for i in range(5)]
    np.savez(tmp_path / "x.npz", X=counts(), names=names, feature_names=columns, image_shape=[5, 1])
    found = read(tmp_path / "x.npz")
    assert (found.names, found.feature_names, found.image_shape) == (names, columns, (5, 1))


def test_npz_with_another_variable(tmp_path):
    np.savez(tmp_path / "x.npz", X=counts(), Z=counts(1))
    np.testing.assert_array_equal(read(tmp_path / "x.npz", variable="Z").X, counts(1))
    with refused(tmp_path / "x.npz", "has no variable='Q', but X, Z: choose another one"):
        read(tmp_path / "x.npz", variable="Q")


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "bsr", "dia"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_sparse_npz_stays_sparse(tmp_path, form, kind):
    X = kind(counts())
    sparse.save_npz(tmp_path / "x.npz", X.asformat(form))
    found = read(tmp_path / "x.npz")
    assert found.X.format == "csr"
    same(found.X, sparse_counts())


def test_the_papers_data(home):
    images, documents = read(home / "coil20.npz"), read(home / "tdt2.npz")
    assert (images.X.shape, images.image_shape, len(np.unique(images.labels))) == ((1440, 1024), (32, 32), 20)
    assert (documents.X.shape, documents.X.nnz, documents.X.format) == ((9394, 36771), 1224135, "csr")


def test_the_shape_of_images(tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", np.ones((3, 12)))
    assert read(tmp_path / "x.npy", image_shape=(3, 4)).image_shape == (3, 4)
    with refused(tmp_path / "x.npy", "12 columns, which are not images of 3 x 5"):
        read(tmp_path / "x.npy", image_shape=(3, 5))
    monkeypatch.chdir(tmp_path)
    with refused("x.npy", "12 columns, which are not images of 3 x 5"):
        read("./x.npy", image_shape=(3, 5))


NAN = counts().astype(float)
NAN[2, 3] = np.nan


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        (np.ones(3), r"holds of shape \(3,\)"),
        (np.ones((3, 4, 5)), r"shape \(3, 4, 5\)"),
        (np.float64(3), r"shape \(\)"),
        (np.ones((0, 3)), "0 x 3 values"),
        (np.ones((3, 0)), "3 x 0 values"),
        (NAN, "has nan in row 3, column 4: fill in"),
        (np.array([[1.0, -np.inf]]), "has -inf in row 1, column 2"),
        (np.array([["a", "b"]]), "of type <U1: store numbers alone"),
        (np.ones((2, 2), dtype=complex), "of type complex128"),
        (np.zeros((2, 2), dtype="M8[s]"), "of type datetime64"),
        (np.zeros(2, dtype=[("a", int), ("b", int)]), "shape"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path, X, sentence):
    np.save(tmp_path / "x.npy", X)
    with refused(tmp_path / "x.npy", sentence):
        read(tmp_path / "x.npy")
    np.savez(tmp_path / "x.npz", X=X)
    with refused(tmp_path / "x.npz"):
        read(tmp_path / "x.npz")


def test_pickled_objects_are_never_loaded(tmp_path):
    X = np.array([[1, None]], dtype=object)
    np.save(tmp_path / "x.npy", X)
    np.savez(tmp_path / "x.npz", X=X)
    for name in ("x.npy", "x.npz"):
        with refused(tmp_path / name):
            read(tmp_path / name)


def test_several_arrays_without_a_known_name(tmp_path):
    np.savez(tmp_path / "x.npz", **{"a\nb": counts(), "c" * 999: counts()})
    with refused(tmp_path / "x.npz", "holds a�b, ccc"):
        read(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", a=counts(), b=counts())
    with refused(tmp_path / "x.npz", "holds a, b: say with variable=… which holds the samples"):
        read(tmp_path / "x.npz")


def test_names_of_classes_are_no_classes(tmp_path):
    names = np.array(["cat", "dog", "hare"])
    np.savez(tmp_path / "x.npz", X=counts(), labels=names)
    assert read(tmp_path / "x.npz").labels is None
    np.savez(tmp_path / "x.npz", X=counts(), label=names, labels=np.arange(7))
    assert read(tmp_path / "x.npz").labels.tolist() == list(range(7))
    np.savez(tmp_path / "x.npz", X=counts(), y=np.full(7, 1j))
    with refused(tmp_path / "x.npz", r"has y of shape \(7,\) and type complex128: store one class for each of the 7"):
        read(tmp_path / "x.npz")


def test_sparse_files_with_wrong_indices(tmp_path):
    X = sparse_counts()
    parts = {"format": b"csr", "shape": X.shape, "data": X.data, "indices": X.indices, "indptr": X.indptr}
    for wrong in ({"indices": X.indices + 4}, {"indptr": X.indptr[::-1].copy()}, {"indices": X.indices - 3}):
        np.savez(tmp_path / "x.npz", **{**parts, **wrong})
        with refused(tmp_path / "x.npz"):
            read(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", **{**parts, "data": np.full(X.nnz, np.nan)})
    with refused(tmp_path / "x.npz", "has nan in row 1, column"):
        read(tmp_path / "x.npz")


def test_a_head_that_asks_for_more_than_there_is(tmp_path):
    file = tmp_path / "x.npy"
    np.save(file, np.ones((7, 5)))
    file.write_bytes(file.read_bytes().replace(b"(7, 5), }     ", b"(70000000, 5)}"))
    with refused(file, "cannot be read as a NumPy array"):
        read(file)
