import numpy as np
import pytest
from sklearn.decomposition._nmf import _initialize_nmf
from tests.conftest import KINDS, problem

from manifact import GNMF, LPNMF, NMF, AffinityNMF
from manifact.graphs import AffinityGraph, KNNGraph
from manifact.graphs.affinity_matrix import check_affinity
from manifact.models.starts import STARTS, spectral_clusters, start, unit_columns


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_start_is_non_negative_with_unit_columns(init, kind, dtype):
    X = KINDS[kind](problem()[0].astype(dtype))
    U, V = start(init, X, 4, np.random.RandomState(0), None)
    assert U.shape == (17, 4)
    assert V.shape == (24, 4)
    assert U.dtype == V.dtype == dtype
    assert U.min() >= 0
    assert V.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1, rtol=1e-5)
    again = start(init, X, 4, np.random.RandomState(0), None)
    np.testing.assert_array_equal(U, again[0])
    np.testing.assert_array_equal(V, again[1])


@pytest.mark.parametrize("init", STARTS)
@pytest.mark.parametrize("model", [NMF(4), GNMF(4), LPNMF(4)], ids=lambda m: type(m).__name__)
def test_every_model_runs_from_every_start(init, model):
    fitted = model.set_params(init=init, random_state=0, max_iter=30).fit(problem()[0])
    assert np.isfinite(fitted.objective_).all()
    assert fitted.objective_[-1] < fitted.objective_[0]


def test_random_is_drawn_as_the_authors_draw():
    rng = np.random.RandomState(5)
    U, V = rng.random_sample((4, 17)).T, rng.random_sample((4, 24)).T
    expected = unit_columns(U, V)
    mine = start("random", problem()[0], 4, np.random.RandomState(5), None)
    np.testing.assert_allclose(mine[0], expected[0])
    np.testing.assert_allclose(mine[1], expected[1])


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda"])
def test_nndsvd_is_scikit_learns(init, monkeypatch):
    # Its own decomposition of so small a matrix ends after five digits.
    def exact(X, k, **settings):
        left, values, right = np.linalg.svd(X, full_matrices=False)
        return left[:, :k], values[:k], right[:k]

    for name in ("_randomized_svd", "randomized_svd"):
        monkeypatch.setattr(f"sklearn.decomposition._nmf.{name}", exact, raising=False)
    X = problem(density=1.0)[0]
    V, H = _initialize_nmf(X, 4, init=init, random_state=0)
    U, scaled = unit_columns(H.T, V)
    mine = start(init, X, 4, np.random.RandomState(0), None)
    np.testing.assert_allclose(mine[0], U, atol=1e-10)
    np.testing.assert_allclose(mine[1], scaled, atol=1e-10)


def test_nndsvda_keeps_all_parts_of_tiny_data():
    X = problem()[0]
    errors = [NMF(4, init="nndsvda", max_iter=500, tol=0).fit(X * s).reconstruction_err_ / s for s in (1, 1e-13)]
    assert errors[1] == pytest.approx(errors[0], rel=0.02)


def test_spectral_clusters_are_the_components_of_the_graph(rng):
    for size in (10, 100):
        blocks = np.kron(np.eye(3), np.ones((size, size)))
        order = rng.permutation(3 * size)
        graph = AffinityGraph(check_affinity(blocks[np.ix_(order, order)]))
        labels = spectral_clusters(graph, 3, np.random.RandomState(0))
        assert len({(label, part) for label, part in zip(labels, order // size, strict=True)}) == 3


def test_of_several_starts_the_best_goes_on():
    X = problem(n=40)[0]
    settings = {"init_iter": 5, "max_iter": 12, "tol": 0}
    best = GNMF(4, init="random", n_init=6, random_state=3, **settings).fit(X)
    rng = np.random.RandomState(3)
    starts = [start("random", X, 4, rng, None) for _ in range(6)]
    single = [GNMF(4, init=(V, U.T), **settings).fit(X) for U, V in starts]
    winner = min(single, key=lambda model: model.objective_[5])
    assert winner is not single[0]
    np.testing.assert_array_equal(best.objective_, winner.objective_)
    np.testing.assert_array_equal(best.components_, winner.components_)
    assert best.n_iter_ == 12


def test_warm_start_goes_on_from_the_last_fit():
    X, W, _, _ = problem()
    for normalize in (None, "basis"):
        settings = {"graph": W, "normalize": normalize, "random_state": 0, "tol": 0, "solver": "mu"}
        warm = GNMF(4, max_iter=10, warm_start=True, **settings).fit(X)
        last = warm.objective_[-1]
        V = warm.fit_transform(X)
        assert warm.objective_[0] == pytest.approx(last, rel=1e-12)
        np.testing.assert_allclose(V, GNMF(4, max_iter=20, **settings).fit_transform(X), rtol=1e-9)
    fewer = NMF(4, warm_start=True, random_state=0).fit(X)
    before = fewer.components_
    start_loss = fewer.fit(X[:10]).objective_[0]
    exact = NMF(4, random_state=0).fit(X)
    np.testing.assert_array_equal(exact.components_, before)
    assert start_loss == pytest.approx(np.sum((X[:10] - exact.transform(X[:10]) @ before) ** 2), rel=1e-6)


@pytest.mark.parametrize("settings", [{}, {"normalize": "basis"}, {"alpha_V": 0.01, "l1_ratio": 0.5}])
def test_warm_start_of_two_representations(settings):
    X, W, _, _ = problem(n=40)
    warm = AffinityNMF(4, graph=W, warm_start=True, random_state=0, tol=1e-10, max_iter=3000, **settings).fit(X)
    last = warm.objective_[-1]
    warm.fit(X)
    assert warm.objective_[0] == pytest.approx(last, rel=1e-4)
    assert warm.n_iter_ < 100


def test_warm_start_refuses_another_shape():
    model = NMF(4, warm_start=True).fit(problem()[0])
    with pytest.raises(ValueError, match=r"warm_start=True needs the shape of the last fit.*set warm_start=False"):
        model.set_params(n_components=3).fit(problem()[0])


@pytest.mark.parametrize(("init", "sentence"), [
    ("nndsvd", "n_components <= min"), ("kmeans", "init='kmeans' needs n_samples >= n_components"),
    ("spectral", "init='spectral' needs n_samples >= n_components"),
])  # fmt: skip
def test_starts_that_need_more_samples_say_so(init, sentence):
    with pytest.raises(ValueError, match=sentence):
        NMF(9, init=init).fit(problem()[0][:5])


def test_knn_graph_is_shared_with_the_spectral_start():
    """The start uses the model's own graph, not another one."""
    X = problem(n=40)[0]
    graph = KNNGraph(3)
    one = GNMF(3, graph=graph, init="spectral", random_state=0, max_iter=0, normalize=None).fit(X)
    labels = spectral_clusters(graph.build(X), 3, np.random.RandomState(0))
    np.testing.assert_array_equal(one.representation_.argmax(axis=1), start_labels(X, labels))


def start_labels(X, labels):
    from manifact.models.starts import from_clusters

    return unit_columns(*from_clusters(X, labels, 3))[1].argmax(axis=1)
