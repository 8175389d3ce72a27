import numpy as np
import pytest
from scipy import sparse

from manifact.graphs import KNNGraph
from manifact.graphs.edge_weights import mean_distance


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


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_cosine_neighbours_are_those_of_the_largest_cosine(X, kind):
    X[7] = 0
    W = KNNGraph(4, metric="cosine").build(kind(X)).W.toarray()
    lengths = np.where(X.any(axis=1), np.linalg.norm(X, axis=1), 1)
    cosine = (X @ X.T) / np.outer(lengths, lengths)
    np.fill_diagonal(cosine, -1)
    cosine[7] = cosine[:, 7] = -1
    E = np.zeros(W.shape, dtype=bool)
    for j in np.flatnonzero(X.any(axis=1)):
        E[j, np.argsort(-cosine[j], kind="stable")[:4]] = True
    np.testing.assert_array_equal(W > 0, E | E.T)


def test_samples_without_entries_have_no_cosine_neighbours(rng):
    X = np.vstack([rng.random((6, 3)), np.zeros((3, 3))])
    for kind in (np.asarray, sparse.csr_array):
        graph = KNNGraph(3, metric="cosine").build(kind(X))
        assert not graph.degrees[6:].any()
        assert graph.degrees[:6].all()
        assert not graph.tie(kind(np.zeros((1, 3))), np.eye(9))[0].any()


@pytest.mark.parametrize("weight", ["dot", "heat", "cosine"])
def test_counts_of_eight_bits_do_not_overflow(weight, rng):
    counts = rng.integers(0, 255, (30, 40)).astype(np.uint8)
    expected = KNNGraph(3, weight=weight).build(counts.astype(float)).W.toarray()
    for kind in (np.asarray, sparse.csr_array):
        np.testing.assert_allclose(KNNGraph(3, weight=weight).build(kind(counts)).W.toarray(), expected)


def test_setting_parameters_later_does_not_change_a_built_graph(X):
    builder = KNNGraph(3)
    graph = builder.build(X)
    before = graph.tie(X[:2], np.eye(60))[1]
    builder.set_params(n_neighbors=9)
    np.testing.assert_array_equal(graph.tie(X[:2], np.eye(60))[1], before)


@pytest.mark.parametrize("weight", ["binary", "heat", "dot", "cosine"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_a_graph_of_dense_samples_ties_sparse_ones_and_the_reverse(X, weight, metric):
    for one, other in ((np.asarray, sparse.csr_array), (sparse.csr_array, np.asarray)):
        graph = KNNGraph(3, weight=weight, metric=metric).build(one(X))
        mine, theirs = graph.tie(other(X[:5] + 0.01), np.eye(60)), graph.tie(one(X[:5] + 0.01), np.eye(60))
        np.testing.assert_allclose(mine[0], theirs[0], atol=1e-12)


def test_sigma_is_the_mean_distance(X):
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert mean_distance(X) == pytest.approx(d.mean())
    assert mean_distance(sparse.csr_array(X)) == pytest.approx(d.mean())


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_sigma_can_be_the_mean_distance_of_neighbours(X, kind):
    d = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
    near = np.sort(d + np.where(np.eye(60), np.inf, 0), axis=1)[:, :4]
    expected = KNNGraph(4, weight="heat", sigma=float(near.mean())).build(X).W.toarray()
    mine = KNNGraph(4, weight="heat", sigma="neighbors").build(kind(X)).W.toarray()
    np.testing.assert_allclose(mine, expected, rtol=1e-9)


def test_more_neighbours_than_samples_joins_all():
    W = KNNGraph(50).build(np.arange(4.0)[:, None]).W.toarray()
    np.testing.assert_array_equal(W, 1 - np.eye(4))
    assert KNNGraph(5).build(np.ones((1, 2))).W.nnz == 0


def test_duplicates_are_neighbours_but_never_self_loops():
    X = np.repeat(np.array([[0.0, 1.0], [5.0, 0.0]]), 3, axis=0)
    W = KNNGraph(2, copies="each").build(X).W.toarray()
    np.testing.assert_array_equal(W, np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3)))
    # Counted once, the other sample is a neighbour too, and each copy takes one of its copies.
    joined = KNNGraph(2).build(X).W.toarray()
    np.testing.assert_array_equal(joined, W + np.kron(1 - np.eye(2), np.eye(3)))


@pytest.mark.nightly  # its package compiles for a minute
def test_approximate_search_finds_almost_the_same(rng):
    pytest.importorskip("pynndescent", reason="the approximate search is an extra")
    X = rng.random((2000, 6))
    exact = KNNGraph(8).build(X).W
    for kind in (np.asarray, sparse.csr_array):
        rough = KNNGraph(8, search="approximate").build(kind(X)).W
        assert exact.multiply(rough).sum() / exact.sum() > 0.95
        assert abs(rough - rough.T).max() == 0
        assert not rough.diagonal().any()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_projected_search_finds_almost_the_same(kind, metric, rng):
    X = rng.random((2100, 4)) @ rng.random((4, 150)) + 1e-3 * rng.random((2100, 150))
    X[5] = 0
    exact = KNNGraph(6, metric=metric).build(X).W
    graph = KNNGraph(6, metric=metric, search="projection").build(kind(X))
    assert exact.multiply(graph.W).sum() / exact.sum() > 0.95
    assert abs(graph.W - graph.W.T).max() == 0
    assert not graph.W.diagonal().any()
    assert (graph.degrees[5] == 0) == (metric == "cosine")
    # New samples find their neighbours exactly.
    np.testing.assert_array_equal(graph.tie(kind(X[:3]), X)[0], KNNGraph(6, metric=metric).build(X).tie(X[:3], X)[0])


SETTINGS = [
    {"weight": "binary"},
    {"weight": "heat", "sigma": 0.7},
    {"weight": "dot"},
    {"weight": "cosine", "metric": "cosine"},
    {"weight": "heat", "sigma": 0.7, "metric": "cosine"},
]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_new_sample_is_joined_as_if_the_graph_had_been_built_with_it(X, rng, kind, settings):
    """To those nearest to it, and to those that would have it among their nearest."""
    new = rng.random((12, 8)) * (rng.random((12, 8)) < 0.7)
    ties, degrees = KNNGraph(3, **settings).build(kind(X)).tie(kind(new), np.eye(60))
    for one, tie in zip(new, ties, strict=True):
        W = KNNGraph(3, **settings).build(kind(np.vstack([X, one]))).W.toarray()
        np.testing.assert_allclose(tie, W[-1, :-1], rtol=1e-9)
    np.testing.assert_allclose(degrees, ties.sum(axis=1))
    assert ((ties > 0).sum(axis=1) > 3).any()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("kind", "other"), [(np.asarray, sparse.csr_array), (sparse.csr_array, np.asarray)])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_training_sample_has_its_own_neighbours_and_not_itself(X, kind, other, dtype, settings):
    X = np.vstack([X, X[:3], np.zeros((2, 8))]).astype(dtype)
    graph = KNNGraph(4, **settings).build(kind(X))
    for asked in (kind(X), other(X), kind(X.astype(np.float64))):
        ties = graph.tie(asked, np.eye(len(X), dtype=dtype))[0]
        np.testing.assert_allclose(ties[3:60], graph.W[3:60].toarray(), rtol=1e-5)
        # Of two equal samples each is the other's neighbour, and either is as good as the other.
        np.testing.assert_allclose(ties[:3], graph.W[:3].toarray(), rtol=1e-5)
        np.testing.assert_allclose(ties[60:63], graph.W[:3].toarray(), rtol=1e-5)


def test_of_equal_samples_one_is_left_out(X):
    """All but one copy are neighbours, nearest of all, as they are in training."""
    copies = np.vstack([X, np.repeat(X[:1], 2, axis=0)])
    ties = KNNGraph(5).build(copies).tie(X[:1], np.eye(62))[0][0]
    assert ties[[0, 60, 61]].tolist() == [0, 1, 1]
    assert ties[1:60].sum() >= 3


def test_graphs_of_few_samples_join_new_ones_to_all(X):
    few = KNNGraph(5).build(X[:4])
    np.testing.assert_array_equal(few.tie(X[4:6], np.eye(4))[0], np.ones((2, 4)))
    np.testing.assert_array_equal(few.tie(X[:4], np.eye(4))[0], 1 - np.eye(4))


def test_after_an_approximate_search_new_samples_have_their_own_neighbours_alone(rng):
    pytest.importorskip("pynndescent", reason="the approximate search is an extra")
    X = rng.random((500, 6))
    graph = KNNGraph(4, search="approximate").build(X)
    assert (graph.tie(rng.random((30, 6)), np.eye(500))[1] == 4).all()
    np.testing.assert_array_equal(graph.tie(X, np.eye(500))[0], graph.W.toarray())


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors=0 must be an integer >= 1"),
        ({"weight": "gauss"}, "weight='gauss' is not known: choose one of 'binary', 'heat', 'local', 'dot', 'cosine'"),
        ({"metric": "l1"}, "metric='l1' is not known: choose one of 'euclidean', 'cosine'"),
        ({"search": "fast"}, "search='fast' is not known: choose one of 'exact', 'projection', 'approximate'"),
        ({"weight": "heat", "sigma": 0.0}, "sigma=0 must be a finite number > 0"),
        ({"weight": "heat", "sigma": "wide"}, "sigma='wide' is not known: choose one of 'auto', 'neighbors'"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(X, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        KNNGraph(**parameters).build(X)


def test_negative_affinities_are_refused():
    with pytest.raises(ValueError, match="use weight='heat' or 'binary'"):
        KNNGraph(1, weight="dot").build(np.array([[1.0], [-1.0]]))


def test_where_all_neighbours_are_copies_distances_are_measured_in_units():
    X = np.repeat([[0.0], [7.0]], 3, axis=0)
    graph = KNNGraph(2, weight="heat", sigma="neighbors", copies="each").build(X)
    np.testing.assert_array_equal(graph.W.data, 1)
    assert graph.tie(np.array([[1.0]]), np.eye(6))[0].max() == pytest.approx(np.exp(-1 / 2))
