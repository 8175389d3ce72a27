"""Neighbours and purity, beside the same from dense matrices."""

import numpy as np
import pytest

from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph
from manifact.report.graph_neighbours import affinity, neighbours, purity


def dense(graph):
    return graph.adjacency(np.eye(graph.n_samples))


@pytest.fixture
def X(rng):
    return rng.random((40, 5))


@pytest.mark.parametrize("builder", [KNNGraph(4, weight="heat"), KNNGraph(3) + 0.5 * KNNGraph(6), LandmarkGraph(9)])
def test_purity_is_a_share_of_edge_weight(X, rng, builder):
    graph = builder.build(X)
    groups = rng.integers(-1, 3, 40)
    W = dense(graph)
    known = groups >= 0
    same = groups[:, None] == groups
    whole, each = purity(graph, groups, 4)
    among = W[np.ix_(known, known)]
    assert whole == pytest.approx((among * same[np.ix_(known, known)]).sum() / among.sum())
    for group in range(3):
        mine = W[groups == group]
        assert each[group] == pytest.approx(mine[:, groups == group].sum() / mine[:, known].sum())
    assert each[3] is None


def test_purity_of_nobody(X):
    whole, each = purity(KNNGraph(3).build(X), np.full(40, -1), 2)
    assert whole is None
    assert each == [None, None]


def test_neighbours_are_the_heaviest_edges(X):
    graph = KNNGraph(4, weight="heat").build(X)
    index, weight, source = neighbours(graph, X, width=5)
    assert source == "graph"
    W = dense(graph)
    for i in range(40):
        expected = np.sort(W[i][W[i] > 0])[::-1][:5]
        np.testing.assert_allclose(weight[i][: len(expected)], expected)
        np.testing.assert_allclose(W[i, index[i][: len(expected)]], expected)
        assert (index[i][len(expected) :] == i).all()


def test_sums_of_graphs_have_edges(X):
    graph = (KNNGraph(3) + 0.5 * KNNGraph(6)).build(X)
    np.testing.assert_allclose(affinity(graph).toarray(), dense(graph))
    mixed = (KNNGraph(3) + LabelGraph()).build(X, np.arange(40) % 2)
    assert affinity(mixed) is None


@pytest.mark.parametrize("n", [40, 3, 1])
def test_without_edges_neighbours_have_alike_mixtures(X, n):
    V = X[:n]
    index, weight, source = neighbours(None, V, width=4)
    assert source == "representation"
    P = V / np.linalg.norm(V, axis=1, keepdims=True)
    cosine = P @ P.T - 2 * np.eye(n)
    count = min(4, n - 1)
    np.testing.assert_array_equal(index[:, :count], np.argsort(-cosine, axis=1)[:, :count])
    np.testing.assert_allclose(weight[:, :count], -np.sort(-cosine, axis=1)[:, :count], atol=1e-6)
    assert (index[:, count:] == np.arange(n)[:, None]).all()
