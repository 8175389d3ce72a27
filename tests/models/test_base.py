"""What every factorisation does: attributes, new samples, checkpoints, interrupts."""

from copy import deepcopy

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.base import clone
from tests.conftest import KINDS, problem

from manifact import CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.baselines import SparseNMF
from manifact.graphs import KNNGraph, LabelGraph

MODELS = {
    "NMF": NMF(3),
    "NMF-KL": NMF(3, loss="kullback-leibler"),
    "GNMF": GNMF(3),
    "GNMF-KL": GNMF(3, loss="kullback-leibler"),
    "LPNMF": LPNMF(3),
    "GNMF-bcd": GNMF(3, solver="bcd"),
    "LPNMF-newton": LPNMF(3, solver="newton"),
    "GNMF, random": GNMF(3, init="random", graph_reg=100.0),
    "LPNMF, random": LPNMF(3, init="random", graph_reg=100.0),
}


@pytest.fixture(params=MODELS)
def model(request):
    from sklearn.base import clone

    return clone(MODELS[request.param]).set_params(random_state=0)


def test_fitted_attributes(model):
    X = problem()[0]
    V = model.fit_transform(X)
    U = model.components_.T
    assert model.objective_.shape == (model.n_iter_ + 1,)
    untold = "mu" if hasattr(model, "graph") else "bcd" if model._loss.name == "frobenius" else "newton"
    assert model.solver_ == (untold if model.solver == "auto" else model.solver)
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)
    assert (np.diff(V.sum(axis=0)) <= 0).all()
    np.testing.assert_array_equal(model.representation_, V)
    np.testing.assert_allclose(model.inverse_transform(V), V @ U.T)
    Y = V @ U.T
    if model._loss.name == "frobenius":
        assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - Y))
    else:
        divergence = np.sum(X * np.log(np.where(X > 0, X / Y, 1)) - X + Y)
        assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * divergence))
    if hasattr(model, "graph"):
        W = model.graph_.W.toarray()
        D = np.diag(W.sum(axis=1))
        assert model.smoothness_ == pytest.approx(np.trace(V.T @ (D - W) @ V) / np.trace(V.T @ D @ V))


def test_defaults_of_iterations_and_tolerance():
    X = problem()[0]
    for model, few in ((GNMF, 5), (LPNMF, 2)):
        assert model(3).fit(X).n_iter_ == model(3, solver="mu").fit(X).n_iter_ == few
        assert model(3, init="random").fit(X).n_iter_ == model(3, init="kmeans").fit(X).n_iter_ == 100
        exact = model(3, solver="newton" if model is LPNMF else "bcd", tol=0).fit(X)
        assert exact.n_iter_ == model(3, graph_reg=0, tol=0).fit(X).n_iter_ == 500
    assert SPNMF(3, tol=0).fit(X).n_iter_ == 15
    assert LCCF(3).fit(X).n_iter_ == 5
    assert LCCF(3, init="random").fit(X).n_iter_ == 100
    assert CF(3, tol=0).fit(X).n_iter_ == LCF(3, tol=0).fit(X).n_iter_ == 500
    assert NMF(3, max_iter=5000, random_state=0).fit(X).converged_
    assert GNMF(3, solver="bcd", tol=1e-2, max_iter=1000, random_state=0).fit(X).converged_
    assert NMF(3, max_iter=0).fit(X).objective_.shape == (1,)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_kinds_and_types_agree(model, kind, dtype):
    X, _, V0, U0 = problem(k=3)
    expected = model.set_params(init=(V0, U0.T), max_iter=20).fit_transform(X)
    V = model.fit_transform(KINDS[kind](X.astype(dtype)))
    assert V.dtype == model.components_.dtype == dtype
    np.testing.assert_allclose(
        V, expected, rtol=1e-10 if dtype == np.float64 else 5e-3, atol=0 if dtype == np.float64 else 1e-4
    )
    assert model.transform(KINDS[kind](X.astype(dtype))).dtype == dtype


@pytest.mark.filterwarnings("ignore:.*parts had become empty:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("change", [
    lambda X: (X * 100).astype(int), lambda X: X > 0.3, lambda X: np.asfortranarray(X),
    lambda X: X[:, ::2], lambda X: X[:1], lambda X: X[:, :1], lambda X: np.zeros_like(X),
    lambda X: np.where(np.arange(len(X))[:, None] % 3, X, 0), lambda X: np.where(np.arange(17) % 3, X, 0),
    lambda X: X * 1e-30, lambda X: X * 1e30, lambda X: (X * 1e-30).astype(np.float32),
], ids=["int", "bool", "fortran", "strided", "one sample", "one feature", "all zero", "zero rows", "zero columns",
        "tiny", "huge", "tiny float32"])  # fmt: skip
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_unusual_data_work(model, change, kind):
    X = change(problem()[0])
    V = model.set_params(max_iter=20).fit_transform(KINDS[kind](X))
    assert np.isfinite(V).all()
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.transform(KINDS[kind](X))).all()
    if X.any() and X.max() < 1e-20:
        Y = V.astype(float) @ model.components_.astype(float)
        assert np.linalg.norm(X - Y) < 0.9 * np.linalg.norm(X.astype(float))


def test_read_only_memory_maps_work(model, tmp_path):
    X = problem()[0]
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    np.testing.assert_array_equal(model.fit_transform(mapped), model.fit_transform(X))
    frozen = sparse.csr_array(X)
    for part in (frozen.data, frozen.indices, frozen.indptr):
        part.flags.writeable = False
    np.testing.assert_array_equal(model.fit_transform(frozen), model.fit_transform(sparse.csr_array(X)))


def test_int64_and_unsorted_sparse_matrices_work(model):
    X = sparse.csr_array(problem()[0])
    expected = model.fit_transform(X)
    wide = X.copy()
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    np.testing.assert_array_equal(model.fit_transform(wide), expected)
    for j in range(X.shape[0]):
        row = slice(wide.indptr[j], wide.indptr[j + 1])
        wide.indices[row], wide.data[row] = wide.indices[row][::-1].copy(), wide.data[row][::-1].copy()
    wide.has_sorted_indices = False
    np.testing.assert_array_equal(model.fit_transform(wide), expected)


class TestTransform:
    @pytest.mark.parametrize("kind", ["dense", "csr"])
    def test_is_the_minimum_for_each_sample(self, model, kind):
        X = problem()[0]
        model.fit(X)
        V = model.transform(KINDS[kind](X[:4]), tie=False)
        U = model.components_.T

        def loss(v, x):
            y = U @ v
            if model._loss.name == "frobenius":
                return np.sum((x - y) ** 2)
            return np.sum(y) - np.sum(x[x > 0] * np.log(np.maximum(y[x > 0], 1e-300)))

        for v, x in zip(V, X, strict=False):
            best = minimize(loss, v + 0.01, args=(x,), bounds=[(0, None)] * 3, tol=1e-12)
            assert loss(v, x) <= best.fun + 1e-7 * abs(best.fun)

    @pytest.mark.parametrize("kind", ["dense", "csr"])
    def test_tied_samples_are_held_near_their_training_neighbours(self, kind):
        X = problem(n=40)[0]
        new = X[:6] * np.random.default_rng(0).uniform(0.5, 1.5, X[:6].shape)
        for model in (GNMF(3, random_state=0, graph_reg=1.0), LPNMF(3, random_state=0, graph_reg=1.0)):
            model.fit(KINDS[kind](X))
            pull, degrees = model.graph_.tie(new, model.representation_)
            target = pull / degrees[:, None]
            free, tied = model.transform(KINDS[kind](new), tie=False), model.transform(KINDS[kind](new))
            assert np.linalg.norm(tied - target) < 0.8 * np.linalg.norm(free - target)
            np.testing.assert_allclose(tied[:1], model.transform(KINDS[kind](new[:1])), rtol=1e-6)
            strong = model.set_params(graph_reg=1e8).transform(KINDS[kind](new))
            np.testing.assert_allclose(strong, target, rtol=1e-3, atol=1e-6)

    def test_tied_frobenius_is_the_minimum(self):
        X = problem(n=40)[0]
        model = GNMF(3, random_state=0, graph_reg=2.0, normalize=None).fit(X)
        x = X[:1] + 0.1
        ties = model.graph_.tie(x, np.eye(40))[0][0]
        U, train = model.components_.T, model.representation_

        def objective(v):
            return np.sum((x[0] - U @ v) ** 2) + 2.0 * ties @ np.sum((v - train) ** 2, axis=1)

        best = minimize(objective, np.ones(3), bounds=[(0, None)] * 3, tol=1e-12)
        np.testing.assert_allclose(model.transform(x)[0], best.x, atol=1e-5)

    @pytest.mark.parametrize("parameters", [{}, {"alpha_V": 0.01, "l1_ratio": 0.5}])
    def test_does_not_depend_on_how_the_basis_is_normalised(self, model, parameters):
        X, _, V, U = problem(k=3)
        model.set_params(init=(V, U.T), max_iter=30, **parameters)
        products = []
        for how in ("basis", None):
            model.set_params(normalize=how).fit(X)
            products.append(model.transform(X) @ model.components_)
        np.testing.assert_allclose(*products, rtol=1e-5, atol=1e-7)

    def test_what_cannot_be_tied_says_so(self):
        X, W, _, _ = problem()
        with pytest.raises(ValueError, match="tie=True needs a model with a graph, NMF has none"):
            NMF(3).fit(X).transform(X, tie=True)
        with pytest.raises(ValueError, match="tie=True needs a graph that finds neighbours of new samples"):
            GNMF(3, graph=W).fit(X).transform(X, tie=True)

    def test_score_is_minus_the_loss_per_entry(self, model):
        X = problem()[0]
        model.fit(X)
        Y = model.transform(X, tie=False) @ model.components_
        if model._loss.name == "frobenius":
            expected = -np.mean((X - Y) ** 2)
        else:
            ratio = np.divide(X, Y, out=np.ones_like(Y), where=X > 0)
            expected = -np.mean(X * np.log(ratio) - X + Y)
        assert model.score(X) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("assign", ["kmeans", "argmax", "nearest"])
def test_predictions_for_the_training_samples_are_their_labels(model, assign):
    """A graph model ties samples to their neighbours, as fit did; otherwise these would hardly agree."""
    from manifact.datasets import load_digits, unit_length

    data = load_digits()
    X = unit_length(data.X[data.y < 3])
    labels = model.set_params(assign=assign).fit_predict(X)
    np.testing.assert_array_equal(labels, model.labels_)
    assert np.mean(model.predict(X) == labels) > 0.9
    np.testing.assert_array_equal(model.predict(X[:5]), model.predict(X)[:5])


def test_labels_belong_to_the_last_fit():
    X, other = problem()[0], problem(n=31)[0]
    model = NMF(3, random_state=0).fit(X)
    first = model.labels_
    assert len(model.fit(other).labels_) == 31
    np.testing.assert_array_equal(model.fit(X).labels_, first)
    model.set_params(assign="argmax").fit(X)
    for rule in ("kmeans", "nearest"):
        with pytest.raises(ValueError, match=f"assign='{rule}' was set after fit: fit again to have such clusters"):
            model.set_params(assign=rule).predict(X)
    np.testing.assert_array_equal(model.labels_, model.representation_.argmax(axis=1))


def test_what_fit_transform_returns_is_the_users_own(model):
    X = problem()[0]
    V = model.fit_transform(X)
    kept = V.copy()
    V[:] = -1
    np.testing.assert_array_equal(model.representation_, kept)


@pytest.mark.parametrize("parameter", ["alpha_V", "graph_reg"])
def test_numpy_scalars_do_not_change_the_type(parameter):
    X = problem()[0].astype(np.float32)
    assert GNMF(3).set_params(**{parameter: np.float64(0.5)}).fit_transform(X).dtype == np.float32


def test_rows_of_very_different_scale_all_survive():
    X = problem(density=1.0)[0]
    X[0] *= 1e13
    V = NMF(3, random_state=0, tol=0, max_iter=5).fit_transform(X)
    plain = NMF(3, random_state=0, tol=0, max_iter=5).fit_transform(np.delete(X, 0, axis=0))
    assert np.median(V[1:].sum(axis=1)) > 0.01 * np.median(plain.sum(axis=1))


def test_collinear_bases_are_projected_on_exactly(rng):
    from scipy.optimize import nnls

    components = 1 + 0.1 * rng.random((10, 50))
    X = rng.random((30, 10)) @ components
    model = NMF(10, max_iter=0, init=(np.ones((30, 10)), components), normalize=None).fit(X)
    expected = np.array([nnls(components.T, x)[0] for x in X])
    np.testing.assert_allclose(model.transform(X) @ components, expected @ components, rtol=1e-6)


def test_inverse_transform_of_whole_numbers():
    model, V = NMF(3).fit(problem()[0]), [[1, 0, 0], [0, 2, 0]]
    for given in (V, np.asarray(V)):
        np.testing.assert_array_equal(model.inverse_transform(given)[1], 2 * model.components_[1])


def test_inverse_transform_of_a_data_frame():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    model = NMF(3).fit(problem()[0])
    np.testing.assert_array_equal(
        model.inverse_transform(pandas.DataFrame(model.representation_)), model.representation_ @ model.components_
    )


def test_inverse_transform_takes_the_wider_type():
    X = problem()[0]
    model = NMF(3).fit(X)
    V = model.representation_.astype(np.float32)
    np.testing.assert_array_equal(model.inverse_transform(V), V.astype(np.float64) @ model.components_)
    single = NMF(3).fit(X.astype(np.float32))
    assert single.inverse_transform(V).dtype == np.float32


def test_inverse_transform_refuses_another_width():
    with pytest.raises(ValueError, match=r"V has shape .* but must be n x 3"):
        NMF(3).fit(problem()[0]).inverse_transform(np.ones((2, 4)))


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_pseudo_inverse_is_the_plain_projection(model, kind):
    X = problem()[0]
    model.fit(X)
    expected = X @ np.linalg.pinv(model.components_)
    np.testing.assert_allclose(model.transform(KINDS[kind](X), method="pinv"), expected, atol=1e-10)
    with pytest.raises(ValueError, match="method='lstsq' is not known: choose one of 'nonnegative', 'pinv'"):
        model.transform(X, method="lstsq")
    with pytest.raises(ValueError, match="tie=True goes with method='nonnegative'"):
        model.transform(X, method="pinv", tie=True)


def test_partial_labels_pull_samples_of_a_class_together(rng):
    X = rng.random((60, 20))
    y = np.arange(60) % 2
    known = np.where(rng.random(60) < 0.5, y, -1)
    model = GNMF(2, graph=KNNGraph(3) + LabelGraph(), graph_reg=10.0, random_state=0)
    V = model.fit_transform(X, known)
    inside = [V[known == c] for c in (0, 1)]
    spread = sum(np.linalg.norm(v - v.mean(axis=0)) for v in inside)
    plain = GNMF(2, graph=KNNGraph(3), graph_reg=10.0, random_state=0).fit_transform(X)
    plain_inside = [plain[known == c] for c in (0, 1)]
    plain_spread = sum(np.linalg.norm(v - v.mean(axis=0)) for v in plain_inside)
    assert spread / np.linalg.norm(V) < 0.5 * plain_spread / np.linalg.norm(plain)


class TestInterrupts:
    @pytest.mark.parametrize("n_init", [1, 3])
    def test_ctrl_c_keeps_the_last_iterate(self, monkeypatch, n_init):
        X, W, _, _ = problem()
        import manifact.solvers.multiplicative as mu

        original, calls = mu.multiply, []

        def multiply(s, terms, block):
            calls.append(block)
            if len(calls) == 15:
                raise KeyboardInterrupt
            return original(s, terms, block)

        settings = {"graph": W, "random_state": 0, "tol": 0, "solver": "mu", "init": "random"}
        expected = GNMF(4, max_iter=7, **settings).fit(X)
        monkeypatch.setattr(mu, "multiply", multiply)
        model = GNMF(4, n_init=n_init, assign="kmeans", **settings)
        with pytest.raises(KeyboardInterrupt, match="interrupted after iteration 7: the model holds the last iterate"):
            model.fit(X)
        np.testing.assert_array_equal(model.components_, expected.components_)
        assert not model.converged_
        assert model.transform(X).shape == (24, 4)

    @pytest.mark.parametrize("assign", ["kmeans", "argmax", "nearest"])
    def test_after_ctrl_c_there_are_clusters(self, assign):
        X = problem()[0]

        def interrupt(iteration):
            if iteration.number == 3:
                raise KeyboardInterrupt

        model = GNMF(4, assign=assign, random_state=0)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X, callbacks=interrupt)
        expected = GNMF(4, assign=assign, random_state=0, max_iter=3).fit(X)
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_array_equal(model.predict(X), expected.predict(X))

    @pytest.mark.parametrize("name", ["_store", "_begin_clusters", "_hand_over"])
    def test_an_interrupt_while_the_model_is_put_together_leaves_a_whole_one(self, name, monkeypatch):
        X, done, calls = problem()[0], getattr(NMF, name), []

        def interrupted(self, *arguments):
            calls.append(1)
            if len(calls) == 1:
                raise KeyboardInterrupt
            return done(self, *arguments)

        expected = NMF(3, random_state=0, max_iter=5).fit(X)
        monkeypatch.setattr(NMF, name, interrupted)
        model = NMF(3, random_state=0, max_iter=5)
        with pytest.raises(KeyboardInterrupt, match="interrupted after iteration 5: the model holds the last iterate"):
            model.fit(X)
        np.testing.assert_array_equal(model.representation_, expected.representation_)
        np.testing.assert_array_equal(model.labels_, expected.labels_)


class TestCheckpoints:
    @pytest.mark.parametrize("n_init", [1, 3])
    def test_a_killed_run_continues_with_the_same_numbers(self, model, tmp_path, n_init):
        X = problem()[0]
        path = tmp_path / "run.safetensors"
        model.set_params(n_init=n_init, init_iter=4, max_iter=30, tol=0)
        whole = model.fit_transform(X)
        objective = model.objective_
        model.set_params(max_iter=17).fit(X, checkpoint=path, every=5)
        assert path.exists()
        resumed = model.set_params(max_iter=30)
        V = resumed.fit_transform(X, checkpoint=path, every=5)
        np.testing.assert_allclose(V, whole, rtol=1e-9)
        np.testing.assert_allclose(resumed.objective_, objective, rtol=1e-12)
        assert not list(tmp_path.glob("*.tmp"))
        labels = resumed.fit(X).labels_
        np.testing.assert_array_equal(resumed.fit(X, checkpoint=path).labels_, labels)

    def test_another_run_is_refused_and_nothing_is_lost(self, tmp_path):
        X = problem()[0]
        path = tmp_path / "run.safetensors"
        NMF(3, random_state=0).fit(X, checkpoint=path)
        before = path.read_bytes()
        others = {
            "n_components=3 there and 4 here": NMF(4, random_state=0),
            "random_state=0 there and 1 here": NMF(3, random_state=1),
            "it is one of NMF bcd, and this is GNMF mu": GNMF(3, random_state=0),
            "n_init=1 there and 5 here": NMF(3, random_state=0, n_init=5),
        }
        for difference, other in others.items():
            with pytest.raises(ValueError, match=rf"\({difference}\): delete it or name another file"):
                other.fit(X, checkpoint=path)
        # Columns in another order have the same sums of rows, and the same norm.
        for data in (X + 1, X[:, ::-1], X[::-1]):
            with pytest.raises(ValueError, match=r"\(X is not the same\)"):
                NMF(3, random_state=0).fit(data, checkpoint=path)
        assert path.read_bytes() == before

    @pytest.mark.parametrize("n_init", [1, 3])
    def test_a_run_that_has_ended_has_nothing_left_to_do(self, tmp_path, n_init):
        X, path = problem()[0], tmp_path / "run"
        settings = {"random_state": 0, "tol": 1e-3, "n_init": n_init, "init_iter": 5}
        first = NMF(3, **settings).fit(X, checkpoint=path)
        assert first.converged_
        for _ in range(2):
            content = path.read_bytes()
            again = NMF(3, **settings).fit(X, checkpoint=path)
            assert (again.n_iter_, again.converged_) == (first.n_iter_, True)
            assert path.read_bytes() == content
            np.testing.assert_array_equal(again.representation_, first.representation_)

    def test_starts_that_were_tried_are_not_tried_again(self, tmp_path, monkeypatch):
        X, path = problem()[0], tmp_path / "run"

        def model():
            return NMF(3, random_state=np.random.RandomState(5), n_init=5, init_iter=4, max_iter=12, tol=0)

        whole, begin, begun = model().fit(X), NMF._begin, []

        def killed(self, problem):
            begun.append(1)
            if len(begun) == 4:
                raise KeyboardInterrupt
            return begin(self, problem)

        monkeypatch.setattr(NMF, "_begin", killed)
        with pytest.raises(KeyboardInterrupt):
            model().fit(X, checkpoint=path)
        again = model().fit(X, checkpoint=path)
        assert len(begun) == 4 + 2  # two were left
        np.testing.assert_array_equal(again.representation_, whole.representation_)
        np.testing.assert_array_equal(again.objective_, whole.objective_)
        # The generator has gone on as if nothing had happened.
        np.testing.assert_array_equal(again.labels_, whole.labels_)
        assert again.random_state.randint(10**6) == whole.random_state.randint(10**6)

    def test_too_short_a_trial_leaves_nothing_to_go_on_from(self, tmp_path):
        X, path = problem()[0], tmp_path / "run"
        model = NMF(3, random_state=0, n_init=3, init_iter=6, max_iter=2)
        with pytest.warns(UserWarning, match="is not written: .* less than init_iter=6"):
            model.fit(X, checkpoint=path)
        assert not path.exists()
        whole = model.set_params(max_iter=10).fit(X).objective_
        np.testing.assert_array_equal(model.fit(X, checkpoint=path).objective_, whole)

    def test_a_generator_that_stands_elsewhere_is_another_one(self, tmp_path):
        X, path = problem()[0], tmp_path / "run"
        NMF(3, random_state=np.random.RandomState(1), max_iter=4, tol=0).fit(X, checkpoint=path)
        with pytest.raises(ValueError, match=r"\(random_state is not the same\)"):
            NMF(3, random_state=np.random.RandomState(2), max_iter=8, tol=0).fit(X, checkpoint=path)
        NMF(3, random_state=np.random.RandomState(1), max_iter=8, tol=0).fit(X, checkpoint=path)

    def test_a_fit_that_goes_on_from_other_factors_is_another_one(self, tmp_path):
        X, path = problem()[0], tmp_path / "run"
        one, other = (NMF(3, random_state=seed, max_iter=5, tol=0, warm_start=True).fit(X) for seed in (0, 1))
        twin = deepcopy(one)
        one.set_params(random_state=2).fit(X, checkpoint=path)
        with pytest.raises(ValueError, match="what the last fit ended with is not the same"):
            other.set_params(random_state=2).fit(X, checkpoint=path)
        twin.set_params(random_state=2).fit(X, checkpoint=path)
        np.testing.assert_array_equal(twin.components_, one.components_)

    def test_another_graph_or_other_labels_are_refused(self, tmp_path):
        X, W, _, _ = problem()
        for build, other in (
            (sparse.csr_array(W), sparse.csr_array(np.where(W > 0, 2 * W, 0))),
            (KNNGraph(3), KNNGraph(4)),
        ):
            path = tmp_path / f"{type(build).__name__}.safetensors"
            GNMF(3, graph=build, random_state=0, max_iter=10).fit(X, checkpoint=path)
            with pytest.raises(ValueError, match=r"belongs to another run \(graph(=| is not the same)"):
                GNMF(3, graph=other, random_state=0).fit(X, checkpoint=path)
        path, model = tmp_path / "labels", GNMF(3, graph=LabelGraph(), random_state=0, max_iter=10)
        model.fit(X, y=np.arange(24) % 2, checkpoint=path)
        with pytest.raises(ValueError, match=r"belongs to another run \(y is not the same\)"):
            model.fit(X, y=np.arange(24) % 3, checkpoint=path)

    def test_torn_files_and_missing_folders_are_refused(self, tmp_path):
        X = problem()[0]
        path = tmp_path / "run.safetensors"
        NMF(3, random_state=0).fit(X, checkpoint=path)
        path.write_bytes(path.read_bytes()[:100])
        with pytest.raises(ValueError, match="is torn or not a file of ours"):
            NMF(3, random_state=0).fit(X, checkpoint=path)
        with pytest.raises(ValueError, match="in a folder that does not exist"):
            NMF(3).fit(X, checkpoint=tmp_path / "none" / "run")
        with pytest.raises(ValueError, match="is a folder: name a file in it"):
            NMF(3).fit(X, checkpoint=tmp_path)
        with pytest.raises(TypeError, match="checkpoint=True must be the path of a file"):
            NMF(3).fit(X, checkpoint=True)
        with pytest.raises(ValueError, match="every=0 must be an integer >= 1"):
            NMF(3).fit(X, checkpoint=path, every=0)


def test_verbose_draws_a_bar(capsys):
    GNMF(3, verbose=True, max_iter=5).fit(problem()[0])
    out = capsys.readouterr().err
    assert "GNMF" in out
    assert "5/5" in out
    assert "objective" in out


@pytest.mark.parametrize(
    ("model", "former", "now"),
    [
        (SPNMF(2), "bcd", "simplex"),
        (AffinityNMF(2), "bcd", "affinity"),
        (SparseNMF(2), "bcd", "columns"),
        (SparseNMF(2), "mu", "projected"),
    ],
)
def test_former_names_of_solvers_warn_and_work(model, former, now):
    X = problem()[0]
    expected = clone(model).set_params(solver=now, random_state=0, max_iter=3).fit(X)
    model = clone(model).set_params(solver=former, random_state=0, max_iter=3)
    with pytest.warns(DeprecationWarning, match=f"solver='{former}' of {type(model).__name__} is now called '{now}'"):
        model.fit(X)
    assert model.solver_ == now
    np.testing.assert_array_equal(model.components_, expected.components_)


def test_a_solver_that_a_model_never_had_is_refused():
    with pytest.raises(ValueError, match="solver='newton' cannot minimise SPNMF"):
        SPNMF(2, solver="newton").fit(problem()[0])
