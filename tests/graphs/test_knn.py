import numpy as np
import pytest
from scipy import sparse

from manifact.graphs import KNNGraph
from manifact.graphs.knn import mean_distance


@pytest.fixture
def X(rng):
    return rng.random((60, 8)) * (rng.random((60, 8)) < 0.7)


def edges(X, k):
    d = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.fill_diagonal(d, np.inf)
    E = np.zeros(d.shape, dtype=bool)
    np.put_along_axis(E, np.argsort(d, axis=1)[:, :k], True, axis=1)
    return E | E.T


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("weight", ["binary", "heat", "dot", "cosine"])
def test_weights_are_those_of_the_paper(X, kind, dtype, weight):
    X = X.astype(dtype)
    W = KNNGraph(4, weight=weight).build(kind(X)).W.toarray()
    X = X.astype(float)
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    lengths = np.linalg.norm(X, axis=1)
    full = {
        "binary": np.ones_like(d),
        "heat": np.exp(-(d**2) / (2 * d.mean() ** 2)),
        "dot": X @ X.T,
        "cosine": (X @ X.T) / np.outer(lengths, lengths),
    }[weight]
    np.testing.assert_allclose(W, np.where(edges(X, 4), full, 0), rtol=1e-6, atol=1e-9)
    np.testing.assert_array_equal(W, W.T)


def test_heat_on_cosine_neighbours_uses_distances(X):
    W = KNNGraph(4, weight="heat", metric="cosine", sigma=0.5).build(X).W
    rows, columns = W.nonzero()
    d2 = ((X[rows] - X[columns]) ** 2).sum(axis=1)
    np.testing.assert_allclose(W.data, np.exp(-d2 / 0.5), rtol=1e-9)


def test_sigma_is_the_mean_distance(X):
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert mean_distance(X) == pytest.approx(d.mean())
    assert mean_distance(sparse.csr_array(X)) == pytest.approx(d.mean())


def test_more_neighbours_than_samples_joins_all():
    W = KNNGraph(50).build(np.arange(4.0)[:, None]).W.toarray()
    np.testing.assert_array_equal(W, 1 - np.eye(4))
    assert KNNGraph(5).build(np.ones((1, 2))).W.nnz == 0


def test_duplicates_are_neighbours_but_never_self_loops():
    X = np.repeat(np.array([[0.0, 1.0], [5.0, 0.0]]), 3, axis=0)
    W = KNNGraph(2).build(X).W.toarray()
    np.testing.assert_array_equal(W, np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))


def test_approximate_search_finds_almost_the_same(rng):
    pytest.importorskip("pynndescent", reason="the approximate search is an extra")
    X = rng.random((2000, 6))
    exact = KNNGraph(8).build(X).W
    for kind in (np.asarray, sparse.csr_array):
        rough = KNNGraph(8, search="approximate").build(kind(X)).W
        assert exact.multiply(rough).sum() / exact.sum() > 0.95
        assert abs(rough - rough.T).max() == 0
        assert not rough.diagonal().any()


def test_ties_of_new_samples_are_their_training_neighbours(X):
    graph = KNNGraph(3, weight="heat").build(X)
    ties, degrees = graph.tie(X[:5] + 1e-9, np.eye(60))
    np.testing.assert_allclose(degrees, ties.sum(axis=1))
    assert ((ties > 0).sum(axis=1) == 3).all()
    np.testing.assert_allclose(ties[np.arange(5), np.arange(5)], 1, atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0 must be an integer >= 1"),
        ({"weight": "gauss"}, "weight='gauss' is not known: choose one of 'binary', 'heat', 'dot', 'cosine'"),
        ({"metric": "l1"}, "metric='l1' is not known: choose one of 'euclidean', 'cosine'"),
        ({"search": "fast"}, "search='fast' is not known: choose one of 'exact', 'approximate'"),
        ({"weight": "heat", "sigma": 0.0}, "sigma=0 must be a finite number > 0"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(X, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        KNNGraph(**parameters).build(X)


def test_negative_affinities_are_refused():
    with pytest.raises(ValueError, match="use weight='heat' or 'binary'"):
        KNNGraph(1, weight="dot").build(np.array([[1.0], [-1.0]]))
