"""Kernel subclass discriminant analysis."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_circles
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from tests.conftest import KINDS

from manifact.baselines import KSDA
from manifact.baselines.ksda import _row_of_neighbors


def rings(seed):
    return make_circles(200, factor=0.5, noise=0.05, random_state=seed)


def xor(seed):
    rng = np.random.default_rng(seed)
    corners = rng.integers(0, 2, (200, 2))
    return corners + 0.15 * rng.standard_normal((200, 2)), corners[:, 0] ^ corners[:, 1]


def score(model, make):
    classifier = make_pipeline(clone(model), KNeighborsClassifier(3))
    return classifier.fit(*make(0)).score(*make(1))


@pytest.mark.parametrize("make", [rings, xor])
@pytest.mark.parametrize("divide", ["nearest", "kmeans"])
def test_it_separates_in_one_dimension_what_lda_cannot(make, divide):
    assert LinearDiscriminantAnalysis().fit(*make(0)).score(*make(1)) < 0.7
    assert score(KSDA(1, divide=divide, random_state=0), make) > 0.97


def test_subclasses_make_even_a_linear_kernel_useful():
    """Three clouds in a row, the middle one of another class: class means coincide, subclass means do not."""
    rng = np.random.default_rng(0)
    x = np.r_[rng.normal(-4, 0.3, 50), rng.normal(4, 0.3, 50), rng.normal(0, 0.3, 100)]
    X, y = np.column_stack([x, rng.standard_normal(200)]), np.repeat([0, 1], 100)
    direction = KSDA(1, kernel="linear", n_subclasses=2).fit(X, y)
    w = X.T @ direction.dual_coef_[:, 0]
    assert abs(w[0]) > 20 * abs(w[1])


@pytest.mark.parametrize("n_subclasses", [1, 2, 3])
def test_it_maximises_the_papers_ratio(n_subclasses):
    """Scatter matrices written out, over every pair of subclasses."""
    X, y = rings(0)[0][:60], np.arange(60) % 3
    model = KSDA(n_subclasses=n_subclasses, reg=1e-3).fit(X, y)
    K = np.exp(-model._gamma * np.sum((X[:, None] - X[None]) ** 2, axis=2))
    parts = model.subclasses_
    owner = [y[parts == i][0] for i in range(parts.max() + 1)]
    B = np.zeros((60, 60))
    for i in range(len(owner)):
        assert (y[parts == i] == owner[i]).all()
        for j in range(i):
            if owner[i] != owner[j]:
                q = (parts == i) / np.sum(parts == i) - (parts == j) / np.sum(parts == j)
                B += np.mean(parts == i) * np.mean(parts == j) * np.outer(q, q)
    total = K @ (np.eye(60) - 1 / 60) @ K
    total += 1e-3 * np.trace(total) / 60 * np.eye(60)
    A = model.dual_coef_
    assert A.shape[1] == 3 * n_subclasses - 1
    np.testing.assert_allclose(K @ B @ K @ A, total @ A * model.eigenvalues_, atol=1e-8)
    np.testing.assert_allclose(np.linalg.eigvals(np.linalg.solve(total, K @ B @ K)).real.max(), model.eigenvalues_[0])


def test_the_default_width_is_the_mean_squared_distance(rng):
    X = rng.random((30, 4)) * np.arange(1, 5)
    squares = np.sum((X[:, None] - X[None]) ** 2, axis=2)
    for kind in ("dense", "csr"):
        model = KSDA().fit(KINDS[kind](X), np.arange(30) % 2)
        assert 1 / model._gamma == pytest.approx(squares.sum() / (30 * 29))


def test_the_row_runs_from_one_end_to_the_other():
    x = np.array([5.0, 0.0, 9.0, 1.0, 8.0, 4.0])
    order = x[_row_of_neighbors(x[:, None])]
    assert {order[0], order[-1]} == {0.0, 9.0}
    assert sorted(order) in (list(order), list(order[::-1]))
    assert list(_row_of_neighbors(np.zeros((1, 2)))) == [0]


@pytest.mark.parametrize("kernel", ["rbf", "poly", "cosine", "linear"])
def test_sparse_samples_give_the_same(kernel, rng):
    X, y = rng.random((40, 6)) * (rng.random((40, 6)) < 0.5), np.arange(40) % 3
    one, other = (KSDA(2, kernel=kernel).fit(KINDS[kind](X), y) for kind in ("dense", "csr"))
    np.testing.assert_allclose(one.transform(X), other.transform(KINDS["csr"](X)), atol=1e-6)


def test_small_classes_have_fewer_subclasses(rng):
    y = np.r_[np.zeros(20), 1, 2, 2].astype(int)
    model = KSDA(n_subclasses=3).fit(rng.random((23, 4)), y)
    assert model.subclasses_.max() + 1 == 3 + 1 + 2
    assert model.transform(rng.random((5, 4))).shape == (5, 5)


@pytest.mark.parametrize(
    ("parameters", "y", "error", "sentence"),
    [
        ({"n_components": 0}, [0, 1], ValueError, "n_components=0 must be an integer >= 1"),
        ({"n_subclasses": 0}, [0, 1], ValueError, "n_subclasses=0 must be an integer >= 1"),
        ({"divide": "random"}, [0, 1], ValueError, "divide='random' is not known: choose one of 'nearest', 'kmeans'"),
        ({"kernel": "laplace"}, [0, 1], ValueError, "kernel='laplace' is not known: choose one of 'rbf'"),
        ({"gamma": -1.0}, [0, 1], ValueError, "gamma=-1 must be a finite number > 0"),
        ({"reg": 0.0}, [0, 1], ValueError, "reg=0 must be a finite number > 0"),
        ({}, [1, 1], ValueError, "y has 1 class"),
        ({}, [0.5, 1.7], ValueError, "Unknown label type"),
    ],
)
def test_bad_input(parameters, y, error, sentence):
    X = np.arange(24.0).reshape(8, 3)
    with pytest.raises(error, match=sentence):
        KSDA(**parameters).fit(X, np.array(y * 4))


def test_labels_are_needed():
    with pytest.raises(ValueError, match="KSDA requires y to be passed, but the target y is None"):
        KSDA().fit(np.eye(3), None)
