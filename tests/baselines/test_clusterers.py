"""Average association and normalised cut."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, make_circles
from sklearn.metrics import adjusted_rand_score
from tests.conftest import KINDS

from manifact.baselines import AverageAssociation, NCut
from manifact.baselines.average_association import leading_singular
from manifact.graphs import KNNGraph
from manifact.models.starts import spectral_clusters


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("shape", [(40, 12), (12, 40), (3, 2), (2, 5), (1, 4)])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_leading_singular_vectors(kind, shape, k, rng):
    X = rng.random(shape)
    values, right = leading_singular(KINDS[kind](X), k, np.random.RandomState(0))
    k = min(k, *shape)
    np.testing.assert_allclose(values, np.linalg.svd(X)[1][:k], rtol=1e-6)
    np.testing.assert_allclose(right @ right.T, np.eye(k), atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(X @ right.T, axis=0), values, rtol=1e-6)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("scale", [True, False])
def test_average_association_finds_topics(kind, scale, rng):
    """Documents about disjoint vocabularies; raw k-means is led astray by their lengths."""
    topics = np.repeat(np.eye(3), 20, axis=1)
    y = rng.integers(0, 3, 150)
    X = rng.poisson(0.05 + topics[y] * rng.uniform(1, 3, (150, 1))).astype(float)
    labels = AverageAssociation(3, scale=scale, random_state=0).fit_predict(KINDS[kind](X))
    assert adjusted_rand_score(y, labels) > 0.8


def test_average_association_predicts_its_own_labels(rng):
    X = rng.random((60, 10))
    for scale in (True, False):
        model = AverageAssociation(4, scale=scale, random_state=0).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
        np.testing.assert_array_equal(model.labels_, AverageAssociation(4, scale=scale, random_state=0).fit(X).labels_)


def test_left_singular_vectors_are_the_relaxed_indicators(rng):
    X = rng.random((30, 10))
    model = AverageAssociation(3, scale=False, random_state=0).fit(X)
    Y = X @ model.components_.T
    np.testing.assert_allclose(Y.T @ Y, np.eye(3), atol=1e-6)
    assert np.trace(Y.T @ X @ X.T @ Y) == pytest.approx(np.sum(np.linalg.svd(X)[1][:3] ** 2))


@pytest.mark.parametrize("rows", ["unit", "degree", "raw"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_ncut_separates_rings(rows, kind):
    X, y = make_circles(400, factor=0.4, noise=0.03, random_state=0)
    labels = NCut(2, rows=rows, graph=KNNGraph(12), random_state=0).fit_predict(KINDS[kind](X))
    assert adjusted_rand_score(y, labels) > 0.99


def test_unit_rows_are_the_spectral_start():
    X, y = load_digits(return_X_y=True)
    model = NCut(10, random_state=0).fit(X)
    same = spectral_clusters(model.graph_, 10, np.random.RandomState(0))
    assert adjusted_rand_score(model.labels_, same) > 0.95
    assert adjusted_rand_score(y, model.labels_) > 0.75
    np.testing.assert_allclose(np.linalg.norm(model.embedding_, axis=1), 1)


def test_ncut_takes_an_affinity_and_lonely_samples(rng):
    blocks = np.kron(np.eye(3), np.ones((10, 10)))
    blocks[0] = blocks[:, 0] = 0
    labels = NCut(3, graph=sparse.csr_array(blocks), random_state=0).fit_predict(rng.random((30, 4)))
    assert len({(label, part) for label, part in zip(labels[1:], np.arange(1, 30) // 10, strict=True)}) == 3


@pytest.mark.parametrize(
    ("model", "error", "sentence"),
    [
        (NCut(0), ValueError, "n_clusters=0 must be an integer >= 1"),
        (NCut(9), ValueError, "n_clusters=9 must be at most n_samples=6"),
        (NCut(2, rows="l2"), ValueError, "rows='l2' is not known: choose one of 'unit', 'degree', 'raw'"),
        (NCut(2, n_init=0), ValueError, "n_init=0 must be an integer >= 1"),
        (NCut(2, graph=np.ones((2, 2))), ValueError, "graph is a 2 x 2 affinity but X has 6 samples"),
        (AverageAssociation(2.5), TypeError, "n_clusters=2.5 must be an integer >= 1"),
        (AverageAssociation(7), ValueError, "n_clusters=7 must be at most n_samples=6"),
        (AverageAssociation(2, scale="no"), ValueError, "scale='no' is not known: choose one of True, False"),
    ],
)
def test_bad_input(model, error, sentence):
    with pytest.raises(error, match=sentence):
        model.fit(np.arange(18.0).reshape(6, 3))
