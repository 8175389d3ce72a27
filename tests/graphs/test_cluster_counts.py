import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score, mutual_info_score

from manifact.selection.reproducible import (
    Evidence,
    averaged,
    clusters,
    modularity,
    reproducible,
    shared,
    without_some_edges,
)


def cliques(sizes):
    """Disjoint cliques, as an affinity."""
    W = sparse.block_diag([np.ones((size, size)) - np.eye(size) for size in sizes], format="csr")
    return sparse.csr_array(W)


def test_some_edges_are_left_out_on_both_sides():
    W = cliques([40, 40])
    thin = without_some_edges(W, 0.2, np.random.RandomState(0))
    assert abs(thin - thin.T).nnz == 0
    assert ((W - thin).data >= 0).all()
    assert thin.nnz / W.nnz == pytest.approx(0.8, abs=0.05)


def test_rows_on_different_axes_are_clusters_whatever_the_rotation():
    rng = np.random.RandomState(0)
    labels = rng.randint(5, size=60)
    rotation = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    E = (np.eye(5)[labels] + 0.05 * rng.normal(size=(60, 5))) @ rotation * rng.uniform(0.5, 2, size=(60, 1))
    assert adjusted_rand_score(labels, clusters(E)) == 1


def test_shared_information_of_equal_labels_is_their_entropy_less_chance():
    labels = np.repeat(np.arange(4), 1000)
    agreed, disagreed = shared(labels, labels[::-1] * 7)
    assert agreed == pytest.approx(2, abs=0.01)
    assert disagreed == pytest.approx(0, abs=1e-12)


def test_shared_information_of_unrelated_labels_is_nothing():
    one, other = np.random.RandomState(1).randint(10, size=(2, 300))
    agreed, disagreed = shared(one, other)
    # Mutual information itself is far from zero for so few samples.
    assert mutual_info_score(one, other) / np.log(2) > 0.15
    assert abs(agreed) < 0.06
    assert disagreed > 3


def test_modularity_of_cliques():
    labels = np.repeat([0, 1, 2, 3], 10)
    assert modularity(cliques([10] * 4), labels) == (pytest.approx(3 / 4), 0)
    assert modularity(cliques([20] * 2), labels)[0] < 0.3
    assert modularity(sparse.csr_array((5, 5)), np.zeros(5, dtype=int)) == (0, 0)


def test_planted_groups_are_most_reproducible():
    sizes = [2, 3, 4, 5, 6, 8, 10]
    found = reproducible(cliques([12] * 5), sizes, np.random.RandomState(0))
    assert sizes[int(np.argmax([one.net for one in found]))] == 5
    assert found[3].disagreed == pytest.approx(0, abs=1e-9)
    assert found[6].disagreed > 0.3


def test_a_mean_knows_how_sure_it_is():
    pairs = [Evidence(1.0, 0.5, 0.6, 0.1), Evidence(2.0, 0.5, 0.8, 0.3)]
    mean = averaged(pairs)
    assert mean[:4] == pytest.approx((1.5, 0.5, 0.7, 0.2))
    assert mean.net_error == pytest.approx(0.5)
