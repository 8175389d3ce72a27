import numpy as np
import pytest

from manifact.graphs import AffinityGraph, KNNGraph
from manifact.graphs.operator import check_affinity
from manifact.graphs.spectral import leading_eigenvectors


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
