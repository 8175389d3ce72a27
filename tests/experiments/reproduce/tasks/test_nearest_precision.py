"""Classification by the nearest neighbour: who learns from what, and is judged on what."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.neighbors import KNeighborsClassifier

from manifact.datasets import load_digits
from manifact.experiments.reproduce.experiment_samples import samples
from manifact.experiments.reproduce.tasks import nearest_precision

BASE = {"data": "digits", "prepare": "range", "train": 3, "stage": "test", "repeat": 0, "dimensions": [2, 5, 9]}
Y = load_digits().y


@pytest.mark.parametrize("train", [1, 4])
def test_samples_are_learned_from_or_judged_or_held_back(train):
    held = nearest_precision.split(Y, train, "validation", 0).judged
    for repeat in range(3):
        choosing, testing = (nearest_precision.split(Y, train, stage, repeat) for stage in nearest_precision.STAGES)
        # One validation set for all, and nothing of it in any training or test set.
        assert_array_equal(choosing.judged, held)
        assert not set(held) & {*choosing.train, *testing.train, *testing.judged}
        assert not set(testing.train) & set(testing.judged)
        assert_array_equal(np.bincount(Y[testing.train]), train)
        # What is neither held back nor learned from is tested.
        assert len(held) + len(testing.train) + len(testing.judged) == len(Y)
    assert_allclose(np.bincount(Y[held]) / np.bincount(Y), 0.2, atol=0.01)


def test_training_sets_differ_between_repeats_and_stages():
    sets = [
        tuple(nearest_precision.split(Y, 3, stage, repeat).train)
        for stage in nearest_precision.STAGES
        for repeat in range(3)
    ]
    assert len(set(sets)) == 6


def test_raw_is_scikit_learns_nearest_neighbour():
    found = nearest_precision.run({**BASE, "method": "raw"})
    S, part = samples(BASE), nearest_precision.split(Y, 3, "test", 0)
    expected = KNeighborsClassifier(1).fit(S.X[part.train], Y[part.train]).score(S.X[part.judged], Y[part.judged])
    assert found["precision"] == [expected]
    assert found["dimensions"] == [64]


def test_complete_bases_classify_as_the_samples_do():
    # As many principal directions as the training samples span keep their distances to everything in that span.
    S, part = samples(BASE), nearest_precision.split(Y, 3, "test", 0)
    found = nearest_precision.run({**BASE, "method": "PCA", "dimensions": [2, 29, 100]})
    assert found["dimensions"] == [2, 29]
    centred = S.X[part.train] - S.X[part.train].mean(axis=0)
    axes = np.linalg.svd(centred, full_matrices=False)[2][:29]
    expected = nearest_precision.nearest_precision(
        S.X[part.train] @ axes.T, Y[part.train], S.X[part.judged] @ axes.T, Y[part.judged]
    )
    assert found["precision"][1] == pytest.approx(expected, abs=1e-3)


def test_factorisations_project_by_the_pseudoinverse():
    S, part = samples(BASE), nearest_precision.split(Y, 3, "test", 0)
    settings = {**BASE, "method": "NMF", "parameters": {"solver": "mu", "max_iter": 20}}
    project = nearest_precision._fitted(settings, S.X[part.train], Y[part.train], 5)
    X = S.X[part.judged]
    V = project(X)
    assert V.shape == (len(X), 5)
    inverse = project(np.eye(64))
    parts = np.linalg.pinv(inverse)
    assert parts.min() > -1e-10
    # Least squares leaves a residual that no part explains.
    assert np.abs((X - V @ parts) @ parts.T).max() < 1e-10


@pytest.mark.parametrize(
    ("method", "expected"),
    [("LDA", [2, 5, 9]), ("KSDA", [2, 5, 9]), ("NPE", [2, 5, 9]), ("NMF", [2, 5, 9]), ("KernelPCA", [2, 5, 9])],
)
def test_every_number_of_dimensions_is_judged(method, expected):
    parameters = {"max_iter": 5} if method == "NMF" else {}
    found = nearest_precision.run({**BASE, "method": method, "parameters": parameters})
    assert found["dimensions"] == expected
    assert len(found["precision"]) == 3
    assert all(0.1 < value <= 1 for value in found["precision"])


def test_dimensions_end_where_the_method_does():
    assert nearest_precision.dimensions("LDA", [5, 20, 50], (40, 64), 10) == [5, 9]
    assert nearest_precision.dimensions("PCA", [5, 20, 50], (40, 64), 10) == [5, 20, 39]
    assert nearest_precision.dimensions("NMF", [5, 20, 50], (40, 64), 10) == [5, 20, 50]
    assert nearest_precision.dimensions("PCA", [5, 20], (40, 64), 10) == [5, 20]
    assert nearest_precision.dimensions("raw", [5, 20], (40, 64), 10) == [64]


def test_a_graph_of_labels_reads_the_training_labels():
    settings = {**BASE, "dimensions": [12], "parameters": {"solver": "mu", "graph_reg": 10.0}}
    labels = nearest_precision.run({**settings, "method": "GNMF", "graph": {"kind": "labels"}})
    near = nearest_precision.run({**settings, "method": "GNMF", "graph": {"n_neighbors": 3}})
    assert labels["precision"] != near["precision"]
