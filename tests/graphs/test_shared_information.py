import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_mutual_info_score, mutual_info_score

from manifact.graphs.shared_information import agreement, modularity


def test_agreement_is_adjusted_mutual_information(rng):
    one = rng.integers(0, 5, size=300)
    other = np.where(rng.random(300) < 0.6, one, rng.integers(0, 7, size=300))
    found = agreement(one, other)
    assert found.share == pytest.approx(adjusted_mutual_info_score(one, other, average_method="arithmetic"))
    assert 0 < found.bits < mutual_info_score(one, other) / np.log(2)


def test_labels_that_nobody_has_change_nothing(rng):
    one, other = rng.integers(0, 4, size=100), rng.integers(0, 3, size=100)
    assert agreement(3 * one, 5 * other) == pytest.approx(agreement(one, other))
    assert agreement(one, np.zeros(100, dtype=int)) == (0, 0)


def test_modularity_is_that_of_a_plain_sum(rng):
    W = rng.random((20, 20))
    W = np.triu(W * (W > 0.6), 1)
    W += W.T
    labels = rng.integers(0, 3, size=20)
    degrees, total = W.sum(axis=1), W.sum()
    same = labels[:, None] == labels
    expected = ((W - np.outer(degrees, degrees) / total) * same).sum() / total
    assert modularity(sparse.csr_array(W), labels) == pytest.approx(expected)
    assert modularity(sparse.csr_array((20, 20)), labels) == 0
