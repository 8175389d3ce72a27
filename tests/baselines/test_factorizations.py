"""LNMF, SparseNMF, NPNMF and CNMF: equal to their published updates, and what their objectives do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import KINDS, problem
from tests.reference import baselines as plain

from manifact import NMF
from manifact.backends import as_data
from manifact.baselines import CNMF, LNMF, NPNMF, SparseNMF
from manifact.baselines.cnmf import WithinGroups
from manifact.baselines.lnmf import Activity
from manifact.baselines.npnmf import Reconstruction
from manifact.baselines.reconstruction import reconstruction_weights
from manifact.metrics import sparseness
from manifact.terms import State

ITERATIONS = 50
LABELS = np.where(np.arange(24) % 3 == 0, np.arange(24) % 4, -1)


def iterate(update, U, V):
    for _ in range(ITERATIONS):
        U, V = update(U, V)
    return U, V


def raw(model, V, U, **parameters):
    return model(4, init=(V, U.T), max_iter=ITERATIONS, tol=0, normalize=None, **parameters)


def assert_same(model, X, U, V, y=None):
    mine = model.fit_transform(X, y)
    assert np.linalg.norm(mine - V) <= 1e-9 * np.linalg.norm(V)
    assert np.linalg.norm(model.components_.T - U) <= 1e-9 * np.linalg.norm(U)


def groups(y):
    """A, classes first."""
    known = np.unique(y[y >= 0])
    return np.column_stack([y[:, None] == known, np.eye(len(y))[:, y < 0]]).astype(float)


class TestFiftyIterationsEqualTheTranscription:
    @pytest.mark.parametrize("kind", KINDS)
    def test_lnmf(self, kind):
        X, _, V, U = problem()
        sums = U.sum(axis=0)
        expected = iterate(lambda U, V: plain.lnmf(X, U, V), U / sums, V * sums)
        model = raw(LNMF, V, U)
        assert_same(model, KINDS[kind](X), *expected)
        assert model.objective_[-1] == pytest.approx(plain.lnmf_objective(X, *expected), rel=1e-10)

    def test_lnmf_keeps_zeros(self):
        X, _, V, U = problem()
        V[::3, 0], V[1::3, 1], U[::2, 2] = 0, 0, 0
        sums = U.sum(axis=0)
        expected = iterate(lambda U, V: plain.lnmf(X, U, V), U / sums, V * sums)
        model = raw(LNMF, V, U)
        assert_same(model, X, *expected)
        assert not model.representation_[::3, 0].any()
        assert not model.representation_[1::3, 1].any()

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("solver", ["columns", "projected"])
    @pytest.mark.parametrize(("sparse_U", "sparse_V"), [(0.5, None), (None, 0.4), (0.7, 0.3), (None, None)])
    def test_snmf(self, kind, solver, sparse_U, sparse_V):
        X, _, V, U = problem()
        onto_U, onto_V = plain.snmf_projections(*X.shape, sparse_U, sparse_V)
        norms = np.linalg.norm(V, axis=0)
        start = onto_U(U * norms), onto_V(V / norms)
        expected = iterate(lambda U, V: plain.snmf(X, U, V, sparse_U, sparse_V, solver), *start)
        model = raw(SparseNMF, V, U, sparseness_U=sparse_U, sparseness_V=sparse_V, solver=solver)
        assert_same(model, KINDS[kind](X), *expected)
        U, V = expected
        assert model.objective_[-1] == pytest.approx(np.sum((X - V @ U.T) ** 2), rel=1e-10)

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("lam", [0.0, 0.3, 100.0])
    def test_npnmf(self, kind, lam):
        X, _, V, U = problem()
        S = plain.lle_weights(X, 4, 1e-2)
        M = (np.eye(24) - S).T @ (np.eye(24) - S)
        U, V = iterate(lambda U, V: plain.npnmf(X, U, V, M, lam), U, V)
        model = raw(NPNMF, *problem()[2:], graph_reg=lam, n_neighbors=4, reg=1e-2)
        assert_same(model, KINDS[kind](X), U, V)
        assert model.objective_[-1] == pytest.approx(
            np.sum((X - V @ U.T) ** 2) + lam * np.trace(V.T @ M @ V), rel=1e-10
        )

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("y", [LABELS, np.full(24, -1), np.arange(24) % 3], ids=["some", "none", "all"])
    def test_cnmf(self, kind, y):
        X, _, V, U = problem()
        A = groups(y)
        Z = np.linalg.solve(A.T @ A, A.T @ V)
        U, Z = iterate(lambda U, Z: plain.cnmf(X, U, Z, A), U, Z)
        model = raw(CNMF, *problem()[2:])
        assert_same(model, KINDS[kind](X), U, A @ Z, y)
        error = np.sum((X - A @ Z @ U.T) ** 2)
        assert model.objective_[-1] == pytest.approx(error, rel=1e-10)
        assert model.reconstruction_err_ == pytest.approx(np.sqrt(error), rel=1e-8)


TERMS = {
    "activity": Activity(),
    "reconstruction": Reconstruction(reconstruction_weights(problem()[0], 4, 1e-3), 3.0),
    "within groups": WithinGroups(5.0),
}


class TestTerms:
    @pytest.mark.parametrize("name", TERMS)
    @pytest.mark.parametrize("block", ["U", "V"])
    @pytest.mark.parametrize("kind", ["dense", "csr"])
    @pytest.mark.parametrize("weighted", [False, True])
    def test_gradient_is_that_of_the_value(self, name, block, kind, weighted, rng):
        X, _, V, U = problem()
        s = State(as_data(KINDS[kind](X), np.linspace(0.2, 3, len(X)) if weighted else None), U, V)
        term, parts = TERMS[name], TERMS[name].gradient(s, block)
        direction, step = rng.standard_normal(s[block].shape), 1e-5
        slope = (term.value(s.replace(block, s[block] + step * direction))
                 - term.value(s.replace(block, s[block] - step * direction))) / (2 * step)  # fmt: skip
        if parts is None:
            assert slope == pytest.approx(0, abs=1e-8)
            return
        positive, negative = (np.broadcast_to(part, direction.shape) for part in parts)
        assert (positive >= 0).all()
        assert (negative >= 0).all()
        assert np.sum((positive - negative) * direction) == pytest.approx(slope, rel=1e-6)

    def test_the_halves_of_M_stay_sparse_and_make_it_up(self):
        S = reconstruction_weights(problem(n=200)[0], 4, 1e-3)
        term = Reconstruction(S, 1.0)
        rest = np.eye(200) - S.toarray()
        positive, negative = term.positive.csr, term.negative.csr
        np.testing.assert_allclose((positive - negative).toarray(), rest.T @ rest, atol=1e-12)
        assert positive.nnz + negative.nnz < 0.4 * 200**2
        assert positive.data.min() >= 0
        assert negative.data.min() >= 0


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("n_neighbors", [1, 4, 40])
def test_reconstruction_weights_are_those_of_lle(kind, n_neighbors):
    from sklearn.manifold._locally_linear import barycenter_kneighbors_graph

    X = problem(density=1.0)[0]
    S = reconstruction_weights(KINDS[kind](X), n_neighbors, 1e-3)
    expected = barycenter_kneighbors_graph(X, min(n_neighbors, 23), reg=1e-3).toarray()
    np.testing.assert_allclose(S.toarray(), expected, atol=1e-9)
    np.testing.assert_allclose(S.sum(axis=1), 1)


@st.composite
def problems(draw):
    n, m, k = draw(st.integers(1, 12)), draw(st.integers(1, 9)), draw(st.integers(1, 5))
    X, _, V, U = problem(draw(st.integers(0, 2**31)), n, m, k, draw(st.floats(0.1, 1)))
    return X * 10.0 ** draw(st.integers(-3, 3)), V, U


def never_rises(model, X, y=None, **fit):
    objective = model.fit(X, y, **fit).objective_
    scale = np.abs(objective[:-1]) + 1e-3 * np.sum(X**2) + 1e-300
    return bool((np.diff(objective) <= 1e-10 * scale).all())


class TestNeverRises:
    @given(problems(), st.sampled_from([0.0, 0.01, 1.0, 100.0, 1e4]), st.booleans(), st.booleans())
    def test_npnmf(self, case, lam, sparse_data, weighted):
        X, V, U = case
        gamma = np.random.default_rng(0).random(len(X)) + 0.01 if weighted else None
        model = NPNMF(V.shape[1], graph_reg=lam, n_neighbors=3, init=(V, U.T), max_iter=60, tol=0)
        assert never_rises(model, KINDS["csr" if sparse_data else "dense"](X), sample_weight=gamma)

    @given(problems(), st.booleans(), st.booleans())
    def test_cnmf(self, case, sparse_data, weighted):
        X, V, U = case
        gamma = np.random.default_rng(0).random(len(X)) + 0.01 if weighted else None
        model = CNMF(V.shape[1], init=(V, U.T), max_iter=60, tol=0)
        y = np.arange(len(X)) % 4 - 1
        assert never_rises(model, KINDS["csr" if sparse_data else "dense"](X), y, sample_weight=gamma)

    @given(problems(), st.booleans(), st.booleans())
    def test_lnmf(self, case, sparse_data, weighted):
        X, V, U = case
        gamma = np.random.default_rng(0).random(len(X)) + 0.01 if weighted else None
        model = LNMF(V.shape[1], init=(V, U.T), max_iter=60, tol=0)
        objective = model.fit(KINDS["csr" if sparse_data else "dense"](X), sample_weight=gamma).objective_
        # Divergence and activity are sums of larger numbers that cancel.
        assert (np.diff(objective) <= 1e-10 * (np.abs(objective[:-1]) + X.sum() + len(X))).all()

    @given(
        problems(),
        st.sampled_from([(0.5, None), (None, 0.4), (0.8, 0.6), (0.0, 1.0), (1.0, 0.0)]),
        st.sampled_from(["columns", "projected"]),
        st.booleans(),
    )
    def test_snmf(self, case, wanted, solver, weighted):
        X, V, U = case
        gamma = np.random.default_rng(0).random(len(X)) + 0.01 if weighted else None
        model = SparseNMF(V.shape[1], sparseness_U=wanted[0], sparseness_V=wanted[1], solver=solver,
                          init=(V, U.T), max_iter=60, tol=0)  # fmt: skip
        assert never_rises(model, X, sample_weight=gamma)


class TestLNMF:
    @pytest.mark.parametrize(("alpha", "beta"), [(0.0, 0.0), (0.01, 0.01), (1.0, 0.01), (0.01, 1.0), (1.0, 1.0)])
    def test_the_stated_objective_rises_and_has_no_minimum(self, alpha, beta):
        """From a good fit the rule goes elsewhere: V Uᵀ does not get the scale of X."""
        X = 10 * problem()[0]
        fitted = NMF(4, loss="kullback-leibler", normalize=None, random_state=0).fit(X)
        sums = fitted.components_.sum(axis=1)
        U, V = fitted.components_.T / sums, fitted.representation_ * sums
        before = plain.lnmf_stated_objective(X, U, V, alpha, beta)
        assert plain.lnmf_stated_objective(X, *plain.lnmf(X, U, V), alpha, beta) > before + 100
        assert beta == 0 or plain.lnmf_stated_objective(X, U, 1e4 * V, alpha, beta) < before - 1e4

    def test_weights_scale_the_objective_of_a_row(self):
        X, _, V, U = problem()
        gamma = np.linspace(0, 2, len(X))
        model = raw(LNMF, V, U)
        model.fit(X, sample_weight=np.maximum(gamma, 0.1))
        value = plain.lnmf_objective(X, model.components_.T, model.representation_, np.maximum(gamma, 0.1))
        assert model.objective_[-1] == pytest.approx(value, rel=1e-10)
        model.fit(X, sample_weight=gamma)
        np.testing.assert_allclose(model.representation_[0], model.transform(X[:1])[0])

    def test_columns_sum_to_one_and_squares_to_the_sample(self):
        X = problem()[0]
        model = LNMF(4, normalize=None, max_iter=2000, tol=1e-12, random_state=0).fit(X)
        np.testing.assert_allclose(model.components_.sum(axis=1), 1)
        np.testing.assert_allclose(np.sum(model.representation_**2, axis=1), X.sum(axis=1), rtol=1e-4)

    @pytest.mark.parametrize("kind", ["dense", "csr"])
    def test_transform_solves_the_same_problem(self, kind):
        X = problem()[0]
        model = LNMF(4, max_iter=5000, tol=1e-13, random_state=0)
        V = model.fit_transform(KINDS[kind](X))
        np.testing.assert_allclose(model.transform(KINDS[kind](X)), V, atol=2e-3 * V.max())


class TestSparseNMF:
    def test_the_published_rule_stops_where_papers_do(self):
        X = problem()[0]
        assert SparseNMF(3, solver="projected", tol=0, random_state=0).fit(X).n_iter_ == 100
        assert SparseNMF(3, solver="columns", tol=0, random_state=0).fit(X).n_iter_ == 500

    @pytest.mark.parametrize("solver", ["columns", "projected"])
    @pytest.mark.parametrize("normalize", ["basis", None])
    def test_the_factors_are_as_sparse_as_asked(self, solver, normalize):
        X = problem()[0]
        model = SparseNMF(4, sparseness_U=0.6, sparseness_V=0.3, solver=solver, normalize=normalize, random_state=0)
        V = model.fit_transform(X)
        np.testing.assert_allclose(sparseness(model.components_), 0.6, atol=1e-9)
        np.testing.assert_allclose(sparseness(V.T), 0.3, atol=1e-9)

    def test_columns_in_turn_get_lower_in_fewer_iterations(self):
        X, _, V, U = problem(n=60, m=40)
        settings = {"sparseness_U": 0.6, "sparseness_V": 0.3, "init": (V, U.T), "tol": 0, "max_iter": 20}
        exact = SparseNMF(4, solver="columns", **settings).fit(X)
        assert exact.objective_[-1] < SparseNMF(4, solver="projected", **settings).fit(X).objective_[-1]

    def test_without_constraints_the_published_rule_is_nmf(self):
        X, _, V, U = problem()
        settings = {"init": (V, U.T), "tol": 0, "max_iter": 30}
        free = SparseNMF(4, sparseness_U=None, solver="projected", **settings).fit_transform(X)
        np.testing.assert_allclose(free, NMF(4, solver="mu", **settings).fit_transform(X), rtol=1e-9)


class TestCNMF:
    def test_samples_of_a_label_share_their_row(self):
        V = CNMF(3, random_state=0).fit_transform(problem()[0], LABELS)
        for label in range(4):
            assert np.ptp(V[label == LABELS], axis=0).max() == 0
        assert len(np.unique(V[LABELS == -1].round(12), axis=0)) == (LABELS == -1).sum()

    def test_without_labels_it_is_nmf(self):
        X, _, V, U = problem()
        settings = {"init": (V, U.T), "tol": 0, "max_iter": 30, "normalize": None}
        mine = CNMF(4, **settings).fit(X, np.full(24, -1))
        peer = NMF(4, solver="mu", **settings).fit(X)
        np.testing.assert_allclose(mine.representation_, peer.representation_, rtol=1e-10)
        np.testing.assert_allclose(mine.objective_, peer.objective_, rtol=1e-10)

    @pytest.mark.parametrize(
        "labels", [["a", "b", None, "a"], [0.5, 2.0, np.nan, 0.5], [3, 9, -1, 3]], ids=["words", "floats", "whole"]
    )
    def test_labels_of_any_kind(self, labels):
        y = np.array(labels * 6, dtype=object if isinstance(labels[0], str) else None)
        V = CNMF(3, random_state=0).fit_transform(problem()[0], y)
        np.testing.assert_array_equal(V[0], V[3])
        assert not np.array_equal(V[0], V[1])
        assert not np.array_equal(V[2], V[6])

    def test_weights_are_sample_weights(self):
        """A sample of weight two is two samples."""
        X, _, V, U = problem()
        gamma = np.where(np.arange(24) < 5, 2.0, 1.0)
        twice = np.r_[np.arange(24), np.arange(5)]
        y = np.arange(24) % 6
        one = raw(CNMF, V, U).fit(X, y, sample_weight=gamma)
        other = CNMF(4, init=(one.representation_[twice], one.components_), max_iter=0, normalize=None)
        other.fit(X[twice], y[twice])
        assert one.objective_[-1] == pytest.approx(other.objective_[0], rel=1e-10)

    def test_warm_start_goes_on(self):
        X = problem()[0]
        settings = {"normalize": None, "random_state": 0, "tol": 0}
        warm = CNMF(4, max_iter=10, warm_start=True, **settings).fit(X, LABELS)
        np.testing.assert_allclose(
            warm.fit_transform(X, LABELS), CNMF(4, max_iter=20, **settings).fit_transform(X, LABELS), rtol=1e-9
        )


class TestNPNMF:
    @pytest.mark.parametrize("weighted", [False, True])
    def test_named_starts_have_the_size_of_the_data(self, weighted):
        X = problem()[0]
        gamma = np.linspace(0.5, 2, 24) if weighted else np.ones(24)
        model = NPNMF(4, max_iter=0, normalize=None, random_state=0).fit(X, sample_weight=gamma if weighted else None)
        Y = model.representation_ @ model.components_
        assert np.sum(gamma[:, None] * X * Y) == pytest.approx(np.sum(gamma[:, None] * Y * Y))

    def test_the_penalty_brings_samples_near_their_reconstruction(self):
        X = problem(n=80)[0]
        rest = np.eye(80) - reconstruction_weights(X, 5, 1e-3).toarray()

        def error(lam):
            V = NPNMF(4, graph_reg=lam, random_state=0).fit_transform(X)
            return np.sum((rest @ V) ** 2) / np.sum(V**2)

        assert error(100.0) < 0.5 * error(0.0)


MODELS = {
    "LNMF": LNMF(3),
    "SNMF": SparseNMF(3, sparseness_U=0.5, sparseness_V=0.3),
    "SNMF-projected": SparseNMF(3, solver="projected"),
    "NPNMF": NPNMF(3),
    "CNMF": CNMF(3),
}


@pytest.fixture(params=MODELS)
def model(request):
    from sklearn.base import clone

    return clone(MODELS[request.param]).set_params(random_state=0, max_iter=20)


def labels(n):
    return np.where(np.arange(n) % 3 == 0, np.arange(n) % 2, -1)


@pytest.mark.parametrize("change", [
    lambda X: (X * 100).astype(int), lambda X: X > 0.3, lambda X: X[:, ::2], lambda X: X[:1], lambda X: X[:, :1],
    lambda X: np.zeros_like(X), lambda X: np.where(np.arange(len(X))[:, None] % 3, X, 0),
    lambda X: np.where(np.arange(17) % 3, X, 0), lambda X: X * 1e-30, lambda X: (X * 1e-30).astype(np.float32),
], ids=["int", "bool", "strided", "one sample", "one feature", "all zero", "zero rows", "zero columns",
        "tiny", "tiny float32"])  # fmt: skip
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_unusual_data_work(model, change, kind):
    X = KINDS[kind](change(problem()[0]))
    V = model.fit_transform(X, labels(X.shape[0]))
    assert np.isfinite(V).all()
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.transform(X)).all()


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_single_precision_agrees(model, kind):
    X, _, V0, U0 = problem(k=3)
    model.set_params(init=(V0, U0.T))
    expected = model.fit_transform(X, labels(24))
    V = model.fit_transform(KINDS[kind](X.astype(np.float32)), labels(24))
    assert V.dtype == model.components_.dtype == np.float32
    np.testing.assert_allclose(V, expected, rtol=5e-3, atol=1e-3)


def test_a_killed_run_continues_with_the_same_numbers(model, tmp_path):
    X, path = problem()[0], tmp_path / "run.safetensors"
    model.set_params(max_iter=30, tol=0)
    whole = model.fit_transform(X, labels(24))
    objective = model.objective_
    model.set_params(max_iter=17).fit(X, labels(24), checkpoint=path, every=5)
    V = model.set_params(max_iter=30).fit_transform(X, labels(24), checkpoint=path, every=5)
    np.testing.assert_allclose(V, whole, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-12)


@pytest.mark.parametrize("assign", ["kmeans", "argmax"])
def test_clusters_are_those_of_the_samples(model, assign):
    X = problem()[0]
    assert model.set_params(assign=assign).fit(X, labels(24)).labels_.shape == (24,)
    assert model.predict(X[:5]).shape == (5,)
