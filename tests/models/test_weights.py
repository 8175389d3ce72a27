"""Sample weights: what they mean, since repeating samples is not it for models with a graph."""

import numpy as np
import pytest
from tests.conftest import KINDS, problem

from manifact import GNMF, LPNMF, NMF

RAW = {"tol": 0, "max_iter": 40, "normalize": None}


@pytest.mark.parametrize("lam", [0.0, 5.0])
def test_weights_equal_the_appendix_change_of_variables(lam):
    """X' = Γ^½ X, V' = Γ^½ V, L' = Γ^-½ L Γ^-½ turn the weighted problem into a plain one (GNMF paper, appendix C)."""
    X, W, V, U = problem()
    gamma = np.random.default_rng(3).random(len(X)) + 0.2
    root = np.sqrt(gamma)[:, None]
    weighted = GNMF(4, graph_reg=lam, graph=W, init=(V, U.T), solver="mu", **RAW)
    mine = weighted.fit_transform(X, sample_weight=gamma)
    D, scaled_X, scaled_V, new_U = np.diag(W.sum(axis=1)), root * X, root * V, U
    scaled_W, scaled_D = W / root / root.T, D / root / root.T
    for _ in range(40):
        negative = scaled_X @ new_U + lam * scaled_W @ scaled_V
        scaled_V = scaled_V * negative / (scaled_V @ new_U.T @ new_U + lam * scaled_D @ scaled_V)
        new_U = new_U * (scaled_X.T @ scaled_V) / (new_U @ scaled_V.T @ scaled_V)
    np.testing.assert_allclose(mine, scaled_V / root, rtol=1e-9)
    np.testing.assert_allclose(weighted.components_.T, new_U, rtol=1e-9)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_whole_weights_are_repetition_from_a_repeated_start(loss, kind):
    X, _, V, U = problem()
    times = np.random.default_rng(1).integers(1, 4, len(X))
    weighted = NMF(4, loss=loss, init=(V, U.T), **RAW)
    repeated = NMF(4, loss=loss, init=(np.repeat(V, times, axis=0), U.T), **RAW)
    one = weighted.fit_transform(KINDS[kind](X), sample_weight=times)
    many = repeated.fit_transform(KINDS[kind](np.repeat(X, times, axis=0)))
    np.testing.assert_allclose(np.repeat(one, times, axis=0), many, rtol=1e-8)
    np.testing.assert_allclose(weighted.components_, repeated.components_, rtol=1e-8)
    np.testing.assert_allclose(weighted.objective_, repeated.objective_, rtol=1e-9)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_weight_zero_removes_a_samples_loss(loss):
    X, W, V, U = problem()
    kept = np.ones(len(X))
    kept[[2, 7]] = 0
    rest = kept > 0
    weighted = NMF(4, loss=loss, init=(V, U.T), **RAW)
    one = weighted.fit_transform(X, sample_weight=kept)
    without = NMF(4, loss=loss, init=(V[rest], U.T), **RAW)
    np.testing.assert_allclose(one[rest], without.fit_transform(X[rest]), rtol=1e-9)
    np.testing.assert_allclose(weighted.components_, without.components_, rtol=1e-9)
    np.testing.assert_allclose(one[~rest], weighted.transform(X)[~rest])
    changed = X.copy()
    changed[~rest] = 100
    tied = GNMF(4, loss=loss, graph=W, init=(V, U.T), **RAW)
    np.testing.assert_allclose(
        tied.fit_transform(X, sample_weight=kept), tied.fit_transform(changed, sample_weight=kept), rtol=1e-6
    )


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("scale", [1e-10, 1e10])
def test_the_scale_of_weights_does_not_matter_without_a_graph(loss, kind, scale):
    X, _, V, U = problem()
    model = NMF(4, loss=loss, init=(V, U.T), **RAW)
    expected = model.fit_transform(KINDS[kind](X))
    np.testing.assert_allclose(model.fit_transform(KINDS[kind](X), sample_weight=np.full(24, scale)), expected)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("scale", [1e-30, 1e-6, 1e6])
def test_ncw_does_not_depend_on_the_scale_of_the_data(kind, scale):
    X = problem()[0]
    model = NMF(4, loss="kullback-leibler", random_state=0, tol=0)
    expected = model.fit(KINDS[kind](X), sample_weight="ncw").components_
    scaled = model.fit(KINDS[kind](X * scale), sample_weight="ncw").components_
    np.testing.assert_allclose(scaled, expected, rtol=1e-6, atol=1e-9)


def test_single_precision_holds_small_weights():
    X, W, V, U = (P.astype(np.float32) for P in problem(n=60))
    gamma = np.full(60, 1e-7)
    model = LPNMF(4, graph=W.astype(float), init=(V, U.T), tol=0, max_iter=3, normalize=None)
    single = model.fit_transform(X, sample_weight=gamma)
    double = model.fit_transform(X.astype(float), sample_weight=gamma)
    np.testing.assert_allclose(single, double, rtol=1e-3)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_ncw_is_the_papers_weighting(kind):
    X, W, V, U = problem()
    X[5] = 0
    similarity = (X @ X.T).sum(axis=1)
    gamma = np.divide(1, similarity, out=np.zeros(len(X)), where=similarity > 0)
    np.testing.assert_allclose(LPNMF()._weight("ncw", KINDS[kind](X)), gamma)
    model = LPNMF(4, graph_reg=2.0, graph=W, init=(V, U.T), **RAW)
    np.testing.assert_allclose(
        model.fit_transform(KINDS[kind](X), sample_weight="ncw"), model.fit_transform(X, sample_weight=gamma)
    )
