"""The same factors from one memory, from one block and from seven; and how often X is read."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

from manifact import ALPNMF, CF, GNMF, LPNMF, NMF, SPNMF, AffinityNMF, load
from manifact.backends.block_samples import ArrayBlocks
from manifact.graphs import AutoGraph, KNNGraph, LandmarkGraph, some_samples

LANDMARKS = LandmarkGraph(n_landmarks=40)
SETTINGS = {"random_state": 0, "max_iter": 20, "tol": 0}
MODELS = {
    "nmf": lambda: NMF(5, **SETTINGS),
    "nmf-mu": lambda: NMF(5, solver="mu", **SETTINGS),
    "nmf-penalties": lambda: NMF(5, alpha_V=0.01, l1_ratio=0.5, **SETTINGS),
    "kl": lambda: NMF(5, loss="kullback-leibler", **SETTINGS),
    "kl-mu": lambda: NMF(5, loss="kullback-leibler", solver="mu", **SETTINGS),
    "alpnmf": lambda: ALPNMF(5, graph=LANDMARKS, **SETTINGS),
    "alpnmf-newton": lambda: ALPNMF(5, graph=LANDMARKS, solver="newton", **SETTINGS),
    "gnmf": lambda: GNMF(5, graph=LANDMARKS, **SETTINGS),
    "gnmf-bcd": lambda: GNMF(5, graph=LANDMARKS, graph_reg=0.1, solver="bcd", **SETTINGS),
    "gnmf-knn": lambda: GNMF(5, graph=KNNGraph(5, directions=8, weight="local"), **SETTINGS),
    "affinity": lambda: AffinityNMF(5, graph=LANDMARKS, **SETTINGS),
    "affinity-knn": lambda: AffinityNMF(5, graph=KNNGraph(5, directions=8, weight="local"), **SETTINGS),
    "affinity-auto": lambda: AffinityNMF(5, **SETTINGS),
}


@pytest.fixture(scope="module")
def samples():
    X = normalize(load_digits().data[:300])
    X[7] = 0
    return X


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_blocks_give_the_factors_of_one_memory(samples, name, kind):
    X = sparse.csr_array(samples) if kind == "sparse" else samples
    expected = MODELS[name]().fit(X)
    for rows in (300, 45):
        found = MODELS[name]().fit(ArrayBlocks(X, rows))
        np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)
        np.testing.assert_allclose(found.representation_, expected.representation_, atol=1e-8)
        np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-9)
        np.testing.assert_allclose(found.reconstruction_err_, expected.reconstruction_err_, rtol=1e-6)
        np.testing.assert_array_equal(found.labels_, expected.labels_)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("solver", ["auto", "mu"])
def test_runs_stop_where_they_stop_in_one_memory(samples, loss, solver):
    make = lambda: NMF(4, loss=loss, solver=solver, random_state=1, max_iter=60, tol=1e-2)  # noqa: E731
    expected, found = make().fit(samples), make().fit(ArrayBlocks(samples, 50))
    assert found.n_iter_ == expected.n_iter_ < 60
    assert found.converged_
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)


@pytest.mark.parametrize("weight", ["ncw", "given"])
def test_samples_keep_their_weights(samples, weight, rng):
    X = np.delete(samples, 7, axis=0)
    weight = weight if weight == "ncw" else rng.random(len(X)) * (np.arange(len(X)) != 3)
    for loss in ("frobenius", "kullback-leibler"):
        expected = NMF(4, loss=loss, **SETTINGS).fit(X, sample_weight=weight)
        found = NMF(4, loss=loss, **SETTINGS).fit(ArrayBlocks(X, 45), sample_weight=weight)
        np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)
        np.testing.assert_allclose(found.representation_, expected.representation_, atol=1e-8)


class Counted(ArrayBlocks):
    #: So little that blocks are read each time.
    memory = 1
    reads = 0

    def block(self, i):
        self.reads += 1
        return super().block(i)


@pytest.mark.parametrize(
    ("name", "passes"),
    [("nmf-mu", 1), ("kl-mu", 1), ("gnmf", 1), ("nmf", 1), ("alpnmf", 2), ("kl", 2), ("affinity", 2)],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_an_iteration_reads_X_as_often_as_it_must(samples, name, passes):
    """Momentum that did not pay costs another pass now and then; nothing else does."""

    def reads(iterations):
        X = Counted(samples, 60)
        MODELS[name]().set_params(max_iter=iterations).fit(X)
        return X.reads / 5

    more = (reads(24) - reads(4)) / 20
    assert passes <= more <= passes * 1.45


def test_new_samples_in_blocks(samples):
    model = AffinityNMF(5, graph=LANDMARKS, **SETTINGS).fit(samples)
    X = ArrayBlocks(samples, 70)
    np.testing.assert_allclose(model.transform(X), model.transform(samples))
    np.testing.assert_array_equal(model.predict(X), model.predict(samples))
    np.testing.assert_allclose(model.score(X), model.score(samples))
    with pytest.raises(ValueError, match="graph_X"):
        model.transform(X, graph_X=samples)


def test_models_of_blocks_are_saved_and_serve(samples, tmp_path):
    model = ALPNMF(5, graph=LANDMARKS, **SETTINGS).fit(ArrayBlocks(samples, 70))
    model.save(tmp_path / "model.safetensors")
    np.testing.assert_allclose(load(tmp_path / "model.safetensors").transform(samples), model.transform(samples))


@pytest.mark.parametrize("name", ["affinity-auto", "alpnmf", "gnmf", "nmf"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_starts_are_made_from_some_samples_where_there_are_too_many(samples, monkeypatch, name):
    """From 100 of 300: as good an objective, to a few percent, as from all."""
    X = np.delete(samples, 7, axis=0)
    whole = MODELS[name]().fit(X)
    monkeypatch.setattr(some_samples.some_of, "__defaults__", (100,))
    part = MODELS[name]().fit(ArrayBlocks(X, 45))
    assert part.reconstruction_err_ < 1.1 * whole.reconstruction_err_
    assert np.isfinite(part.components_).all()


def test_the_number_of_parts_is_chosen_from_some(samples, monkeypatch):
    monkeypatch.setattr(some_samples.some_of, "__defaults__", (150,))
    model = AffinityNMF("auto", random_state=0, max_iter=5).fit(ArrayBlocks(samples, 100))
    assert 2 <= model.n_components_ <= 50
    assert set(model.selection_.best) == {"n_components", "tau"}


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SPNMF(3), "SPNMF looks at all samples at once"),
        (CF(3), "ALPNMF"),
        (GNMF(3), "directions=50"),
        (LPNMF(3, graph=KNNGraph(5, directions=8)), "LandmarkGraph"),
        (GNMF(3, graph=KNNGraph(5, directions=8), solver="bcd"), "'mu'"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str) else "",
)
def test_what_blocks_cannot_is_refused_with_the_alternative(samples, model, words):
    with pytest.raises(ValueError, match=words):
        model.fit(ArrayBlocks(samples, 70))


@pytest.mark.parametrize(("value", "words"), [(np.nan, "NaN"), (np.inf, "infinity"), (-1.0, "Negative")])
def test_bad_entries_are_refused_in_the_words_of_one_memory(samples, value, words):
    X = samples.copy()
    X[200, 5] = value
    with pytest.raises(ValueError, match=words):
        NMF(3).fit(ArrayBlocks(X, 70))
    with pytest.raises(ValueError, match="features"):
        NMF(3, **SETTINGS).fit(samples).transform(ArrayBlocks(samples[:, :9], 70))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_there_may_be_fewer_landmarks_or_samples_than_parts(samples):
    make = lambda: AffinityNMF(6, graph=LandmarkGraph(n_landmarks=4), **SETTINGS)  # noqa: E731
    few = ArrayBlocks(samples[:4], 2)
    with pytest.raises(ValueError, match="init='spectral' needs n_samples >= n_components, got 4 < 6"):
        make().fit(few)
    expected, found = make().fit(samples), make().fit(ArrayBlocks(samples, 45))
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-6)


def test_an_automatic_graph_of_blocks_is_that_of_one_memory(samples):
    expected = AutoGraph(n_components=5).build(samples)
    found = AutoGraph(n_components=5).build(ArrayBlocks(samples, 70))
    np.testing.assert_allclose(found.W.toarray(), expected.W.toarray())


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_a_sketch_of_blocks_is_that_of_one_memory(loss):
    rng = np.random.default_rng(0)
    X = rng.gamma(0.3, size=(260, 8)) @ rng.gamma(0.3, size=(8, 230))
    models = [NMF(6, loss=loss, random_state=0, max_iter=5, tol=0) for _ in range(2)]
    for model, samples in zip(models, (X, ArrayBlocks(X, 45)), strict=True):
        model.fit(samples)
    whole, parts = models
    np.testing.assert_allclose(parts.objective_, whole.objective_, rtol=1e-9)
    np.testing.assert_allclose(parts.components_, whole.components_, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_parts_that_become_empty_start_anew_in_blocks_as_well(loss):
    X = np.repeat(np.eye(3, 60), 20, axis=0)
    model = NMF(9, loss=loss, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        assert model.fit(ArrayBlocks(X, 25)).objective_[-1] < 1e-6
