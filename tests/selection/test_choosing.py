from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from manifact import AffinityNMF
from manifact.graphs import KNNGraph
from manifact.metrics import nmi
from manifact.selection import choosing, select


def planted(k, n=240, seed=0):
    X, y = make_blobs(n, n_features=15, centers=k, cluster_std=1.0, random_state=seed)
    return X - X.min(), y


@pytest.fixture(scope="module")
def blobs():
    return planted(6)


@pytest.mark.parametrize(("k", "n"), [(2, 60), (3, 120), (7, 240), (12, 360)])
def test_finds_planted_clusters(k, n):
    X, y = planted(k, n)
    selection = select(X)
    assert selection.best == {"n_components": k, "n_neighbors": 5, "tau": 2.0}
    assert nmi(y, selection.model().fit(X).labels_) > 0.95


def test_finds_planted_clusters_of_many_samples():
    X, _ = planted(5, choosing.SAMPLES + 500)
    assert select(X, n_components=[3, 4, 5, 6, 8, 12]).best["n_components"] == 5


def test_same_seed_same_answer(blobs):
    one, same, other = (select(blobs[0], random_state=seed) for seed in (1, 1, 2))
    assert one.candidates == same.candidates
    assert one.candidates != other.candidates


def test_sparse_is_dense(blobs):
    X = np.where(blobs[0] > 10, blobs[0], 0)
    assert select(sparse.csr_matrix(X)).candidates == select(X).candidates


def test_candidates_are_honoured(blobs):
    selection = select(blobs[0], n_components=(8, 3, 4, 8), n_neighbors=[10, 6], tau=1)
    seen = [(row["n_neighbors"], row["n_components"], row["tau"]) for row in selection.candidates]
    assert seen == [(count, k, 1.0) for count in (6, 10) for k in (3, 4, 8)]
    assert selection.best["n_neighbors"] == 6
    assert selection.best["n_components"] in (3, 4, 8)


def test_auto_candidates_grow_by_a_share_and_stay_below_a_third_of_the_samples():
    sizes = choosing._sizes("auto", 10_000)
    assert sizes[:4] == [2, 3, 4, 5]
    assert 90 < sizes[-1] <= 100
    assert max(b / a for a, b in pairwise(sizes[8:])) < 1.21
    assert choosing._sizes("auto", 30)[-1] == 10


def test_nothing_is_scored_where_nothing_is_to_be_chosen(blobs):
    selection = select(blobs[0], n_components=9)
    assert selection.best["n_components"] == 9
    (row,) = selection.candidates
    assert row["net"] is None


def test_more_neighbours_where_the_graph_falls_apart():
    X, _ = planted(4, 200)
    # Everybody has seven who are all but the same, and nearest.
    twins = np.repeat(X, 8, axis=0) + np.random.default_rng(0).uniform(0, 1e-6, (1600, 15))
    assert select(twins, n_components=[3, 4, 5]).best["n_neighbors"] == 8
    assert select(twins, n_components=[3, 4, 5], n_neighbors=[4, 6, 12]).best["n_neighbors"] == 12
    assert select(X, n_components=[3, 4, 5]).best["n_neighbors"] == 5
    # Copies count once.
    assert select(np.repeat(X, 8, axis=0), n_components=[3, 4, 5]).best["n_neighbors"] == 5


def evidence(net, modularity=0.5, error=0.02, net_error=0.0):
    return choosing.Evidence(net, 0.0, modularity, error, net_error)


def test_clear_clusters_are_taken_though_finer_ones_say_more():
    assert choosing._best([1, 2, 3, 16], [evidence(0), evidence(0.98), evidence(1.2), evidence(2.7)]) == 2
    # Not if that may be chance.
    assert (
        choosing._best([1, 2, 3, 16], [evidence(0), evidence(0.98, net_error=0.3), evidence(1.2), evidence(2.7)]) == 3
    )
    # 2.7 of 4 bits are no longer clear, and there is nothing that is.
    assert choosing._best([1, 2, 3, 16], [evidence(0), evidence(0.6), evidence(1.0), evidence(2.7)]) == 16


def test_elsewhere_what_modularity_merges_is_left_out():
    rows = [evidence(0.6, 0.5), evidence(0.1, 0.7), evidence(0.2, 0.67), evidence(0.3, 0.6), evidence(0.25, 0.5)]
    assert choosing._best([2, 3, 4, 5, 6], rows) == 5
    rows[3:] = [evidence(0.15, 0.6), evidence(0.1, 0.5)]
    assert choosing._best([2, 3, 4, 5, 6], rows) == 4


def test_few_clear_clusters_of_many_samples_in_few_dimensions():
    X, _ = make_blobs(800, n_features=3, centers=3, random_state=1)
    selection = select(X - X.min())
    assert selection.best["n_components"] == 3
    # Net bits alone would cut them into pieces.
    assert max(selection.candidates, key=lambda row: row["net"])["n_components"] > 10


def test_given_graphs(blobs):
    X, _ = blobs
    W = KNNGraph(7).build(X).W
    selection = select(X, graph=W)
    assert selection.best == {"n_components": 6, "n_neighbors": None, "tau": 2.0}
    assert selection.model().graph is W
    own = select(X, graph=KNNGraph(7, weight="heat"))
    assert own.best["n_neighbors"] == 7
    assert own.model().graph.weight == "heat"
    replaced = select(X, n_components=6, n_neighbors=9, graph=KNNGraph(7, weight="heat")).model().graph
    assert (replaced.n_neighbors, replaced.weight) == (9, "heat")


def test_the_model_has_what_was_chosen_and_what_is_added(blobs):
    selection = select(blobs[0], n_components=4, tau=3, random_state=5)
    model = selection.model(max_iter=7)
    assert isinstance(model, AffinityNMF)
    assert (model.n_components, model.tau, model.random_state, model.max_iter) == (4, 3.0, 5, 7)
    assert model.graph.n_neighbors == 5
    assert selection.model(n_components=3).n_components == 3


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_components": "many"}, "n_components='many' is not known"),
        ({"n_components": []}, "n_components is empty"),
        ({"n_components": [3, 0]}, "n_components=0 must be an integer >= 1"),
        ({"n_components": [3, 81]}, "n_components=81 is too many to compare here: give at most 80"),
        ({"n_components": 2.5}, "n_components=2.5 must be an integer"),
        ({"n_neighbors": "few"}, "n_neighbors='few' is not known"),
        ({"n_neighbors": [0]}, "n_neighbors=0 must be an integer >= 1"),
        ({"tau": -1}, "tau=-1 must be a finite number >= 0"),
        ({"tau": [1, 2]}, "must be 'auto' or a number"),
        ({"n_neighbors": 5, "graph": np.eye(240)}, "n_neighbors=5 needs graph=None or KNNGraph()"),
        ({"graph": np.eye(3)}, "graph is a 3 x 3 affinity but X has 240 samples"),
    ],
)
def test_refusals(blobs, parameters, sentence):
    with pytest.raises((ValueError, TypeError)) as refused:
        select(blobs[0], **parameters)
    assert sentence in str(refused.value)


def test_too_few_samples_are_refused():
    with pytest.raises(ValueError, match="needs at least 6 samples, got n_samples = 5"):
        select(np.ones((5, 2)))
    with pytest.raises(ValueError, match="NaN"):
        select(np.full((20, 2), np.nan))


def test_alike_samples_and_empty_ones_work():
    X = np.zeros((30, 3))
    assert select(X).best["n_components"] >= 2
    X[:15, 0] = 1
    assert select(sparse.csr_matrix(X), n_components=[2, 3]).best["n_components"] in (2, 3)
