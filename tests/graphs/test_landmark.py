import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.graphs import LandmarkGraph


@pytest.fixture
def X(rng):
    return rng.random((80, 6)) * (rng.random((80, 6)) < 0.7)


def written_out(X, landmarks, r, sigma):
    """The A-LPNMF paper's W, dense."""
    d2 = ((X[:, None] - landmarks[None]) ** 2).sum(axis=2)
    Z = np.zeros_like(d2)
    for i in range(len(X)):
        near = np.argsort(d2[i], kind="stable")[:r]
        Z[i, near] = np.exp(-d2[i, near] / (2 * sigma**2))
        Z[i] /= Z[i].sum()
    Z = Z[:, Z.sum(axis=0) > 0]
    return Z @ np.diag(1 / Z.sum(axis=0)) @ Z.T


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_affinity_is_the_papers(X, kind, rng):
    landmarks = rng.random((15, 6))
    graph = LandmarkGraph(landmarks=landmarks, n_neighbors=4, sigma=0.5).build(kind(X))
    W = written_out(X, landmarks, 4, 0.5)
    np.testing.assert_allclose(graph.adjacency(np.eye(80)), W, atol=1e-12)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    V = rng.random((80, 3))
    L = np.eye(80) - W
    np.testing.assert_allclose(graph.laplacian(V), L @ V, atol=1e-12)
    np.testing.assert_allclose(graph.energy(V, V), np.trace(V.T @ L @ V), rtol=1e-9)


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0, 1e4])
@pytest.mark.parametrize("rows", ["equal", "different"])
def test_solves_equal_a_dense_solve(X, lam, rows, rng):
    graph = LandmarkGraph(n_landmarks=20).build(X)
    L = np.eye(80) - graph.adjacency(np.eye(80))
    a = rng.random(4) + 0.1
    A = a if rows == "equal" else (rng.random((80, 1)) + 0.5) * a
    B = rng.random((80, 4))
    Z = graph.solve(A, lam, B)
    for c in range(4):
        diagonal = np.full(80, a[c]) if rows == "equal" else A[:, c]
        expected = np.linalg.solve(np.diag(diagonal) + lam * L, B[:, c])
        assert np.linalg.norm(Z[:, c] - expected) <= 1e-10 * np.linalg.norm(expected)


def test_sigma_is_the_mean_distance_to_the_rth_landmark(X, rng):
    landmarks = rng.random((15, 6))
    d = np.sort(np.sqrt(((X[:, None] - landmarks[None]) ** 2).sum(axis=2)), axis=1)[:, 3].mean()
    graph = LandmarkGraph(landmarks=landmarks, n_neighbors=4).build(X)
    np.testing.assert_allclose(graph.adjacency(np.eye(80)), written_out(X, landmarks, 4, d), atol=1e-12)


@pytest.mark.parametrize("source", ["kmeans", "random"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_landmarks_are_drawn_the_same_every_time(X, source, kind, dtype):
    one, other = (LandmarkGraph(n_landmarks=10, landmarks=source).build(kind(X.astype(dtype))) for _ in range(2))
    np.testing.assert_array_equal(one.landmarks, other.landmarks)
    assert len(one.landmarks) <= 10
    V = np.ones((80, 2), dtype=dtype)
    np.testing.assert_allclose(one.adjacency(V), 1, rtol=1e-5)
    assert one.adjacency(V).dtype == dtype


def test_empty_landmarks_are_dropped(X):
    far_away = np.vstack([X[:5], np.full((1, 6), 100.0)])
    graph = LandmarkGraph(landmarks=far_away, n_neighbors=3).build(X)
    assert len(graph.landmarks) == 5


def test_more_landmarks_than_samples_and_samples_far_from_all(X):
    assert LandmarkGraph(n_landmarks=500).build(X).n_samples == 80
    for sigma in (1e-3, 1e-200):
        graph = LandmarkGraph(landmarks=X[:5], sigma=sigma).build(X + 50)
        np.testing.assert_allclose(graph.adjacency(np.ones((80, 1))), 1)


def test_many_samples_take_their_landmarks_from_some(X, monkeypatch):
    monkeypatch.setattr("manifact.graphs.landmark.KMEANS_SAMPLES", 50)
    monkeypatch.setattr("manifact.graphs.landmark.SAMPLES_PER_LANDMARK", 3)
    graph = LandmarkGraph(n_landmarks=10).build(X)
    assert graph.n_samples == 80


def test_landmarks_of_many_samples_are_means_of_several(X, monkeypatch):
    monkeypatch.setattr("manifact.graphs.landmark.KMEANS_SAMPLES", 50)
    landmarks = LandmarkGraph(n_landmarks=5).build(X).landmarks
    assert np.abs(landmarks[:, None] - X).sum(axis=2).min() > 0.1


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_landmarks": 0}, "n_landmarks=0 must be an integer >= 1"),
        ({"landmarks": "grid"}, "landmarks='grid' is not known: choose one of 'kmeans', 'random'"),
        ({"landmarks": np.ones((3, 2))}, "landmarks has shape .3, 2. but X has 17 features: give p x m"),
        ({"landmarks": np.full((3, 17), np.nan)}, "landmarks contains NaN or infinity"),
        ({"sigma": -1.0}, "sigma=-1 must be a finite number > 0"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        LandmarkGraph(**parameters).build(problem()[0])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_training_samples_are_tied_as_the_graph_joins_them(kind, rng):
    """Each to itself as well, as W has it: with degrees of 1 that is the same row of L."""
    X = rng.random((80, 6)) * (rng.random((80, 6)) < 0.7)
    graph = LandmarkGraph(n_landmarks=15, n_neighbors=3).build(kind(X))
    W, degrees = graph.tie(kind(X), np.eye(80))
    np.testing.assert_allclose(W, graph.adjacency(np.eye(80)), atol=1e-9)
    np.testing.assert_array_equal(degrees, graph.degrees)


def test_a_system_whose_matrix_is_almost_that_of_the_graph_alone_is_solved():
    graph = LandmarkGraph(1, n_neighbors=1).build(np.random.default_rng(0).random((6, 3)))
    B = np.arange(1.0, 7.0)[:, None]
    found = graph.solve(np.array([1e-20]), 1e4, B)
    assert np.isfinite(found).all()
    np.testing.assert_allclose(1e-20 * found.mean(), B.mean(), rtol=1e-9)


def test_few_samples_all_count_for_the_landmarks(rng, monkeypatch):
    monkeypatch.setattr("manifact.graphs.landmark.SAMPLES_PER_LANDMARK", 1)
    X = rng.random((60, 3)) + 10 * (np.arange(60) % 2)[:, None]
    landmarks = LandmarkGraph(n_landmarks=2, n_neighbors=1, kmeans_iter=20).build(X).landmarks
    means = [X[::2].mean(axis=0), X[1::2].mean(axis=0)]
    np.testing.assert_allclose(sorted(landmarks.tolist()), sorted(np.array(means).tolist()), rtol=1e-6)
