import numpy as np
import pytest

from manifact.graphs import LabelGraph


@pytest.mark.parametrize(
    "y",
    [
        [0, 0, 1, -1, 1, 1],
        np.array([*"aab", None, *"bb"], dtype=object),
        np.array([*"aab", "-1", *"bb"]),
        [0.0, 0.0, 1.0, np.nan, 1.0, 1.0],
    ],
)
@pytest.mark.parametrize("weight", ["binary", "class"])
def test_samples_of_a_class_are_joined_and_the_unlabelled_are_not(y, weight, rng):
    X, V = np.zeros((6, 1)), rng.random((6, 3))
    graph = LabelGraph(weight).build(X, y)
    W = np.zeros((6, 6))
    for members in ([0, 1], [2, 4, 5]):
        for i in members:
            for j in members:
                W[i, j] = (i != j) * (1 if weight == "binary" else 1 / len(members))
    np.testing.assert_allclose(graph.adjacency(V), W @ V)
    np.testing.assert_allclose(graph.degrees, W.sum(axis=1), atol=1e-15)
    np.testing.assert_allclose(graph.energy(V, V), np.trace(V.T @ (np.diag(W.sum(axis=1)) - W) @ V))


def test_energy_of_almost_equal_samples_keeps_its_digits(rng):
    V = (1 + 1e-5 * rng.standard_normal((1000, 2))).astype(np.float32)
    graph = LabelGraph().build(np.zeros((1000, 1)), np.zeros(1000, dtype=int))
    wide = V.astype(float)
    assert graph.energy(V, V) == pytest.approx(1000 * np.sum((wide - wide.mean(axis=0)) ** 2), rel=1e-6)


def test_large_classes_stay_small():
    graph = LabelGraph().build(np.zeros((100_000, 1)), np.zeros(100_000, dtype=int))
    assert graph.H.nnz == 100_000
    assert graph.degrees[0] == 99_999


def test_without_labels_it_says_so():
    with pytest.raises(ValueError, match=r"LabelGraph needs labels: call fit\(X, y\) with -1 for unlabelled samples"):
        LabelGraph().build(np.zeros((3, 1)))
    with pytest.raises(ValueError, match="give one label for each"):
        LabelGraph().build(np.zeros((3, 1)), [0, 1])
    with pytest.raises(ValueError, match="weight='half' is not known"):
        LabelGraph("half").build(np.zeros((3, 1)), [0, 1, 1])
