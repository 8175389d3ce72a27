import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from manifact.graphs import KNNGraph, LandmarkGraph
from manifact.selection import sampling


@pytest.fixture
def few(monkeypatch):
    """Forty samples count as many."""
    monkeypatch.setattr(sampling, "SAMPLES", 40)


@pytest.fixture
def X():
    rng = np.random.RandomState(0)
    return np.repeat(10 * np.eye(4), 60, axis=0) + rng.uniform(size=(240, 4))


def test_few_samples_are_all_looked_at(X):
    graph = KNNGraph(5).build(X)
    assert abs(sampling.sampled(X, graph, np.random.RandomState(0)) - graph.W).nnz == 0


def test_of_many_some_are_drawn_and_keep_the_pieces(X, few):
    graph = KNNGraph(5).build(X)
    one, other = (sampling.sampled(X, graph, np.random.RandomState(seed)) for seed in (0, 1))
    assert one.shape == other.shape == (40, 40)
    assert abs(one - other).nnz > 0
    assert connected_components(one)[0] == connected_components(other)[0] == 4


def test_some_vertices_of_an_affinity_keep_its_pieces(X):
    W = KNNGraph(5).build(X).W
    some = np.arange(0, 240, 6)
    near = sampling.among(W, some)
    assert near.shape == (40, 40)
    assert abs(near - near.T).nnz == 0
    assert not near.diagonal().any()
    # Its four groups, and no edges between them, though hardly any two of these vertices are neighbours.
    assert W[some][:, some].nnz < near.nnz / 2
    assert connected_components(near)[0] == 4
    rows, columns = near.nonzero()
    np.testing.assert_array_equal(some[rows] // 60, some[columns] // 60)


@pytest.mark.parametrize("samples", [240, 40])
def test_graphs_without_listed_edges_are_stood_in_for(X, samples, monkeypatch):
    monkeypatch.setattr(sampling, "SAMPLES", samples)
    graph = LandmarkGraph(n_landmarks=20, random_state=0).build(X)
    found = sampling.sampled(X, graph, np.random.RandomState(0))
    assert sparse.issparse(found)
    assert found.shape == (samples, samples)
    assert connected_components(found)[0] >= 4
