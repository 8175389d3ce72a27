import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from manifact.graphs import AffinityGraph, KNNGraph, LandmarkGraph
from manifact.graphs.builder import as_builder
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
    W = KNNGraph(5).build(X).W
    one, other = sampling.draws(X, KNNGraph(5), 2, np.random.RandomState(0))
    assert abs(one - W).nnz == 0
    assert abs(other - W).nnz == 0


def test_of_many_others_are_drawn_each_time(X, few):
    one, other = sampling.draws(X, KNNGraph(5), 2, np.random.RandomState(0))
    assert one.shape == other.shape == (40, 40)
    assert abs(one - other).nnz > 0
    assert np.asarray((one > 0).sum(axis=1)).min() >= 5


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


@pytest.mark.parametrize("built", [False, True])
def test_affinities_and_built_graphs_of_many_samples(X, few, built):
    W = KNNGraph(5).build(X).W
    graph = AffinityGraph(W) if built else W
    (found,) = sampling.draws(X, as_builder(graph), 1, np.random.RandomState(0))
    assert found.shape == (40, 40)
    assert connected_components(found)[0] == 4


def test_graphs_without_listed_edges_are_stood_in_for(X, few):
    builder = LandmarkGraph(n_landmarks=20, random_state=0)
    for graph in (builder, builder.build(X)):
        (found,) = sampling.draws(X, as_builder(graph), 1, np.random.RandomState(0))
        assert sparse.issparse(found)
        assert found.shape == (40, 40)
