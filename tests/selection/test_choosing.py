from itertools import pairwise

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.preprocessing import normalize

from manifact import AffinityNMF
from manifact.backends import threads
from manifact.graphs import AutoGraph, KNNGraph, LandmarkGraph
from manifact.graphs.auto import possible_sizes
from manifact.metrics import nmi
from manifact.selection import sampling, select
from manifact.selection.result import COUNTS, CRITERION, GRAPHS


def planted(k, n=240, seed=0):
    X, y = make_blobs(n, n_features=15, centers=k, cluster_std=1.0, random_state=seed)
    return X - X.min(), y


@pytest.fixture(scope="module")
def blobs():
    return planted(6)


@pytest.fixture(scope="module")
def found(blobs):
    return select(blobs[0])


@pytest.mark.parametrize(("k", "n"), [(2, 60), (3, 120), (7, 240), (12, 360)])
def test_finds_planted_clusters(k, n):
    X, y = planted(k, n)
    selection = select(X)
    assert (selection.best["n_components"], selection.best["tau"]) == (k, 2.0)
    assert nmi(y, selection.model().fit(X).labels_) > 0.95


def test_few_clear_clusters_of_many_samples_in_few_dimensions():
    X, _ = make_blobs(800, n_features=3, centers=3, random_state=1)
    assert select(X - X.min()).best["n_components"] == 3


def test_finds_planted_clusters_of_more_samples_than_are_looked_at():
    X, _ = planted(5, sampling.SAMPLES + 500)
    selection = select(X, n_components=[3, 4, 5, 6, 8, 12], graph=KNNGraph())
    assert selection.best["n_components"] == 5


def test_looks_past_directions_that_drown_the_clusters():
    """Five groups in small features, beside a few large ones that know nothing of them."""
    rng = np.random.default_rng(0)
    y = np.arange(300) % 5
    own = rng.random((5, 120))[y] + 0.3 * rng.random((300, 120))
    light = 12 * rng.random((300, 2)) @ rng.random((2, 120))
    X = normalize(own + light)
    selection = select(X, n_components=5)
    assert selection.best["features"] != "all features"
    chosen, plain = (
        nmi(y, AffinityNMF(5, graph=graph, random_state=0).fit(X).labels_)
        for graph in (selection.graph, KNNGraph(selection.best["n_neighbors"], weight="local"))
    )
    assert chosen > plain + 0.2


def test_same_seed_same_answer(blobs, found):
    X, _ = blobs
    same, other = (select(X, random_state=seed) for seed in (0, 2))
    assert (same.candidates, same.best) == (found.candidates, found.best)
    assert other.candidates != found.candidates


def test_the_answer_does_not_depend_on_threads(blobs, found, monkeypatch):
    monkeypatch.setattr(threads, "count", lambda: 1 if threads_before > 1 else 3)
    assert select(blobs[0]).candidates == found.candidates


threads_before = threads.count()


def test_sparse_is_dense(blobs):
    X = np.where(blobs[0] > 10, blobs[0], 0)
    dense, found = (select(Z, n_components=[4, 6, 8]) for Z in (X, sparse.csr_matrix(X)))
    assert found.best == dense.best
    for one, other in zip(found.candidates, dense.candidates, strict=True):
        assert one["features"] == other["features"]
        # Products in single precision, which sparse samples go by, do not hold the shortest directions.
        assert one["bits"] == pytest.approx(other["bits"], abs=0.02 if one["directions"] is None else 0.2)


def test_rows_say_what_was_looked_at(found):
    assert found.criterion == CRITERION
    for row in found.candidates:
        assert set(row) == {
            "features", "roots", "directions", "balance", "n_neighbors", "n_components", "bits", "bits_error", "share",
            "modularity", "chosen",
        }  # fmt: skip
    chosen = {(row["features"], row["n_neighbors"]) for row in found.candidates if row["chosen"]}
    assert chosen == {(found.best["features"], found.best["n_neighbors"])}
    graph = next(row for row in found.candidates if row["chosen"])
    assert {name: graph[name] for name in ("roots", "directions", "balance")} == {
        name: getattr(found.graph, name) for name in ("roots", "directions", "balance")
    }
    assert found.graph.weight == "local"


def test_the_sum_of_both_shares_decides(found):
    scored = [row for row in found.chosen_graph if row["share"] is not None]
    assert [row["n_components"] for row in scored] == possible_sizes(240)
    best = max(scored, key=lambda row: row["share"] + row["modularity"])
    assert best["n_components"] == found.best["n_components"]


def test_graphs_are_compared_at_the_same_numbers_of_components(blobs):
    compared = [row for row in select(blobs[0], n_components=5).candidates if row["bits"] is not None]
    assert {row["n_components"] for row in compared} == {5}
    assert len({(row["features"], row["n_neighbors"]) for row in compared}) == len(compared) > 4
    assert all(row["share"] is None for row in compared)


def test_candidates_are_honoured(blobs):
    selection = select(blobs[0], n_components=(8, 3, 4, 8), n_neighbors=[10, 6], tau=1)
    assert {row["n_neighbors"] for row in selection.candidates} == {6, 10}
    assert {row["n_components"] for row in selection.candidates} <= {3, 4, 8}
    assert selection.best["n_neighbors"] in (6, 10)
    assert selection.best["tau"] == 1.0


def test_auto_candidates_grow_by_a_share_and_stay_below_a_third_of_the_samples():
    sizes = possible_sizes(10_000)
    assert sizes[:4] == [2, 3, 4, 5]
    assert 80 < sizes[-1] <= 100
    assert max(b / a for a, b in pairwise(sizes[8:])) < 1.22
    assert possible_sizes(30)[-1] == 10


def test_nothing_is_scored_where_nothing_is_to_be_chosen(blobs):
    given = select(blobs[0], n_components=9, graph=KNNGraph())
    assert (given.best["n_components"], given.best["n_neighbors"]) == (9, 5)
    assert given.candidates == []
    assert given.criterion == ""
    (row,) = select(blobs[0], n_components=9, graph=KNNGraph(5).build(blobs[0]).W).candidates
    assert row == {"n_components": 9, "share": None, "modularity": None}


def test_given_graphs(blobs):
    X, _ = blobs
    W = KNNGraph(7).build(X).W
    selection = select(X, graph=W)
    assert selection.best == {"n_components": 6, "tau": 2.0}
    assert selection.criterion == COUNTS
    assert selection.model().graph is W
    own = select(X, graph=KNNGraph(7, weight="heat", roots=True))
    assert own.best == {"n_components": 6, "features": "square roots", "n_neighbors": 7, "tau": 2.0}
    assert own.model().graph.weight == "heat"
    replaced = select(X, n_components=6, n_neighbors=9, graph=KNNGraph(7, weight="heat")).model().graph
    assert (replaced.n_neighbors, replaced.weight) == (9, "heat")
    assert select(X, n_components=[4, 6], graph=LandmarkGraph(60, random_state=0)).best["n_components"] in (4, 6)


def test_numbers_of_neighbours_for_given_features(blobs):
    selection = select(blobs[0], n_components=6, n_neighbors=[3, 12], graph=KNNGraph(weight="heat"))
    assert selection.criterion == GRAPHS
    assert {(row["features"], row["n_neighbors"]) for row in selection.candidates} == {
        ("all features", 3),
        ("all features", 12),
    }
    assert selection.graph.n_neighbors in (3, 12)


@pytest.mark.parametrize("graph", ["auto", AutoGraph(), None])
def test_auto_has_one_meaning(blobs, graph):
    X = blobs[0][:120]
    assert select(X, n_components=3, graph=graph).candidates == select(X, n_components=3).candidates


def test_the_model_has_what_was_chosen_and_what_is_added(blobs):
    selection = select(blobs[0], n_components=4, tau=3, graph=KNNGraph(), random_state=5)
    model = selection.model(max_iter=7)
    assert isinstance(model, AffinityNMF)
    assert (model.n_components, model.tau, model.random_state, model.max_iter) == (4, 3.0, 5, 7)
    assert model.graph.n_neighbors == 5
    assert selection.model(n_components=3).n_components == 3


@pytest.mark.parametrize("n_components", [4, "auto"])
def test_a_model_chooses_what_select_chooses(blobs, n_components):
    X, _ = blobs
    model = AffinityNMF(n_components, random_state=0).fit(X)
    selection = select(X, n_components=n_components)
    assert model.selection_.candidates == selection.candidates == model.graph_.candidates_
    assert model.n_components_ == selection.best["n_components"]


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
        ({"n_neighbors": [0], "graph": KNNGraph()}, "n_neighbors=0 must be an integer >= 1"),
        ({"n_neighbors": []}, "n_neighbors is empty"),
        ({"tau": -1}, "tau=-1 must be a finite number >= 0"),
        ({"tau": [1, 2]}, "must be 'auto' or a number"),
        ({"n_neighbors": 5, "graph": np.eye(240)}, "n_neighbors=5 needs graph=None, 'auto' or KNNGraph(), got ndarray"),
        ({"graph": np.eye(3)}, "graph is a 3 x 3 affinity but X has 240 samples"),
        ({"graph": "best"}, "graph must be a graph builder such as KNNGraph"),
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


def test_alike_samples_and_empty_ones_and_noise_work(rng):
    X = np.zeros((30, 3))
    assert select(X).best["n_components"] >= 1
    X[:15, 0] = 1
    assert select(sparse.csr_matrix(X), n_components=[2, 3]).best["n_components"] in (2, 3)
    # Halves of noise say less alike than chance would.
    assert select(rng.random((9, 4)), n_components=2).best["n_components"] == 2


def test_an_empty_sample_is_nobodys_neighbour(blobs):
    X = normalize(blobs[0])
    X[17] = 0
    graph = select(X, n_components=6).graph
    assert graph.build(X).degrees[17] == 0
