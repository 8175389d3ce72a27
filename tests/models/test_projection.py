"""What `transform` makes of samples means what `fit_transform` made of the training samples."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from tests.conftest import problem

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.backends.block_samples import ArrayBlocks
from manifact.datasets import load_digits, unit_length
from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph

DIGITS = load_digits()
X, Y = unit_length(DIGITS.X), DIGITS.y
SPECTRAL = {"init": "spectral", "graph_reg": 1.0}
WITH_GRAPH = {
    "AffinityNMF": (AffinityNMF(10), 0.001),
    "GNMF": (GNMF(10, solver="bcd", **SPECTRAL), 0.001),
    "GNMF, mu": (GNMF(10, solver="mu", **SPECTRAL), 0.01),
    "GNMF, mu, strong": (GNMF(10, solver="mu", init="random", graph_reg=100.0), 0.01),
    "LPNMF": (LPNMF(10, solver="newton", max_iter=100, **SPECTRAL), 0.01),
    "LPNMF, mu": (LPNMF(10, solver="mu", **SPECTRAL), 0.01),
    "ALPNMF": (ALPNMF(10, solver="newton", graph=LandmarkGraph(200), max_iter=50, **SPECTRAL), 0.03),
    "SPNMF": (SPNMF(10, init="random", graph_reg=1.0, max_iter=200), 0.02),
    "LCCF": (LCCF(10, **SPECTRAL), 0.01),
    "sum of graphs": (
        GNMF(10, graph=KNNGraph(3) + 0.5 * KNNGraph(8, metric="cosine"), solver="bcd", **SPECTRAL),
        0.001,
    ),
}
WITHOUT = {
    "NMF": (NMF(10), 0.01),
    "NMF, mu": (NMF(10, solver="mu"), 0.1),
    "NMF, KL": (NMF(10, loss="kullback-leibler"), 0.1),
    "CF": (CF(10, init="kmeans"), 0.1),
    "LCF": (LCF(10, init="kmeans"), 0.1),
}


def difference(V, W):
    return np.linalg.norm(V - W) / np.linalg.norm(W)


@pytest.mark.parametrize("name", WITH_GRAPH | WITHOUT)
def test_training_samples_get_what_fit_gave_them(name):
    model, most = (WITH_GRAPH | WITHOUT)[name]
    V = model.set_params(random_state=0).fit_transform(X[:600])
    assert difference(model.transform(X[:600]), V) < most
    if name in WITH_GRAPH:
        assert difference(model.transform(X[:600], tie=False), V) > 0.1


def half_fitted(model):
    """As constructed, on the even rows of unit-length digits."""
    return model(10, random_state=0).fit(X[::2])


def odd_rows_accuracy(fitted):
    learnt = LogisticRegression(C=100, max_iter=10_000).fit(fitted.representation_, Y[::2])
    return learnt.score(fitted.transform(X[1::2]), Y[1::2])


@pytest.fixture(scope="module")
def nmf_accuracy():
    return odd_rows_accuracy(half_fitted(NMF))


@pytest.mark.parametrize("model", [AffinityNMF, GNMF, LPNMF, ALPNMF, SPNMF, LCCF])
def test_a_graph_does_not_cost_a_pipeline_its_accuracy(model, nmf_accuracy):
    fitted = half_fitted(model)
    assert odd_rows_accuracy(fitted) > (nmf_accuracy if model is AffinityNMF else nmf_accuracy - 0.01)
    assert difference(fitted.transform(X[::2]), fitted.representation_) < 0.1


@pytest.mark.parametrize("model", [NMF, CF, LCF])
def test_without_a_graph_training_samples_keep_what_fit_gave_them(model):
    fitted = half_fitted(model)
    assert difference(fitted.transform(X[::2]), fitted.representation_) < 0.1


@pytest.mark.parametrize("name", ["AffinityNMF", "GNMF", "LPNMF", "ALPNMF", "SPNMF", "LCCF"])
def test_each_sample_is_on_its_own(name):
    """Neither the order of new samples nor those beside them matter."""
    model = WITH_GRAPH[name][0].set_params(random_state=0).fit(X[:300])
    new = X[280:340]
    V, order = model.transform(new), np.random.default_rng(0).permutation(60)
    np.testing.assert_allclose(model.transform(new[order]), V[order], rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(np.vstack([model.transform(one[None]) for one in new[15:25]]), V[15:25], rtol=1e-5,
                               atol=1e-8)  # fmt: skip


def test_a_training_sample_is_not_held_near_itself():
    """Its V has been replaced by something else: what it gets comes from its neighbours and its data."""
    model = GNMF(3, random_state=0).fit(X[:60])
    V = model.transform(X[:60])
    model.representation_[7] = 100.0
    moved = np.abs(model.transform(X[:60]) - V).max(axis=1)
    assert moved[7] == 0
    np.testing.assert_array_equal(moved > 1e-3, model.graph_.W[[7]].toarray()[0] > 0)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_who_is_tied_unless_asked(kind):
    data, W = problem(n=40)[:2]
    new = kind(data[:6] * 1.1)
    tied = GNMF(3, random_state=0).fit(kind(data))
    np.testing.assert_array_equal(tied.transform(new), tied.transform(new, tie=True))
    assert np.abs(tied.transform(new) - tied.transform(new, tie=False)).max() > 1e-3
    for model in (
        NMF(3, random_state=0),
        GNMF(3, graph=W, random_state=0),
        GNMF(3, graph_reg=0, random_state=0),
        GNMF(3, graph=LabelGraph(), random_state=0),
        AffinityNMF(3, tau=0, random_state=0),
    ):
        model.fit(kind(data), np.arange(40) % 2)
        np.testing.assert_array_equal(model.transform(new), model.transform(new, tie=False))
    np.testing.assert_array_equal(tied.transform(new, method="pinv"), tied.transform(new, tie=False, method="pinv"))


def test_a_graph_of_another_matrix_asks_for_it():
    data = problem(n=40)[0]
    E = np.random.default_rng(0).normal(size=(40, 4))
    model = GNMF(3, solver="bcd", graph=KNNGraph(4).build(E), graph_reg=1.0, max_iter=2000, tol=1e-9, random_state=0)
    V = model.fit_transform(data)
    np.testing.assert_allclose(model.transform(data, graph_X=E), V, rtol=1e-2, atol=1e-3)
    with pytest.raises(ValueError, match=r"samples of 17: pass the new samples as .* graph_X, or tie=False"):
        model.transform(data)
    with pytest.raises(ValueError, match="graph_X is used only where samples are tied to their neighbours"):
        model.transform(data, tie=False, graph_X=E)
    with pytest.raises(ValueError, match="tie=True goes with method='nonnegative'"):
        model.transform(data, method="pinv", graph_X=E)


@pytest.mark.parametrize("model", [GNMF(3), LPNMF(3), LCCF(3), AffinityNMF(3)], ids=lambda model: type(model).__name__)
def test_tensors_get_what_arrays_get(model):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    data = problem(n=40)[0]
    host = model.set_params(random_state=0).fit(data).transform(data[:5] * 1.1)
    tensor = model.transform(torch.from_numpy(data[:5] * 1.1))
    assert isinstance(tensor, torch.Tensor)
    np.testing.assert_allclose(tensor.numpy(), host, rtol=1e-9, atol=1e-12)


def test_a_training_sample_that_a_file_has_rounded_is_still_one():
    some = X[:200]
    model = GNMF(10, random_state=0).fit(some)
    V = model.transform(some)
    assert difference(model.transform(some * (1 + 1e-12)), V) < 1e-8
    assert difference(model.transform(some.astype(np.float32).astype(float)), V) < 1e-5


@pytest.mark.parametrize("model", [GNMF, LPNMF, ALPNMF, SPNMF, LCCF, AffinityNMF, NMF, CF])
def test_a_new_sample_with_nothing_in_it_belongs_nowhere(model):
    assert model(4, random_state=0).fit(X[:100]).predict(np.zeros((1, 64))).tolist() == [-1]


def test_chunks_of_v_become_chunks_of_samples():
    da = pytest.importorskip("dask.array", reason="Dask is not installed: pip install dask distributed")
    rng = np.random.default_rng(0)
    X = rng.random((60, 9))
    model = NMF(3, random_state=0).fit(X)
    V = da.from_array(model.representation_, chunks=(25, 2))
    rebuilt = model.inverse_transform(V)
    assert isinstance(rebuilt, da.Array)
    np.testing.assert_allclose(rebuilt.compute(), model.inverse_transform(model.representation_), rtol=1e-12)
    with pytest.raises(ValueError, match="must be n x 3"):
        model.inverse_transform(V[:, :2])
    blocks = ArrayBlocks(np.ascontiguousarray(model.representation_), 25)
    np.testing.assert_allclose(model.inverse_transform(blocks), rebuilt.compute(), rtol=1e-12)


@pytest.mark.parametrize("ask", ["transform", "predict"])
def test_chunks_of_another_width_are_refused_at_once(ask):
    da = pytest.importorskip("dask.array", reason="Dask is not installed: pip install dask distributed")
    model = NMF(3, random_state=0).fit(np.random.default_rng(0).random((60, 9)))
    for shape in ((10, 8), (9,)):
        with pytest.raises(ValueError, match="expecting 9 features as input: pass samples"):
            getattr(model, ask)(da.ones(shape))
