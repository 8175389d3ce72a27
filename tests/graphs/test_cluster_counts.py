import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from manifact.graphs import KNNGraph
from manifact.graphs.cluster_counts import best_count, clusters_of_sizes, count_evidence, without_some_edges
from manifact.metrics import nmi


def blobs(k, n=400, seed=0, spread=1.0):
    X, y = make_blobs(n, n_features=12, centers=k, cluster_std=spread, random_state=seed)
    return KNNGraph(8, weight="local").build(X).W, y


@pytest.mark.parametrize("k", [2, 5, 9])
@pytest.mark.parametrize("seed", [0, 1])
def test_planted_groups_are_counted(k, seed):
    W, y = blobs(k, seed=seed)
    sizes = [2, 3, 4, 5, 7, 9, 12, 17, 24]
    found = best_count(sizes, count_evidence(W, sizes, np.random.RandomState(0)))
    assert found == k
    (labels,) = clusters_of_sizes(W, [k])
    assert nmi(y, labels) == pytest.approx(1)


def test_shares_are_shares():
    W, _ = blobs(5)
    for one in count_evidence(W, [2, 5, 30], np.random.RandomState(0)):
        assert -0.1 < one.share <= 1
        assert -0.5 <= one.modularity < 1


def test_clusters_of_the_true_number_are_said_alike_and_those_of_too_many_are_not():
    W, _ = blobs(5)
    few, right, many = count_evidence(W, [2, 5, 40], np.random.RandomState(0))
    assert right.share == pytest.approx(1)
    assert many.share < 0.95
    assert few.modularity < right.modularity
    assert many.modularity < right.modularity


def test_the_same_seed_leaves_out_the_same_edges():
    W, _ = blobs(4, spread=4.0)
    one, other = (count_evidence(W, [2, 4, 8], np.random.RandomState(7)) for _ in range(2))
    assert one == other


def test_about_a_share_of_the_edges_goes_and_both_directions_of_each():
    rng = np.random.RandomState(0)
    W = sparse.csr_array(np.triu(rng.random((80, 80)), 1))
    W = sparse.csr_array(W + W.T)
    thin = without_some_edges(W, 0.2, rng)
    assert (thin != thin.T).nnz == 0
    kept = thin.nnz / W.nnz
    assert 0.76 < kept < 0.84
    assert (thin > W).nnz == 0
    assert np.isin(thin.data, W.data).all()
