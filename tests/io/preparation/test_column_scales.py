"""Columns at one scale: distances, zeros, constants, new values; and which tables get it unasked."""

import json

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from manifact.io.preparation import Preparation, learn
from manifact.io.preparation.column_scales import of_one_unit
from manifact.io.raw_samples import LeftOut
from manifact.io.readers import Samples


def table(X, **more):
    """As the reader of a file of columns makes it."""
    return Samples("table", "t.csv", X, left_out=LeftOut(**more))


def matrix(X):
    return Samples("table", "t.npy", X)


@pytest.fixture
def signed(rng):
    return rng.standard_normal((40, 4)) * [1, 100, 0.01, 1] + [0, 5, -3, 1e9]


def test_range_is_from_0_to_1(signed):
    X = learn(table(signed), columns="range").apply(table(signed))
    np.testing.assert_allclose(X.min(axis=0), 0.01)
    np.testing.assert_allclose(X.max(axis=0), 1.01)


def test_standard_deviations_keep_the_distances_of_standardised_columns(signed):
    prepared = learn(table(signed), columns="std")
    X = prepared.apply(table(signed))
    assert X.min() == 0.01
    np.testing.assert_allclose(pdist(X), pdist((signed - signed.mean(axis=0)) / signed.std(axis=0)), rtol=1e-6)


@pytest.mark.parametrize("how", ["range", "std", "max"])
def test_what_is_learnt_is_applied_to_new_samples_and_undone(signed, how, rng):
    prepared = learn(table(signed), columns=how)
    again = Preparation.from_dict(json.loads(json.dumps(prepared.to_dict(), allow_nan=False)))
    assert again == prepared
    new = signed[:5] + 0.0
    np.testing.assert_array_equal(again.apply(table(new)), prepared.apply(table(signed))[:5])
    np.testing.assert_allclose(again.in_own_units(again.apply(table(new))), new, rtol=1e-6)
    low = table(signed.min(axis=0, keepdims=True) - 1)
    if how != "max":
        assert (again.apply(low) == 0.01).all(), "what is below all that is known counts as the smallest"
        assert again.columns.below(low.X) == again.below(low) == 4
    assert again.below(table(signed)) == 0


def test_rows_that_were_scaled_have_no_units(signed):
    with pytest.raises(ValueError, match=r"rows were brought to length 1, .*scale='none'"):
        learn(matrix(np.abs(signed))).in_own_units(signed)


def test_a_column_of_one_value_says_nothing_of_new_samples_either():
    X = np.array([[1.0, 7], [2, 7], [3, 7]])
    prepared = learn(table(X), columns="range")
    assert prepared.apply(table(np.array([[2.0, 1e6]]))).tolist() == [[0.51, 0.01]]


def test_sparse_data_stay_sparse():
    X = sparse.random_array((30, 6), density=0.3, format="csr", random_state=np.random.default_rng(0))
    for how, size in (("range", X.max(axis=0).toarray()), ("std", X.toarray().std(axis=0))):
        Y = learn(matrix(X), columns=how).apply(matrix(X))
        assert sparse.issparse(Y)
        assert Y.nnz == X.nnz
        np.testing.assert_allclose(Y.toarray(), X.toarray() / size)
    with pytest.raises(ValueError, match=r"columns='range' of sparse data with values below zero .* columns='max'"):
        learn(matrix(-X), columns="range")


def test_float32_stays_and_far_offsets_are_not_lost():
    X = (1e7 + np.arange(64, dtype=np.float64).reshape(32, 2)).astype(np.float32)
    Y = learn(table(X), columns="range").apply(table(X))
    assert Y.dtype == np.float32
    np.testing.assert_allclose(Y[:, 0], 0.01 + np.linspace(0, 1, 32), atol=1e-6)


def test_a_sample_that_is_smallest_everywhere_is_not_empty():
    X = np.array([[1.0, 1], [1, 1], [5, 2], [2, 7]])
    for how in ("range", "std"):
        prepared = learn(table(X), columns=how)
        assert prepared.apply(table(X)).any(axis=1).all()
        assert prepared.apply(table(np.zeros((1, 2)))).any()


@pytest.mark.parametrize("load", [load_wine, load_iris, load_breast_cancer])
def test_tables_of_measurements_are_scaled_by_columns_and_not_by_rows(load):
    X = load().data
    prepared = learn(table(X))
    assert (prepared.columns.how, prepared.scale) == ("range", "none")
    assert prepared.scaling == "each column from its smallest value (0.01) to its largest (1.01)"
    bare = learn(matrix(X))
    assert (bare.columns, bare.scale, bare.scaling) == (None, "unit", "each row to length 1")


def test_pixels_spectra_and_counts_are_of_one_unit(rng):
    pixels = load_digits().data
    waves = np.linspace(0, 6, 80)
    spectra = np.exp(-((waves - rng.random((50, 1)) * 6) ** 2)) + 0.1
    words = rng.poisson(1 / np.arange(1, 61), (50, 60))
    for X in (pixels, spectra, words):
        assert of_one_unit(X) is not None
        prepared = learn(table(X))
        assert (prepared.columns, prepared.scale) == (None, "unit")
    assert of_one_unit(words).startswith("most cells")
    assert of_one_unit(-spectra) is None
    income = np.column_stack([rng.integers(0, 2, (50, 8)) * (rng.random((50, 8)) < 0.3), rng.integers(1e4, 1e5, 50)])
    assert of_one_unit(income) is None, "answers yes and no beside a sum of money are no counts"


@pytest.mark.parametrize(
    ("asked", "columns", "scale"),
    [
        ({}, "range", "none"),
        ({"scale": "unit"}, None, "unit"),
        ({"scale": "none"}, None, "none"),
        ({"columns": "none"}, None, "unit"),
        ({"columns": "std"}, "std", "none"),
        ({"columns": "max"}, "max", "none"),
        ({"columns": "max", "scale": "unit"}, "max", "unit"),
        ({"columns": "none", "scale": "none"}, None, "none"),
    ],
)
def test_who_asks_is_obeyed(asked, columns, scale):
    prepared = learn(table(load_wine().data), **asked)
    assert (prepared.columns and prepared.columns.how, prepared.scale) == (columns, scale)


def test_files_of_the_first_version_are_read_and_work_as_before():
    stored = {
        "kind": "table", "version": 1, "scale": "unit", "image_shape": None,
        "feature_names": ["a", "b"], "n_features": 2, "largest": [2.0, 10.0],
    }  # fmt: skip
    prepared = Preparation.from_dict(stored)
    X = np.array([[2.0, 10], [1, 0]])
    np.testing.assert_allclose(prepared.apply(matrix(X)), [[0.5**0.5, 0.5**0.5], [1, 0]])
    assert prepared.to_dict()["version"] == 1
    del stored["largest"]
    np.testing.assert_allclose(Preparation.from_dict(stored).apply(matrix(X))[1], [1, 0])
    assert learn(table(X)).to_dict()["version"] == 2, "a first version would not know what to subtract"


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": {"how": "range", "lowest": [0.0], "width": [1.0, 1.0], "margin": 0.0}},
        {"columns": {"how": "range", "lowest": [0.0, 0.0], "width": [1.0, -1.0], "margin": 0.0}},
        {"columns": {"how": "magic", "lowest": [0.0, 0.0], "width": [1.0, 1.0], "margin": 0.0}},
        {"means": [1.0]},
    ],
)
def test_damaged_scales(damage):
    stored = learn(table(np.array([[2.0, 10], [1, 0]]))).to_dict()
    with pytest.raises(ValueError, match="the model's preparation is damaged"):
        Preparation.from_dict(stored | damage)
