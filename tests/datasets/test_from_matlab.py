"""Files in the structure of the originals, written from the real data where they are here."""

import numpy as np
import pytest
from scipy import sparse
from scipy.io import savemat

from manifact.datasets import load
from manifact.datasets.sources import SETS


def column_major(X, image_shape):
    return X[:, np.arange(X.shape[1]).reshape(image_shape).ravel(order="F")]


def same(data, known):
    if sparse.issparse(known.X):
        assert data.X.format == "csr"
        assert abs(data.X - known.X).max() == 0
        assert data.X.nnz == known.X.nnz
    else:
        np.testing.assert_array_equal(data.X, known.X)
    np.testing.assert_array_equal(data.y, known.y)
    assert (data.X.dtype, data.y.dtype, data.image_shape) == (known.X.dtype, np.int64, known.image_shape)


@pytest.mark.parametrize(
    ("name", "file", "fields"),
    [
        ("coil20", "COIL20.mat", ("fea", "gnd")),
        ("coil20", "coil20.mat", ("X", "Y")),
        ("pie", "PIE_pose27.mat", ("fea", "gnd")),
        ("yale", "Yale.mat", ("X", "Y")),
        ("orl", "ORL_32x32.mat", ("fea", "gnd")),
        ("umist", "umist.mat", ("X", "Y")),
        ("binalpha", "binaryalphadigs.mat", ("X", "Y")),
    ],
)
def test_image_tables(home, tmp_path, name, file, fields):
    known = load(name, home)
    matrix = column_major(known.X, known.image_shape).astype(float)
    savemat(tmp_path / file, dict(zip(fields, (matrix, known.y[:, None] + 1.0), strict=True)), do_compression=False)
    same(load(name, tmp_path), known)


@pytest.mark.parametrize(
    ("name", "file"), [("tdt2", "TDT2.mat"), ("reuters", "Reuters21578.mat"), ("news20", "20Newsgroups.mat")]
)
def test_sparse_tables(home, tmp_path, name, file):
    known = load(name, home)
    savemat(tmp_path / file, {"fea": sparse.csc_matrix(known.X.astype(float)), "gnd": known.y[:, None] + 1.0})
    same(load(name, tmp_path), known)


def test_tdt2_with_all_its_categories_keeps_the_thirty_largest(home, tmp_path):
    known = load("tdt2", home)
    rest = sparse.csr_array(np.ones((818, 1))) @ sparse.csr_array(known.X[:1].astype(float))
    X = sparse.csc_matrix(sparse.vstack([known.X.astype(float), rest]))
    y = np.concatenate([known.y + 1, 31 + np.arange(818) % 66])
    savemat(tmp_path / "TDT2.mat", {"fea": X, "gnd": y[:, None]})
    same(load("tdt2", tmp_path), known)


def test_the_cells_of_binary_alphadigits(home, tmp_path):
    known = load("binalpha", home)
    cells = np.empty((36, 39), dtype=object)
    for number, image in enumerate(known.X):
        cells[number // 39, number % 39] = image.reshape(20, 16)
    savemat(tmp_path / "binaryalphadigs.mat", {"dat": cells, "classcounts": np.full((1, 36), 39)})
    same(load("binalpha", tmp_path), known)


def test_the_cells_of_umist_are_images_of_their_own_size(tmp_path, rng):
    sizes = [28 + (number < 15) for number in range(20)]
    cells = np.empty((1, 20), dtype=object)
    for number, size in enumerate(sizes):
        cells[0, number] = rng.integers(0, 256, (112, 92, size), dtype=np.uint8)
    savemat(tmp_path / "umist_cropped.mat", {"facedat": cells})
    data = load("umist", tmp_path)
    assert (data.X.shape, data.image_shape, data.X.dtype) == ((575, 112 * 92), (112, 92), np.uint8)
    np.testing.assert_array_equal(data.X[sizes[0]].reshape(112, 92), cells[0, 1][:, :, 0])
    np.testing.assert_array_equal(np.bincount(data.y), sizes)


def toy_fields(toy, **changes):
    _, X, y = toy
    fields = {"fea": column_major(X, (3, 4)).astype(float), "gnd": y[:, None] + 1.0}
    return {name: value for name, value in {**fields, **changes}.items() if value is not None}


def test_a_column_per_sample_and_a_row_of_classes(toy, tmp_path):
    _, X, y = toy
    savemat(tmp_path / "Toy.mat", toy_fields(toy, fea=column_major(X, (3, 4)).T, gnd=y[None, :] * 5 + 3))
    data = load("toy", tmp_path)
    np.testing.assert_array_equal(data.X, X)
    np.testing.assert_array_equal(data.y, y)


def test_values_that_our_number_type_cannot_hold_stay(toy, tmp_path):
    _, X, _ = toy
    savemat(tmp_path / "Toy.mat", toy_fields(toy, fea=column_major(X, (3, 4)) / 7))
    assert load("toy", tmp_path).X.dtype == np.float64
    np.testing.assert_array_equal(load("toy", tmp_path).X, X / 7)


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"gnd": None}, "has the fields fea: expected fea and gnd, or X and Y"),
        ({"fea": None, "gnd": None, "other": 1}, "has no field that we know: expected fea and gnd, or X and Y"),
        ({"fea": np.ones((6, 10))}, "holds 6 x 10 values in 2 classes: expected the toy of the papers, 6 x 12 in 2 cl"),
        ({"gnd": np.ones((5, 1))}, "holds 6 samples and 5 classes: expected one class for each sample"),
        ({"gnd": np.full((6, 1), 0.5)}, "has classes that are not whole numbers"),
        ({"gnd": np.full((6, 1), np.nan)}, "has classes that are not whole numbers"),
        ({"gnd": np.ones((6, 1))}, "holds 6 x 12 values in 1 classes: expected"),
        ({"fea": "some text"}, r"holds <U9 of shape \(1,\) as data: expected a matrix of numbers"),
        ({"dat": np.ones((2, 2))}, "has cells that are not images of one size"),
    ],
)
def test_a_wrong_file_is_refused(toy, tmp_path, changes, sentence):
    savemat(tmp_path / "Toy.mat", toy_fields(toy, **changes))
    with pytest.raises(ValueError, match=f"Toy.mat {sentence}"):
        load("toy", tmp_path)


@pytest.mark.parametrize("part", [0.0, 0.05, 0.3, 0.9])
@pytest.mark.parametrize("compressed", [False, True])
def test_a_torn_file_is_refused(toy, tmp_path, part, compressed):
    file = tmp_path / "Toy.mat"
    savemat(file, toy_fields(toy), do_compression=compressed)
    content = file.read_bytes()
    file.write_bytes(content[: int(part * len(content))])
    with pytest.raises(ValueError, match=r"Toy.mat (cannot be read as a MATLAB file|has )"):
        load("toy", tmp_path)


def test_an_html_page_is_refused(toy, tmp_path):
    (tmp_path / "Toy.mat").write_text("<!doctype html><title>404</title>" * 20)
    with pytest.raises(ValueError, match=r"Toy.mat cannot be read as a MATLAB file"):
        load("toy", tmp_path)


def test_version_7_3_is_refused_with_the_remedy(toy, tmp_path):
    head = b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\x00\x02IM"
    (tmp_path / "Toy.mat").write_bytes(head.ljust(512, b"\x00") + b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(ValueError, match=r"Toy.mat is a MATLAB v7.3 \(HDF5\) file.*save\('Toy.mat', .*'-v7'\)"):
        load("toy", tmp_path)


def test_the_other_version_of_newsgroups_is_refused(tmp_path):
    X = sparse.csc_matrix(([1.0], ([3], [5])), shape=(18774, 61188))
    savemat(tmp_path / "20newsgroups.mat", {"fea": X, "gnd": np.arange(18774)[:, None] % 20})
    with pytest.raises(ValueError, match=r"holds 18774 x 61188 values in 20 classes: expected .* 18846 x 26214 in 20"):
        load("news20", tmp_path)
    assert SETS["news20"].widths == (26214,)


@pytest.mark.parametrize("kind", ["dense", "sparse", "cells"])
def test_damaged_files_never_do_worse_than_a_refusal(toy, tmp_path, rng, kind):
    _, X, y = toy
    cells = np.empty((2, 3), dtype=object)
    for number, image in enumerate(X):
        cells[number // 3, number % 3] = image.reshape(3, 4)
    table = {"fea": X.astype(float) if kind == "dense" else sparse.csc_matrix(X.astype(float)), "gnd": y[:, None] + 1}
    savemat(tmp_path / "Toy.mat", {"dat": cells} if kind == "cells" else table)
    content = (tmp_path / "Toy.mat").read_bytes()
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=3):
            damaged[place] = rng.integers(256)
        (tmp_path / "Toy.mat").write_bytes(damaged)
        message = refusal(tmp_path)
        assert message is None or "Toy.mat" in message


def refusal(folder):
    """What is said against the file, nothing if it can be read."""
    try:
        load("toy", folder)
    except ValueError as problem:
        return str(problem)
    return None
