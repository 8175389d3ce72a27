import numpy as np
import pytest
from numpy.polynomial import Chebyshev
from scipy import sparse

from manifact.backends import threads
from manifact.graphs import AffinityGraph, KNNGraph, LandmarkGraph
from manifact.graphs.affinity_matrix import check_affinity
from manifact.graphs.spectral import RESIDUAL, _raised, even_eigenvectors, leading_eigenvectors


@pytest.mark.parametrize("n", [60, 500])
def test_leading_eigenvectors(n, rng):
    W = check_affinity(KNNGraph(5).build(rng.random((n, 3))).W)
    graph = AffinityGraph(W)
    vectors = leading_eigenvectors(graph, 4, np.random.RandomState(0))
    scale = 1 / np.sqrt(graph.degrees)
    S = scale[:, None] * W.toarray() * scale
    values = np.linalg.eigvalsh(S)[::-1][:4]
    np.testing.assert_allclose(S @ vectors, vectors * values, atol=1e-4)
    # The first relaxed indicator of a connected graph is constant.
    relaxed = vectors[:, 0] * scale
    assert np.ptp(relaxed) < 1e-3 * abs(relaxed.mean())


@pytest.mark.parametrize("k", [1, 8, 31, 60])
def test_leading_eigenvectors_are_those_of_a_dense_solver(k, rng):
    graph = AffinityGraph(check_affinity(KNNGraph(8).build(rng.random((900, 3))).W))
    vectors = leading_eigenvectors(graph, k, np.random.RandomState(0))
    scale = 1 / np.sqrt(graph.degrees)
    S = scale[:, None] * graph.W.toarray() * scale
    values = np.linalg.eigvalsh(S)[::-1][:k]
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-8)
    np.testing.assert_allclose(np.diag(vectors.T @ S @ vectors), values, atol=1e-5)
    assert np.linalg.norm(S @ vectors - vectors * values, axis=0).max() <= 2 * RESIDUAL


@pytest.mark.parametrize("sizes", [(300, 250, 220, 30), (400, 1, 1, 300, 5), (40, 30, 2, 2, 1)])
@pytest.mark.parametrize("k", [2, 4, 6])
def test_no_eigenvalue_of_a_graph_in_pieces_is_missed(sizes, k, rng):
    # Every piece with edges has an eigenvalue 1: one vector of Lanczos' method alone finds too few of them.
    clouds = [100.0 * piece + rng.random((size, 3)) for piece, size in enumerate(sizes)]
    parts = [KNNGraph(5).build(cloud).W for cloud in clouds]
    graph = AffinityGraph(check_affinity(sparse.block_diag(parts, format="csr")))
    vectors = leading_eigenvectors(graph, k, np.random.RandomState(0))
    scale = np.divide(1, np.sqrt(graph.degrees), out=np.zeros(graph.n_samples), where=graph.degrees > 0)
    S = scale[:, None] * graph.W.toarray() * scale
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-8)
    np.testing.assert_allclose(np.diag(vectors.T @ S @ vectors), np.linalg.eigvalsh(S)[::-1][:k], atol=1e-5)


def test_of_many_pieces_the_largest_count(rng):
    sizes = (4, 30, 6, 20)
    parts = [np.ones((size, size)) - np.eye(size) for size in sizes]
    graph = AffinityGraph(check_affinity(sparse.csr_array(sparse.block_diag(parts))))
    vectors = leading_eigenvectors(graph, 2, np.random.RandomState(0))
    seen = [np.flatnonzero(np.abs(vectors[:, column]) > 1e-9) for column in range(2)]
    assert [len(rows) for rows in seen] == [30, 20]


def test_directions_that_a_graph_through_landmarks_has_not_are_none_of_its_eigenvectors(rng):
    # Two landmarks make a W of rank 2.
    graph = LandmarkGraph(landmarks=rng.random((2, 3)), n_neighbors=2).build(rng.random((300, 3)))
    assert graph.leading(2).shape == (300, 2)
    assert graph.leading(3) is None


def evened(graph):
    """S as it is defined."""
    n, theta = graph.n_samples, 0.1 * graph.degrees.mean()
    scale = 1 / np.sqrt(graph.degrees + theta)
    return scale[:, None] * (graph.W.toarray() + theta / n) * scale


def in_pieces(rng, sizes):
    parts = [KNNGraph(5, weight="local").build(rng.random((size, 3))).W for size in sizes]
    return sparse.csr_array(sparse.block_diag(parts, format="csr"))


@pytest.mark.parametrize("sizes", [(100,), (700,), (150, 140, 130, 120, 60, 30, 8, 8, 8)], ids=str)
@pytest.mark.parametrize("k", [2, 9, 30])
@pytest.mark.parametrize("unit", [1.0, 1e-60, 1e60])
def test_even_eigenvectors_are_those_of_a_dense_solver(rng, sizes, k, unit):
    graph = AffinityGraph(unit * in_pieces(rng, sizes))
    values, E = even_eigenvectors(graph, k)
    S = evened(graph)
    expected = np.linalg.eigvalsh(S)[::-1][:k]
    np.testing.assert_allclose(values, expected, atol=1e-5)
    np.testing.assert_allclose(E.T @ E, np.eye(k), atol=1e-5)
    assert np.linalg.norm(S @ E - E * values, axis=0).max() <= 1.1 * RESIDUAL
    assert E.dtype == np.float64


def test_even_eigenvectors_do_not_depend_on_the_number_of_threads(rng):
    graph = AffinityGraph(in_pieces(rng, (3000,)))
    found = []
    for count in (1, 2, 3):
        with threads.limit(count):
            found.append(even_eigenvectors(graph, 10)[1])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


@pytest.mark.parametrize("whole", [True, False], ids=["all of the landmarks'", "the leading ones"])
@pytest.mark.parametrize("n", [60, 1000])
def test_a_graph_without_a_list_of_edges_has_its_leading_eigenvectors(n, whole, rng, monkeypatch):
    monkeypatch.setattr("manifact.graphs.landmark.SOLVED_WHOLE", 12 if whole else 11)
    graph = LandmarkGraph(landmarks=rng.random((12, 3)), n_neighbors=4).build(rng.random((n, 3)))
    vectors = leading_eigenvectors(graph, 4, np.random.RandomState(0))
    W = graph.adjacency(np.eye(n))
    np.testing.assert_allclose(W @ vectors, vectors * np.linalg.eigvalsh(W)[::-1][:4], atol=1e-5)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(4), atol=1e-8)


def test_even_eigenvectors_of_a_graph_through_landmarks_are_those_of_a_dense_solver(rng):
    graph = LandmarkGraph(landmarks=rng.random((12, 3)), n_neighbors=4).build(rng.random((300, 3)))
    values, E = even_eigenvectors(graph, 5)
    S = (graph.adjacency(np.eye(300)) + 0.1 / 300) / 1.1
    np.testing.assert_allclose(values, np.linalg.eigvalsh(S)[::-1][:5], atol=1e-10)
    np.testing.assert_allclose(S @ E, E * values, atol=1e-10)
    np.testing.assert_allclose(E.T @ E, np.eye(5), atol=1e-10)
    # One more than it has directions.
    values, E = even_eigenvectors(graph, 13)
    assert np.linalg.norm(S @ E - E * values, axis=0).max() <= 1.1 * RESIDUAL
    np.testing.assert_allclose(E.T @ E, np.eye(13), atol=1e-5)


@pytest.mark.parametrize("degree", [2, 3, 10])
def test_columns_are_raised_by_a_polynomial_of_chebyshev(degree):
    eigenvalues, cut = np.linspace(-1, 1, 21)[:, None], 0.3
    raised = _raised(lambda Z: eigenvalues * Z, np.ones((21, 1)), cut, degree)
    polynomial = Chebyshev.basis(degree, domain=[-1, cut])
    np.testing.assert_allclose(raised, polynomial(eigenvalues) / polynomial(1.0), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("n", "k"), [(2000, 3), (2500, 5)])
def test_the_leading_directions_of_a_long_thin_graph_are_found(n, k):
    W = sum(sparse.diags_array(np.ones(n - step), offsets=step) for step in (1, 2, 3))
    graph = AffinityGraph(check_affinity(sparse.csr_array(W + W.T)))
    vectors = leading_eigenvectors(graph, k, np.random.RandomState(0))
    S = (W + W.T).toarray() / np.sqrt(np.outer(graph.degrees, graph.degrees))
    exact = np.linalg.eigh(S)[1][:, -k:]
    assert np.linalg.svd(exact.T @ vectors, compute_uv=False)[-1] > 0.999
