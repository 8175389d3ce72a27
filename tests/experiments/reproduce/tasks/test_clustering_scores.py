"""The clusters task: the same as its steps by hand."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans

from manifact import GNMF
from manifact.datasets import load_digits, unit_length
from manifact.experiments.reproduce import experiment_samples
from manifact.experiments.reproduce.tasks import clustering_scores
from manifact.graphs import KNNGraph
from manifact.metrics import accuracy, nmi

DIGITS = {"data": "digits", "prepare": "unit", "seed": 3, "draw": 1}


def by_hand(classes, draw):
    digits = load_digits()
    chosen = np.random.default_rng([draw, classes]).choice(10, classes, replace=False)
    rows = np.isin(digits.y, chosen)
    return unit_length(digits.X[rows]), digits.y[rows]


def test_scores_are_those_of_its_steps():
    X, y = by_hand(4, 1)
    seed = int(np.random.default_rng([3, 0]).integers(2**31))
    W = KNNGraph(4).build(X).W
    V = GNMF(4, graph=W, solver="mu", max_iter=20, random_state=seed).fit_transform(X)
    labels = KMeans(4, init="k-means++", n_init=5, random_state=seed).fit_predict(V)
    parameters = {"solver": "mu", "max_iter": 20}
    how = {"classes": 4, "graph": {"n_neighbors": 4}, "parameters": parameters, "kmeans": {"n_init": 5}}
    found = clustering_scores.run({**DIGITS, **how, "method": "GNMF"})
    assert found["AC"] == [accuracy(y, labels)]
    assert found["NMI max"] == [nmi(y, labels)]
    assert found["NMI sqrt"] == [nmi(y, labels, "sqrt")]
    assert found["samples"] == len(y)


def test_sub_runs_are_chosen_by_the_objective_and_the_best_by_the_labels():
    settings = {**DIGITS, "classes": 6, "method": "k-means", "kmeans": {"rule": "random", "n_init": 1}}
    S = experiment_samples.samples(settings)
    tried = [clustering_scores._sub_run(settings, S, number) for number in range(8)]
    found = clustering_scores.run({**settings, "sub_runs": 8})
    assert found["AC"] == min(tried, key=lambda one: one["objective"])["AC"]
    assert found["best AC"] == [max(one["AC"][0] for one in tried)]
    assert found["best AC"] >= found["AC"]


def test_several_clusterings_of_one_representation():
    settings = {**DIGITS, "classes": 5, "method": "PCA", "kmeans": {"rule": "random", "n_init": 1}, "clusterings": 4}
    found = clustering_scores.run(settings)
    assert len(found["AC"]) == 4
    assert len(set(found["AC"])) > 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_weights_of_the_rows_are_those_of_the_normalised_cut(kind, rng):
    X = rng.random((7, 5))
    weighted, fitting = clustering_scores.weighted(kind(X), "ncw rows")
    expected = X / np.sqrt(X @ X.T @ np.ones(7))[:, None]
    np.testing.assert_allclose(weighted.toarray() if sparse.issparse(weighted) else weighted, expected)
    assert not fitting
    assert clustering_scores.weighted(X, "ncw")[1] == {"sample_weight": "ncw"}


@pytest.mark.parametrize("method", ["NCut", "NCut-NJW", "k-means", "raw", "SVD", "CF"])
def test_every_kind_of_method_is_clustered_alike(method):
    found = clustering_scores.run(
        {**DIGITS, "classes": 2, "method": method, "kmeans": {"rule": "authors", "n_init": 2}}
    )
    assert found["AC"][0] > 0.5


def test_draws_do_not_depend_on_the_method_and_differ():
    first, again, other = (
        experiment_samples.samples({"data": "digits", "prepare": "unit", "classes": 3, "draw": draw})
        for draw in (0, 0, 1)
    )
    assert np.array_equal(first.y, again.y)
    assert set(first.y) != set(other.y)
    assert first.n_classes == 3


def test_the_largest_classes_are_kept():
    kept = experiment_samples.prepared("digits", "unit", "float64", 4)
    counts = np.bincount(load_digits().y)
    assert sorted(np.bincount(kept.y)[np.unique(kept.y)]) == sorted(np.sort(counts)[-4:])


def test_other_data_under_the_same_name_are_other_data(monkeypatch):
    before = experiment_samples.digest("digits")
    experiment_samples.digest.cache_clear()
    digits = load_digits()
    digits.X[0, 0] += 1
    monkeypatch.setattr(experiment_samples, "dataset", lambda name: digits)
    assert experiment_samples.digest("digits") != before
    experiment_samples.digest.cache_clear()
