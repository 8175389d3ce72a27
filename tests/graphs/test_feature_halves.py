"""Products of samples find the neighbours that the samples themselves have, and halves tell structure from noise."""

import numpy as np
import pytest
from scipy import sparse

from manifact.graphs import KNNGraph
from manifact.graphs.feature_halves import Features, SampleProducts, distinct, said_alike
from manifact.graphs.views import row_lengths

WAYS = [
    Features(),
    Features(roots=True),
    Features(directions=10),
    Features(directions=10, balance=0.5),
    Features(directions=5, balance=1.0),
    Features(roots=True, directions=10),
]


def groups(rng, n=240, m=60, k=4, noise=1.0):
    """Samples in k groups that differ in all features; no two distances are equal."""
    means = rng.gamma(0.5, 2.0, size=(k, m))
    labels = np.arange(n) % k
    return rng.poisson(means[labels] + noise) * rng.uniform(0.9, 1.1, size=(n, m)), labels


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("features", WAYS, ids=str)
def test_affinities_are_those_of_the_graph_that_is_built_in_the_end(rng, kind, features):
    X = kind(groups(rng)[0])
    W = SampleProducts(X, row_lengths(X)).affinities(features, [5])[0]
    expected = KNNGraph(5, weight="local", copies="each", **features._asdict()).build(X).W
    # Directions are found by other means, and a few neighbours are as good as others.
    assert abs(W - expected).sum() <= (1e-3 if features.directions is None else 0.02) * expected.sum()


def test_directions_of_more_features_than_samples(rng):
    X, _ = groups(rng, n=120, m=500)
    W = SampleProducts(X, row_lengths(X)).affinities(Features(directions=10), [5])[0]
    expected = KNNGraph(5, weight="local", copies="each", directions=10).build(X).W
    assert abs(W - expected).sum() <= 0.05 * expected.sum()


def test_a_common_offset_moves_no_neighbours(rng):
    X = groups(rng)[0]
    one, other = (SampleProducts(Y, row_lengths(Y)).affinities(Features(), [5])[0] for Y in (X, X + 1e5))
    assert abs(one - other).sum() <= 1e-3 * one.sum()


def test_samples_of_half_of_the_features_have_the_lengths_of_whole_ones(rng):
    X = groups(rng)[0]
    lengths = rng.uniform(1, 2, size=len(X))
    G = SampleProducts(sparse.csr_array(X), lengths).compared(Features())
    np.testing.assert_allclose(np.sqrt(G.diagonal()), lengths / lengths.max(), rtol=1e-5)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_halves_say_alike_what_samples_are(rng, kind):
    candidates = [(features, count) for features in (Features(), Features(directions=10)) for count in (5, 20)]
    X, _ = groups(rng)
    found = next(said_alike(kind(X), candidates, [2, 4], [0]))
    assert list(found) == candidates
    for two, four in found.values():
        assert four.share > 0.9
        assert four.bits == pytest.approx(2, abs=0.3)
        assert two.bits <= 1.001
    noise = next(said_alike(kind(rng.poisson(2.0, size=X.shape).astype(float)), candidates, [4], [0]))
    assert max(one.bits for (one,) in noise.values()) < 0.2


def test_samples_that_a_half_does_not_see_are_left_out(rng):
    X, _ = groups(rng)
    X[:5] = 0
    X[:5, 0] = 1 + np.arange(5)
    found = next(said_alike(sparse.csr_array(X), [(Features(), 5)], [4], [0]))
    assert found[Features(), 5][0].share > 0.8


def test_distinct_samples():
    X = np.array([[1.0, 2.0], [0.0, 0.0], [1.0, 2.0], [3.0, 0.0]])
    np.testing.assert_array_equal(distinct(X), X[[0, 3]])
    assert distinct(sparse.csr_array(X)).shape == (2, 2)
