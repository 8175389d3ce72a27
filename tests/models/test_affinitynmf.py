import copy
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs
from tests.conftest import KINDS, problem

import manifact
from manifact import AffinityNMF, load
from manifact.backends import as_data
from manifact.backends.numpy import nonnegative_least_squares
from manifact.baselines import NCut
from manifact.datasets import unit_length
from manifact.graphs import AffinityGraph, KNNGraph, LandmarkGraph, as_builder, graph_choice
from manifact.graphs.affinity_matrix import check_affinity
from manifact.graphs.spectral import angles
from manifact.metrics import accuracy, nmi
from manifact.models.affinitynmf import explained
from manifact.terms import Affinity, Frobenius, OnSecond, TwofoldState, gather

JOINT = Path(__file__).parents[1] / "files" / "joint-format-1.safetensors"

X, Y = load_digits(return_X_y=True)
X = unit_length(X)


@pytest.fixture(scope="module")
def digits():
    return AffinityNMF(10, random_state=0).fit(X)


def test_digits_are_clustered_as_well_as_by_spectral_clustering(digits):
    spectral = NCut(n_clusters=10, rows="unit", random_state=0).fit(X)
    assert nmi(Y, digits.labels_) > nmi(Y, spectral.labels_) - 0.02
    assert digits.converged_
    assert np.linalg.norm(X - digits.representation_ @ digits.components_) == pytest.approx(digits.reconstruction_err_)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_objective_is_what_it_says_and_never_rises(kind, dtype):
    data, W, _, _ = problem(n=30)
    seen = []
    model = AffinityNMF(3, graph=W, max_iter=30, tol=0, random_state=0)
    model.fit(KINDS[kind](data.astype(dtype)), callbacks=lambda iteration: seen.append(iteration.state) and None)
    assert (np.diff(model.objective_) <= 0).all()
    F, V, U = model.embedding_, model.representation_.astype(float), model.components_.T.astype(float)
    A = seen[-1].A.astype(float)
    inside = F.any(axis=1)
    mu = 2.0 * explained_plainly(data, F) / np.sum((F @ F.T) ** 2)
    gap = (F @ F.T - V @ V.T)[np.ix_(inside, inside)]
    value = np.sum((data - V @ U.T) ** 2) + np.sum((data - A @ U.T) ** 2) + mu * np.sum(gap**2)
    assert model.objective_[-1] == pytest.approx(value, rel=1e-4 if dtype == np.float32 else 1e-10)


def explained_plainly(data, F):
    return np.sum((F @ np.linalg.lstsq(F, data, rcond=None)[0]) ** 2)


def test_the_share_that_the_graph_explains(digits):
    F = digits.embedding_
    assert explained(as_data(X), F) == pytest.approx(explained_plainly(X, F))
    assert explained(as_data(sparse.csr_array(X)), F) == pytest.approx(explained_plainly(X, F))


@given(
    seed=st.integers(0, 99),
    tau=st.sampled_from([0.0, 0.01, 1.0, 100.0]),
    init=st.sampled_from(["spectral", "random", "kmeans", "nndsvd"]),
    weighted=st.booleans(),
    alpha=st.sampled_from([0.0, 0.01]),
)
def test_it_never_rises_whatever_the_setting(seed, tau, init, weighted, alpha):
    data, W, _, _ = problem(seed, n=20, m=9, k=3)
    weight = np.linspace(0, 2, 20) if weighted else None
    model = AffinityNMF(
        3, tau=tau, graph=W, init=init, alpha_V=alpha, l1_ratio=0.5, max_iter=12, tol=0, random_state=seed
    )
    model.fit(data, sample_weight=weight)
    assert (np.diff(model.objective_) <= 1e-12 * abs(model.objective_[0])).all()
    assert (model.representation_ >= 0).all()


def test_the_end_is_a_stationary_point():
    data, W, _, _ = problem(n=30)
    model = AffinityNMF(3, graph=W, max_iter=5000, tol=1e-14, random_state=0).fit(data)
    s = TwofoldState(
        as_data(data), np.ascontiguousarray(model.components_.T), model.representation_, model.transform(data)
    )
    terms = [Frobenius(), OnSecond(Frobenius()), Affinity(model.embedding_, model._mu)]
    for block in s.blocks:
        positive, negative = gather(terms, s, block)
        slope, P = positive - negative, s[block]
        assert np.abs(np.minimum(slope, 0)).max() < 1e-3 * np.abs(positive).max()
        assert np.abs(P * slope).max() < 1e-3 * np.abs(P * positive).max()


def test_coefficients_without_the_graph_end_where_transform_finds_them():
    data, W, _, _ = problem(n=30)
    seen = []
    model = AffinityNMF(3, graph=W, alpha_V=0.01, l1_ratio=0.5, max_iter=5000, tol=1e-14, random_state=0)
    model.fit(data, callbacks=lambda iteration: seen.append(iteration.state) and None)
    np.testing.assert_allclose(seen[-1].A, model.transform(data), rtol=1e-3, atol=1e-3)


def test_parts_rebuild_the_data_better_than_the_centres_of_k_means(digits):
    centres = KMeans(10, n_init=5, random_state=0).fit(X).cluster_centers_
    coefficients = nonnegative_least_squares(centres @ centres.T, X @ centres.T)
    free = np.linalg.norm(X - digits.transform(X, tie=False) @ digits.components_)
    assert free < 0.96 * np.linalg.norm(X - coefficients @ centres)


def test_without_the_graph_the_data_count_once():
    data, W, _, _ = problem(k=3)
    alone = AffinityNMF(3, tau=0, graph=W, max_iter=200, tol=0, random_state=0).fit(data)
    assert alone.objective_[-1] == pytest.approx(alone.reconstruction_err_**2)
    assert np.linalg.norm(data - alone.transform(data) @ alone.components_) == pytest.approx(
        alone.reconstruction_err_, rel=1e-3
    )


def test_a_run_from_a_checkpoint_is_the_run_itself(tmp_path):
    data, W, _, _ = problem(n=30)
    settings = {"graph": W, "tol": 0, "random_state": 0}
    whole = AffinityNMF(3, max_iter=20, **settings).fit(data)
    AffinityNMF(3, max_iter=8, **settings).fit(data, checkpoint=tmp_path / "c")
    rest = AffinityNMF(3, max_iter=20, **settings).fit(data, checkpoint=tmp_path / "c")
    np.testing.assert_array_equal(rest.objective_, whole.objective_)
    np.testing.assert_array_equal(rest.representation_, whole.representation_)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_the_scale_of_the_data_does_not_matter(digits, scale):
    other = AffinityNMF(10, random_state=0).fit(X * scale)
    assert accuracy(digits.labels_, other.labels_) > 0.999
    np.testing.assert_allclose(other.objective_, digits.objective_ * scale**2, rtol=1e-6)


def test_running_longer_changes_nothing_that_matters(digits):
    longer = AffinityNMF(10, random_state=0, tol=1e-8, max_iter=10 * digits.n_iter_).fit(X)
    assert abs(nmi(Y, longer.labels_) - nmi(Y, digits.labels_)) < 0.005


def test_new_samples_follow_their_neighbours():
    held = np.arange(len(X)) % 5 == 0
    model = AffinityNMF(10, random_state=0).fit(X[~held])
    assert nmi(Y[held], model.predict(X[held])) > nmi(Y[~held], model.labels_) - 0.05
    agreement = accuracy(model.labels_, model.predict(X[~held]))
    assert agreement > 0.98
    assert model.transform(X[held]).shape == (held.sum(), 10)
    assert (model.transform(X[held]) >= 0).all()


def test_the_basis_of_a_free_projection_rebuilds_better_than_the_fit(digits):
    free = np.linalg.norm(X - digits.transform(X, tie=False) @ digits.components_)
    assert free <= digits.reconstruction_err_


def test_samples_without_neighbours_are_rebuilt_all_the_same():
    data, W, _, _ = problem(n=24)
    W = W.copy()
    W[:3] = W[:, :3] = 0
    model = AffinityNMF(4, graph=W, random_state=0).fit(data)
    assert not model.embedding_[:3].any()
    assert (model.representation_[:3].sum(axis=1) > 0).all()


def test_samples_that_nothing_holds_get_what_transform_gives():
    data, W, _, _ = problem(n=24)
    W = W.copy()
    W[:3] = W[:, :3] = 0
    weight = np.ones(24)
    weight[[0, 10]] = 0
    model = AffinityNMF(4, graph=W, random_state=0).fit(data, sample_weight=weight)
    np.testing.assert_allclose(model.representation_[0], model.transform(data[:1])[0])
    assert not np.allclose(model.representation_[10], model.transform(data[[10]])[0])


def test_landmarks_take_the_place_of_a_graph_of_all_samples():
    model = AffinityNMF(10, graph=LandmarkGraph(n_landmarks=300), random_state=0).fit(X)
    assert nmi(Y, model.labels_) > 0.7
    assert accuracy(model.labels_, model.predict(X)) > 0.95


def test_neighbours_from_another_matrix():
    E = np.eye(2)[np.arange(60) % 2] + 0.01 * np.random.default_rng(0).random((60, 2))
    data = np.random.default_rng(1).random((60, 5))
    model = AffinityNMF(2, tau=100, graph=KNNGraph(4).build(E), random_state=0).fit(data)
    assert accuracy(np.arange(60) % 2, model.labels_) == 1
    assert accuracy(model.labels_, model.predict(data, graph_X=E)) == 1
    with pytest.raises(ValueError, match="built on samples of 2 features"):
        model.predict(data)


def test_a_graph_knows_its_angles_once():
    graph = AffinityGraph(check_affinity(problem(n=40)[1]))
    first, again = angles(graph, 3), angles(graph, 3)
    assert first[0] is again[0]
    lengths = np.linalg.norm(first[0], axis=1)
    np.testing.assert_allclose(lengths[graph.degrees > 0], 1)


def test_angles_of_the_samples_themselves_come_back():
    """A sample that has the affinities of a known one gets its direction."""
    graph = KNNGraph(6).build(X[:300])
    F, H, c = angles(graph, 5)
    again = graph.W @ H + c
    again /= np.linalg.norm(again, axis=1, keepdims=True)
    assert np.abs(np.einsum("ij,ij->i", F, again)).min() > 0.999


def test_it_is_saved_and_loaded(digits, tmp_path):
    digits.save(tmp_path / "m")
    again = manifact.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(X[:50]), digits.predict(X[:50]))


def test_a_file_from_when_it_was_called_joint_loads():
    """Written once, by the last version that called it JointNMF: it must load for ever."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = manifact.load(JOINT)
    kinds = np.arange(40) % 3
    data = 0.4 * np.random.default_rng(0).random((40, 8))
    data[np.arange(40), 2 * kinds] += 1
    assert type(model) is AffinityNMF
    np.testing.assert_array_equal(model.labels_, kinds)
    np.testing.assert_array_equal(model.predict(data), model.labels_)
    assert model.objective_[-1] == pytest.approx(7.306749704034049, rel=1e-12)
    np.testing.assert_allclose(model.transform(data, tie=False)[0], [0.9905496, 0.0, 0.07818722], atol=1e-8)
    # The graph's eigenvectors are others now; what they say is the same.
    again = clone(model).set_params(graph=KNNGraph()).fit(data)
    assert accuracy(kinds, again.labels_) == 1


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"tau": -1.0}, "tau=-1 must be a finite number >= 0"),
        ({"solver": "mu"}, "solver='mu' cannot minimise AffinityNMF"),
        ({"n_components": 50}, "init='spectral' needs n_samples >= n_components, got 24 < 50"),
    ],
)
def test_bad_settings_are_refused(parameters, sentence):
    data, W, _, _ = problem()
    with pytest.raises(ValueError, match=sentence):
        AffinityNMF(**({"graph": W} | parameters)).fit(data)


class TestAuto:
    BLOBS, OF = make_blobs(300, n_features=20, centers=6, random_state=0)
    BLOBS = BLOBS - BLOBS.min()

    def test_the_number_of_parts_is_found(self):
        model = AffinityNMF("auto", random_state=0).fit(self.BLOBS)
        assert model.n_components_ == 6 == model.components_.shape[0]
        assert model.n_components == "auto"
        assert nmi(self.OF, model.labels_) == pytest.approx(1)
        assert model.selection_.best == {
            "n_components": 6, "features": "all features", "n_neighbors": 5, "tau": 2.0
        }  # fmt: skip
        assert model.graph_.candidates_ == model.selection_.candidates

    def test_it_is_what_select_gives(self):
        chosen = manifact.select(self.BLOBS, random_state=0).model().fit(self.BLOBS)
        model = AffinityNMF("auto", tau="auto", n_neighbors="auto", random_state=0).fit(self.BLOBS)
        np.testing.assert_array_equal(model.labels_, chosen.labels_)
        assert model.tau_ == 2.0

    def test_neighbours_of_all_samples_are_looked_for_once(self, monkeypatch):
        X, _ = make_blobs(graph_choice.WHOLE + 100, n_features=20, centers=6, random_state=0)
        sizes = []
        search = KNNGraph.build
        monkeypatch.setattr(KNNGraph, "build", lambda self, X, y=None: sizes.append(len(X)) or search(self, X, y))
        AffinityNMF("auto", n_neighbors="auto", random_state=0).fit(X - X.min())
        assert sizes.count(len(X)) == 1

    def test_a_fit_that_fails_leaves_no_graph_behind(self):
        model = AffinityNMF("auto", n_neighbors="auto")
        with pytest.raises(ValueError, match="sample_weight"):
            model.fit(self.BLOBS, sample_weight=-np.ones(len(self.BLOBS)))
        assert "_built_by" not in vars(model)

    def test_a_checkpoint_of_another_choice_is_refused(self, tmp_path, monkeypatch):
        settings = {"n_components": "auto", "max_iter": 3, "tol": 0, "random_state": 0}
        AffinityNMF(**settings).fit(self.BLOBS, checkpoint=tmp_path / "c")
        monkeypatch.setattr(graph_choice, "best_count", lambda sizes, evidence: 5)
        with pytest.raises(ValueError, match=r"belongs to another run \(number of parts=\d+ there and 5 here\)"):
            AffinityNMF(**settings).fit(self.BLOBS, checkpoint=tmp_path / "c")

    def test_a_choice_is_saved_and_forgotten_when_it_is_no_more(self, tmp_path):
        model = AffinityNMF("auto", random_state=0).fit(self.BLOBS)
        model.save(tmp_path / "m")
        again = manifact.load(tmp_path / "m")
        assert again.selection_.candidates == model.selection_.candidates
        np.testing.assert_array_equal(again.predict(self.BLOBS), model.predict(self.BLOBS))
        again.set_params(n_components=4, graph=KNNGraph()).fit(self.BLOBS)
        assert not hasattr(again, "selection_")
        assert again.n_components_ == 4

    def test_neighbours_are_those_asked_for(self):
        model = AffinityNMF(6, n_neighbors=9, random_state=0).fit(self.BLOBS)
        assert {row["n_neighbors"] for row in model.graph_.candidates_} == {9}
        expected = AffinityNMF(6, graph=KNNGraph(9, weight="local"), random_state=0).fit(self.BLOBS)
        assert (model.graph_.W != expected.graph_.W).nnz == 0

    @pytest.mark.parametrize("name", ["n_components", "tau", "n_neighbors"])
    def test_other_words_are_refused(self, name):
        with pytest.raises(ValueError, match=f"{name}='best' is not known: give a (whole )?number or 'auto'"):
            AffinityNMF(**{name: "best"}).fit(self.BLOBS)


@pytest.mark.parametrize("weight", [1e-3, 1e3])
def test_equal_weights_change_nothing(digits, weight):
    weighted = AffinityNMF(10, random_state=0).fit(X, sample_weight=np.full(len(X), weight))
    assert accuracy(digits.labels_, weighted.labels_) > 0.999
    np.testing.assert_allclose(weighted.objective_, weight * digits.objective_, rtol=1e-6)


def test_auto_is_the_start_from_clusters():
    X, W, *_ = problem(0)
    spectral, auto = (AffinityNMF(3, graph=W, init=init, random_state=0).fit(X) for init in ("spectral", "auto"))
    np.testing.assert_array_equal(spectral.objective_, auto.objective_)


def test_directions_belong_to_the_samples_and_the_graph():
    """One graph and two matrices: what was found for the first is not taken for the second."""
    rng = np.random.default_rng(0)
    W = sparse.block_diag([np.ones((30, 30)) - np.eye(30), *[np.ones((2, 2)) - np.eye(2)] * 3], format="csr")
    A, B = (np.kron(np.eye(3), np.ones((12, 4)))[rng.permutation(36)] + 0.1 * rng.random((36, 12)) for _ in range(2))
    shared, own = as_builder(W).build(A), as_builder(W).build(B)
    AffinityNMF(3, graph=shared, random_state=0).fit(A)
    after, alone = (AffinityNMF(3, graph=graph, random_state=0).fit(B) for graph in (shared, own))
    np.testing.assert_array_equal(after.embedding_, alone.embedding_)


def test_samples_without_entries_are_fitted_and_kept(tmp_path):
    model = AffinityNMF(3).fit(np.zeros((20, 5)))
    assert (model.labels_ == -1).all()
    model.save(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(load(tmp_path / "model.safetensors").labels_, model.labels_)


def test_labels_are_those_of_the_fit_whatever_is_set_afterwards(digits):
    expected = digits.labels_.copy()
    model = copy.deepcopy(digits)
    model._clusters = type(model._clusters)(model._clusters.rule, model._clusters.seed, model._clusters.lost)
    model.set_params(assign="nearest")
    np.testing.assert_array_equal(model.labels_, expected)
    with pytest.raises(ValueError, match="was set after fit"):
        model.predict(X[:5])
