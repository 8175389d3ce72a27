"""The GNMF authors' demo: their random stream, their k-means, and the numbers that they state."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from manifact.datasets import Dataset, load
from manifact.experiments.reproduce.gnmf_authors_demo import (
    SEED,
    best_start,
    demo,
    rand,
    replicated_kmeans,
    represent,
    sample,
    samples,
)
from manifact.models import GNMF, NMF


@pytest.fixture
def clouds(rng):
    """Three clouds of 20 points each, far apart."""
    centers = np.array([[0.0, 0.0], [8.0, 0.0], [0.0, 8.0]])
    y = np.repeat(np.arange(3), 20)
    return centers[y] + rng.random((60, 2)), y


def total(X, labels):
    """Sum of the distances of the samples from the means of their clusters."""
    centers = np.array([X[labels == c].mean(axis=0) for c in range(labels.max() + 1)])
    return np.linalg.norm(X - centers[labels], axis=1).sum()


def test_authors_numbers_on_coil20(home):
    scores = demo(load("coil20", home))
    assert list(scores) == ["original", "NMF", "GNMF"]
    assert [round(found["NMI"], 5) for found in scores.values()] == [0.7386, 0.74361, 0.87599]
    assert_allclose([found["AC"] for found in scores.values()], [871 / 1440, 961 / 1440, 1040 / 1440])


def test_stream_begins_as_matlabs():
    assert_array_equal(rand(SEED).random_sample(4).round(4), [0.8147, 0.9058, 0.1270, 0.9134])


def test_few_of_many_are_drawn_with_repetition_then_shuffled():
    # 82, 91 and 13 of 1..100 come from the first draws; 0.9134, 0.6324, 0.0975 then reverse 13, 82, 91.
    assert_array_equal(sample(rand(), 100, 3), [90, 81, 12])


def test_a_repeated_draw_is_drawn_again():
    # Ten draws give 37 and 39 twice; two more 7 and 39, then 39 again, then 20: 14 draws before the ten that shuffle.
    stream = rand()
    assert set(sample(stream, 40, 10) + 1) == {4, 6, 7, 12, 20, 22, 26, 33, 37, 39}
    assert stream.random_sample() == rand().random_sample(25)[-1]


def test_many_of_few_are_the_first_of_a_permutation():
    # 0.127 < 0.632 < 0.815 < 0.906 < 0.913
    assert_array_equal(sample(rand(), 5, 5), [2, 4, 0, 1, 3])
    assert_array_equal(sample(rand(), 5, 2), [2, 4])


@pytest.mark.parametrize(("n", "k"), [(1, 1), (7, 7), (40, 10), (41, 10), (1000, 30)])
def test_samples_are_different_numbers_below_n(n, k):
    drawn = sample(rand(1), n, k)
    assert len(np.unique(drawn)) == len(drawn) == k
    assert drawn.min() >= 0
    assert drawn.max() < n


def test_kmeans_finds_clouds(clouds):
    X, y = clouds
    labels = replicated_kmeans(X, 3, rand())
    assert len({(a, b) for a, b in zip(y, labels, strict=True)}) == 3
    assert_array_equal(labels, replicated_kmeans(sparse.csr_array(X), 3, rand()))


def test_more_replicates_are_never_worse(rng):
    X = rng.random((80, 4))
    totals = [total(X, replicated_kmeans(X, 6, rand(), replicates)) for replicates in (1, 3, 10, 20)]
    assert totals == sorted(totals, reverse=True)
    assert totals[-1] < totals[0]


def test_kmeans_ends_where_nearest_centres_are_own(rng):
    X = rng.random((80, 4))
    labels = replicated_kmeans(X, 6, rand(), 1)
    centers = np.array([X[labels == c].mean(axis=0) for c in range(6)])
    assert_array_equal(labels, np.linalg.norm(X[:, None] - centers, axis=2).argmin(axis=1))


def test_every_cluster_has_samples_although_most_are_alike():
    X = np.vstack([np.zeros((30, 2)), [[1.0, 0.0], [5.0, 0.0], [9.0, 0.0]]])
    labels = replicated_kmeans(X, 4, rand(), 1)
    assert set(labels) == {0, 1, 2, 3}
    assert total(X, labels) == 0


def test_kmeans_survives_fewer_different_samples_than_clusters():
    labels = replicated_kmeans(np.repeat(np.eye(2), 6, axis=0), 4, rand(), 2)
    assert labels.shape == (12,)
    assert set(labels) <= {0, 1, 2, 3}


def test_pixels_are_read_column_by_column():
    image = np.array([[1.0, 2.0], [3.0, 4.0]])
    X = samples(Dataset("one", image.reshape(1, 4), np.zeros(1), (2, 2)))
    assert_allclose(X * np.sqrt(30), [[1.0, 3.0, 2.0, 4.0]])


def test_best_start_draws_U_column_by_column_before_V(rng):
    X = rng.random((9, 5))
    V, components = best_start(NMF(2, solver="mu", tol=0, max_iter=0, normalize=None), X, rand(), starts=1)
    draws = rand().random_sample(2 * (5 + 9))
    U = draws[:10].reshape(2, 5)
    lengths = np.linalg.norm(U, axis=1)
    assert_allclose(components, U / lengths[:, None])
    assert_allclose(V, (draws[10:].reshape(2, 9) * lengths[:, None]).T)


def test_best_start_needs_one(rng):
    with pytest.raises(ValueError, match="starts=0"):
        best_start(NMF(2), rng.random((9, 5)), rand(), starts=0)


@pytest.mark.parametrize("model", [NMF(3, solver="mu", tol=0), GNMF(3, solver="mu", tol=0)], ids=["NMF", "GNMF"])
def test_models_choose_among_starts_as_the_authors_do(rng, model):
    X = rng.random((30, 8))
    starts = {"init": "random", "n_init": 10, "init_iter": 30, "max_iter": 100, "random_state": SEED}
    own = type(model)(3, solver="mu", tol=0, **starts)
    assert_allclose(represent(model, X), own.fit_transform(X), rtol=1e-9, atol=1e-12)
