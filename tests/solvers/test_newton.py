"""`newton`: the divergence with a basis on the simplex."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import KINDS, first_at, problem
from tests.reference import updates as plain
from tests.solvers.test_multiplicative import problems
from tests.terms.cases import graph, state

from manifact import ALPNMF, GNMF, LPNMF, NMF
from manifact.backends import threads
from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph, SumOfGraphs
from manifact.solvers import newton
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.solvers.newton import column_values, improved
from manifact.terms import ElasticNet, EntropicSmoothness, KullbackLeibler, LogBound

LABELS = np.arange(24) % 4


@given(problems(), st.booleans(), st.booleans(), st.sampled_from([0.0, 0.3]))
def test_never_rises(case, sparse_data, weighted, alpha):
    X, W, V, U, lam = case
    gamma = np.random.default_rng(0).random(len(X)) + 0.01 if weighted else None
    for alpha_U in (0.0, alpha):
        penalties = {"alpha_V": alpha, "alpha_U": alpha_U, "l1_ratio": 0.5}
        settings = {"graph": W, "init": (V, U.T), "solver": "newton", "max_iter": 30, "tol": 0}
        model = LPNMF(V.shape[1], graph_reg=lam, **settings, **penalties)
        model.fit(KINDS["csr" if sparse_data else "dense"](X), sample_weight=gamma)
        o = model.objective_
        assert model.solver_ == "newton"
        assert (np.diff(o) <= 1e-10 * np.abs(o[:-1]) + 1e-12 * X.sum()).all()


@pytest.mark.parametrize("graph", [
    KNNGraph(3), LandmarkGraph(n_landmarks=8), LabelGraph(), KNNGraph(3) + 0.5 * LabelGraph(),
])  # fmt: skip
@pytest.mark.parametrize("lam", [0.05, 5.0])
def test_every_graph_descends_to_a_minimum(graph, lam):
    X = problem(density=1.0)[0] + 0.01
    settings = {"solver": "newton", "init": "random", "max_iter": 2000, "tol": 0, "normalize": None}
    model = LPNMF(3, graph=graph, graph_reg=lam, random_state=0, **settings).fit(X, LABELS)
    assert (np.diff(model.objective_) <= 1e-10 * model.objective_[:-1]).all()
    U, V, graph = model.components_.T, model.representation_, model.graph_
    np.testing.assert_allclose(U.sum(axis=0), 1)
    slope_V = 1 - (X / (V @ U.T)) @ U
    slope_V += lam * (graph.laplacian(np.log(V)) + graph.degrees[:, None] - graph.adjacency(V) / V)
    assert np.abs(slope_V * V).max() < 1e-3 * V.max()
    # On the simplex all entries that are not 0 have the same derivative.
    slope_U = (X / (V @ U.T)).T @ V / V.sum(axis=0)
    level = np.sum(slope_U * U, axis=0)
    assert np.abs((slope_U - level) * U).max() < 1e-3 * level.max()


def test_objective_is_that_of_the_simplex_basis():
    X, W, V, U = problem()
    settings = {"solver": "newton", "init": (V, U.T), "max_iter": 15, "tol": 0, "normalize": None}
    model = LPNMF(4, graph=W, graph_reg=3.0, **settings).fit(X)
    sums = U.sum(axis=0)
    assert model.objective_[0] == pytest.approx(plain.objective_kl(X, U / sums, V * sums, W, 3.0))
    last = plain.objective_kl(X, model.components_.T, model.representation_, W, 3.0)
    assert model.objective_[-1] == pytest.approx(last)


def test_the_step_lowers_its_bound_and_the_bound_touches_the_objective(rng):
    X, W, V, U = problem(density=1.0)
    U = U / U.sum(axis=0)
    graph = KNNGraph(3).build(X)
    bound = LogBound(np.ones((1, 4)), V * ((X / (V @ U.T)) @ U), 0.0, graph, 2.0)
    W = graph.W.toarray()
    gap = column_values(bound, V).sum() - plain.objective_kl(X, U, V, W, 2.0)
    for _ in range(20):
        other = V * rng.uniform(0.5, 2, V.shape)
        assert column_values(bound, other).sum() - gap >= plain.objective_kl(X, U, other, W, 2.0) - 1e-9
    better = improved(bound, V)
    assert (column_values(bound, better) < column_values(bound, V)).all()
    for _ in range(50):
        better = improved(bound, better)
    for _ in range(20):
        around = better * rng.uniform(0.99, 1.01, V.shape)
        assert (column_values(bound, around) >= column_values(bound, better) - 1e-9).all()


def test_it_ends_below_the_published_rule_on_the_same_function():
    X, W, V, U = problem(seed=2, n=40, m=30, density=0.3)
    settings = {"graph": W, "graph_reg": 1.0, "init": (V, U.T), "tol": 0, "max_iter": 300, "normalize": None}
    published, exact = LPNMF(4, solver="mu", **settings).fit(X), LPNMF(4, solver="newton", **settings).fit(X)
    sums = published.components_.sum(axis=1)
    there = plain.objective_kl(X, published.components_.T / sums, published.representation_ * sums, W, 1.0)
    assert exact.objective_[-1] < there


def test_the_first_step_from_clusters_ends_below_the_published_rule(rng):
    """Clusters are far from smooth: the step goes to V as the graph holds it, and no farther."""
    centres = rng.random((5, 30)) ** 3
    labels = np.repeat(np.arange(5), 24)
    X = rng.poisson(20 * centres[labels]).astype(float)
    V, graph = 0.01 + np.eye(5)[labels], KNNGraph(5)
    settings = {"graph": graph, "graph_reg": 20.0, "init": (V, centres), "tol": 0, "normalize": None}
    first = LPNMF(5, solver="newton", max_iter=1, **settings).fit(X)
    lowest, W = np.inf, first.graph_.W.toarray()
    for iterations in (1, 2, 5):
        rule = LPNMF(5, solver="mu", max_iter=iterations, **settings).fit(X)
        sums = rule.components_.sum(axis=1)
        there = plain.objective_kl(X, rule.components_.T / sums, rule.representation_ * sums, W, 20.0)
        lowest = min(lowest, there)
    assert first.objective_[-1] < lowest


def test_without_a_graph_a_plain_step_is_the_multiplicative_one(monkeypatch):
    monkeypatch.setattr(newton, "FIRST", 0.0)
    monkeypatch.setattr(newton, "LEAST", 0.0)
    X, _, V, U = problem()
    settings = {"loss": "kullback-leibler", "init": (V, U.T), "max_iter": 12, "tol": 0}
    mine, peer = NMF(4, solver="newton", **settings), NMF(4, solver="mu", **settings)
    # The first step also finds the size of V; after it both are at the same products.
    np.testing.assert_allclose(mine.fit_transform(X) @ mine.components_, peer.fit_transform(X) @ peer.components_,
                               rtol=1e-8)  # fmt: skip


def test_without_a_graph_the_end_is_stationary():
    """Over-relaxed steps must not push entries to 0, from where none returns."""
    X = problem(n=60, m=40, density=0.5)[0]
    model = NMF(4, loss="kullback-leibler", random_state=0, tol=0, max_iter=5000, normalize=None).fit(X)
    U, V = model.components_.T, model.representation_
    ratio = X / np.maximum(V @ U.T, 1e-300)
    for P, slope in ((V, U.sum(axis=0) - ratio @ U), (U, V.sum(axis=0) - ratio.T @ V)):
        relative = slope / np.abs(slope).max()
        assert np.abs(relative * P).max() < 1e-3 * P.max()
        assert relative.min() > -1e-2


def test_single_precision_does_not_rise(rng):
    V, U = rng.random((200, 3)), rng.random((50, 3))
    X = (V @ U.T).astype(np.float32)
    for model in (NMF(3, loss="kullback-leibler"), LPNMF(3, solver="newton", graph_reg=0.1, graph=KNNGraph(3))):
        o = model.set_params(random_state=0, tol=0, max_iter=300).fit(X).objective_
        assert (np.diff(o) <= 0).all()


def test_samples_that_nothing_ties_or_explains(rng):
    X = problem()[0]
    X[:3] = 0
    model = LPNMF(3, solver="newton", init="random", graph=np.zeros((24, 24)), random_state=0).fit(X)
    assert np.isfinite(model.representation_).all()
    assert model.representation_[:3].max() < 1e-6 * model.representation_.max()


def test_overrelaxation_needs_fewer_iterations(monkeypatch, rng):
    X = rng.poisson(20 * rng.dirichlet(np.ones(5), 150) @ rng.dirichlet(0.1 * np.ones(60), 5)).astype(float)
    settings = {"loss": "kullback-leibler", "random_state": 0, "tol": 0, "max_iter": 200}
    quick = NMF(5, **settings).fit(X).objective_
    monkeypatch.setattr(newton, "FIRST", 0.0)
    monkeypatch.setattr(newton, "LEAST", 0.0)
    slow = NMF(5, **settings).fit(X).objective_
    assert first_at(quick, slow[-1]) < 130


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    X, W, V, U = problem(n=150)
    found = []
    for count in (1, 2, 5):
        with threads.limit(count):
            found.append(
                LPNMF(4, solver="newton", graph=W, init=(V, U.T), max_iter=15, tol=0).fit_transform(KINDS["csr"](X))
            )
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_models_with_the_divergence_use_it():
    X = problem()[0]
    divergence = {"loss": "kullback-leibler"}
    for model in (NMF(2, **divergence), GNMF(2, graph_reg=0, **divergence), LPNMF(2, graph_reg=0)):
        assert model.fit(X).solver_ == "newton"
    for model in (GNMF(2, **divergence), LPNMF(2), ALPNMF(2)):
        assert model.fit(X).solver_ == "mu"
        assert model.set_params(solver="newton").fit(X).solver_ == "newton"


@pytest.mark.parametrize("solver", ["newton", "mu"])
@pytest.mark.parametrize(
    ("pair", "sum_of_both"),
    [
        (("knn", "labels"), [1.0, 0.4]),
        (("knn", "landmark"), [1.0, 0.4]),
        (("knn", "knn"), [1.0, 0.4]),
    ],
)
def test_two_entropic_penalties_are_both_minimised(solver, pair, sum_of_both):
    """Each step is that of one penalty on the sum of both graphs, in any order."""
    one, other = (EntropicSmoothness(graph(name), lam) for name, lam in zip(pair, sum_of_both, strict=True))
    both = EntropicSmoothness(SumOfGraphs([graph(name) for name in pair], sum_of_both), 1.0)
    settings = {"max_iter": 5, "tol": 0}
    expected = run(state(), [KullbackLeibler(), both], SOLVERS[solver], **settings)
    for terms in ([KullbackLeibler(), one, other], [other, KullbackLeibler(), one]):
        result = run(state(), terms, SOLVERS[solver], **settings)
        np.testing.assert_allclose(result.state.V, expected.state.V, rtol=1e-7)
        np.testing.assert_allclose(result.state.U, expected.state.U, rtol=1e-7)
        np.testing.assert_allclose(result.objective, expected.objective, rtol=1e-9)


def test_two_penalties_on_a_factor_are_both_minimised():
    split = [ElasticNet("V", 0.1, 0.2), ElasticNet("U", 0.3, 0.1), ElasticNet("V", 0.2, 0.3), ElasticNet("U", 0.1, 0.0)]
    joined = [ElasticNet("V", 0.1 + 0.2, 0.2 + 0.3), ElasticNet("U", 0.3 + 0.1, 0.1)]
    one, other = (
        run(state(), [KullbackLeibler(), *terms], SOLVERS["newton"], max_iter=5, tol=0) for terms in (split, joined)
    )
    np.testing.assert_array_equal(one.state.V, other.state.V)
    np.testing.assert_array_equal(one.state.U, other.state.U)
