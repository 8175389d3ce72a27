"""Models that learn from one block of samples after another."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import manifact
from manifact import ALPNMF, CF, GNMF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.datasets import load_digits, unit_length
from manifact.graphs import KNNGraph, LandmarkGraph

X = unit_length(load_digits().X)
X = X[np.random.default_rng(0).permutation(len(X))]
LANDMARKS = LandmarkGraph(n_landmarks=40)
MODELS = [
    NMF(5, random_state=0),
    NMF(5, random_state=0, loss="kullback-leibler"),
    NMF(5, random_state=0, alpha_V=1e-4, l1_ratio=0.5),
    GNMF(5, random_state=0, graph=LANDMARKS, graph_reg=0.1),
    ALPNMF(5, random_state=0, graph=LANDMARKS),
    AffinityNMF(5, random_state=0, graph=LANDMARKS),
]
NAMES = [f"{type(model).__name__}{number}" for number, model in enumerate(MODELS)]
every_model = pytest.mark.parametrize("model", MODELS, ids=NAMES)


def streamed(model, X, block=150):
    model = clone(model)
    for first in range(0, X.shape[0], block):
        model.partial_fit(X[first : first + block])
    return model


@every_model
def test_blocks_come_near_to_what_fit_finds(model):
    found, fitted = clone(model), clone(model).fit(X[:600])
    for _ in range(3):
        for first in range(0, 600, 150):
            found.partial_fit(X[first : first + 150])
    assert found.score(X[600:]) > 1.1 * fitted.score(X[600:])
    assert found.n_samples_seen_ == 1800
    assert found.n_iter_ == 12
    assert len(found.objective_) == 12
    # The last block, again after two more passes, is known better.
    assert found.objective_[11] < found.objective_[3] * 1.02


@every_model
def test_a_saved_model_goes_on_as_if_it_had_not_been_saved(model, tmp_path):
    found = streamed(model, X[:300])
    found.save(tmp_path / "stream.safetensors")
    again = manifact.load(tmp_path / "stream.safetensors")
    for one in (found, again):
        one.partial_fit(X[300:450])
    np.testing.assert_array_equal(again.components_, found.components_)
    np.testing.assert_array_equal(again.transform(X[450:500]), found.transform(X[450:500]))
    np.testing.assert_array_equal(again.predict(X[450:500]), found.predict(X[450:500]))
    assert again.n_samples_seen_ == 450


def test_a_file_whose_sums_do_not_fit_is_refused(tmp_path):
    model = streamed(MODELS[0], X[:300])
    statistics = replace(model._stream.statistics, G=np.eye(4))
    model._stream = replace(model._stream, statistics=statistics)
    model.save(tmp_path / "torn.safetensors")
    with pytest.raises(ValueError, match="is damaged"):
        manifact.load(tmp_path / "torn.safetensors")


@every_model
def test_a_fitted_model_keeps_learning_and_a_fit_begins_anew(model):
    fitted = clone(model).fit(X[:600])
    before = fitted.components_.copy()
    score = fitted.score(X[600:900])
    fitted.partial_fit(X[600:750])
    assert fitted.n_samples_seen_ == 750
    assert fitted.n_iter_ == 1
    assert fitted.score(X[600:900]) > 1.02 * score
    again = fitted.fit(X[:600])
    assert not hasattr(again, "n_samples_seen_")
    np.testing.assert_array_equal(again.components_, before)


@every_model
def test_what_belongs_to_samples_is_of_the_last_block(model):
    found = streamed(model, X[:400])
    assert found.representation_.shape == (100, 5)
    assert found.labels_.shape == (100,)
    V = found.transform(X[300:400])
    assert np.linalg.norm(V - found.representation_) < 0.2 * np.linalg.norm(V)
    if hasattr(found, "graph_"):
        assert found.graph_.n_samples == 100
        assert 0 <= found.smoothness_ < 1


@every_model
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_and_dense_blocks_say_the_same(model, dtype):
    block = X[:200].astype(dtype)
    dense, thin = (clone(model).partial_fit(kind(block)) for kind in (np.asarray, sparse.csr_array))
    assert dense.components_.dtype == dtype
    assert dense.transform(block).dtype == dtype
    digits = 1e-2 if dtype is np.float32 else 1e-5
    assert np.linalg.norm(dense.components_ - thin.components_) < digits * np.linalg.norm(dense.components_)


def test_only_models_that_can_have_it():
    assert not hasattr(GNMF(5), "partial_fit")
    assert not hasattr(LPNMF(5, graph=KNNGraph(3)), "partial_fit")
    assert not hasattr(AffinityNMF(5), "partial_fit")
    assert not hasattr(SPNMF(5), "partial_fit")
    assert not hasattr(CF(5), "partial_fit")
    assert hasattr(LPNMF(5, graph=LANDMARKS), "partial_fit")
    assert hasattr(ALPNMF(5), "partial_fit")
    for model, reason in (
        (GNMF(5), "use graph=LandmarkGraph"),
        (AffinityNMF("auto", graph=LANDMARKS), "n_components='auto' is chosen on all samples"),
    ):
        with pytest.raises(AttributeError) as refused:
            model.partial_fit(X)
        assert reason in str(refused.value)
    assert AffinityNMF.partial_fit.__doc__.startswith("Learn from a block of samples")


def test_what_is_refused():
    model = NMF(3)
    with pytest.raises(ValueError, match="sample_weight='ncw' compares all samples"):
        model.partial_fit(X, sample_weight="ncw")
    with pytest.raises(ValueError, match="window=0"):
        model.partial_fit(X, window=0)
    with pytest.raises(NotFittedError):
        model.transform(X)
    model.partial_fit(X[:50])
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:50, :10])
    with pytest.raises(ValueError, match="sample_weight has no place"):
        AffinityNMF(3, graph=LANDMARKS).partial_fit(X[:50], sample_weight=np.ones(50))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix, sparse.csc_array])
def test_what_is_wrong_with_a_later_block_is_said(kind):
    model = NMF(3, random_state=0).partial_fit(X[:50])
    before = model.components_.copy()
    for wrong, told in ((np.nan, "contains NaN"), (np.inf, "contains infinity"), (-1.0, "Negative values")):
        block = X[50:100].copy()
        block[3, 4] = wrong
        with pytest.raises(ValueError, match=told):
            model.partial_fit(kind(block))
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(kind(X[:50, :10]))
    with pytest.raises(ValueError, match="0 sample"):
        model.partial_fit(kind(X[:0]))
    np.testing.assert_array_equal(model.components_, before)
    assert model.partial_fit(kind(np.zeros((5, 64)))).n_samples_seen_ == 55


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("normalize", ["basis", None])
def test_the_loss_of_a_block_is_that_of_its_factors(loss, normalize):
    model = NMF(5, loss=loss, normalize=normalize, random_state=0)
    for first in range(0, 450, 150):
        model.partial_fit(sparse.csr_array(X[first : first + 150]))
    Y = model.representation_ @ model.components_
    block = X[300:450]
    if loss == "frobenius":
        expected = np.sum((block - Y) ** 2)
    else:
        inside = block > 0
        expected = np.sum(block[inside] * np.log(block[inside] / Y[inside])) - block.sum() + Y.sum()
    assert model.objective_[-1] == pytest.approx(expected / 150, rel=1e-6)


def test_streams_are_learnt_on_the_host():
    for device in ("cuda", "cuda:1"):
        with pytest.raises(ValueError, match=f"device='{device}' does not go with partial_fit"):
            NMF(3, device=device).partial_fit(X[:50])
    model = NMF(3, device="auto", random_state=0).partial_fit(X[:50])
    assert model.device_ == "cpu"
    np.testing.assert_array_equal(model.components_, NMF(3, random_state=0).partial_fit(X[:50]).components_)


def test_fitted_on_another_graph():
    model = GNMF(3, random_state=0).fit(X[:100]).set_params(graph=LANDMARKS)
    with pytest.raises(ValueError, match="fitted on a graph without landmarks"):
        model.partial_fit(X[:50])


def test_weights_count_samples():
    rng = np.random.default_rng(0)
    halves = np.vstack([X[:100], X[100:200]])
    weight = np.r_[np.full(100, 1e-9), np.ones(100)]
    weighted = NMF(4, random_state=0).partial_fit(halves, sample_weight=weight)
    for _ in range(5):
        weighted.partial_fit(halves, sample_weight=weight)
    alone = NMF(4, init=(rng.random((100, 4)), weighted.components_), random_state=0).partial_fit(X[100:200])
    assert weighted.score(X[100:200]) > 1.05 * alone.score(X[100:200])


def test_parts_keep_their_order_and_a_start_may_be_given():
    components = NMF(5, random_state=0).fit(X).components_[::-1]
    model = NMF(5, init=(np.ones((200, 5)), components))
    for first in range(0, 600, 200):
        model.partial_fit(X[first : first + 200])
    angles = model.components_ @ components.T
    np.testing.assert_array_equal(angles.argmax(axis=1), np.arange(5))


def test_data_frames_name_their_features():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X[:100], columns=[f"pixel{i}" for i in range(64)])
    model = NMF(3, random_state=0).set_output(transform="pandas").partial_fit(frame)
    assert list(model.feature_names_in_) == list(frame.columns)
    assert list(model.transform(frame).columns) == ["nmf0", "nmf1", "nmf2"]
    with pytest.raises(ValueError, match="feature names"):
        model.partial_fit(frame.rename(columns={"pixel0": "other"}))


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("form", [sparse.csr_array, np.asarray])
def test_a_block_without_any_entry_changes_little(loss, form):
    model = NMF(3, loss=loss, random_state=0).partial_fit(X)
    before = model.components_.copy()
    model.partial_fit(form(np.zeros((10, X.shape[1]))))
    assert model.n_samples_seen_ == len(X) + 10
    np.testing.assert_allclose(model.components_, before, atol=0.2 * before.max())
    assert np.isfinite(model.components_).all()


def test_a_file_whose_sums_count_for_nothing_sensible_is_refused():
    model = NMF(3, loss="kullback-leibler", random_state=0).partial_fit(X)
    statistics = model._stream.statistics
    for wrong in ({}, float("nan"), -1.0, None):
        with pytest.raises(ValueError, match="statistics that count for"):
            replace(statistics, weight=wrong).check(X.shape[1], 3)
