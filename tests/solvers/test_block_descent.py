"""`bcd`: the constrained problem, its monotone descent and its minima."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import KINDS, first_at, problem
from tests.solvers.test_multiplicative import problems
from tests.terms.cases import graph, state

from manifact import GNMF, NMF
from manifact.backends import threads
from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph, SumOfGraphs
from manifact.solvers import block_descent as bcd
from manifact.solvers import momentum
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.terms import ElasticNet, Frobenius, Redundancy, Smoothness

LABELS = np.arange(24) % 4


def constrained(X, U, V, W, lam, gamma=None):
    """‖X − V Uᵀ‖² + λ Tr(VᵀLV) with the scale of U moved into V."""
    gamma = np.ones(len(X)) if gamma is None else gamma
    V = V * np.linalg.norm(U, axis=0)
    U = U / np.maximum(np.linalg.norm(U, axis=0), 1e-300)
    return np.sum(gamma[:, None] * (X - V @ U.T) ** 2) + lam * np.trace(V.T @ (np.diag(W.sum(axis=1)) - W) @ V)


@pytest.mark.filterwarnings("ignore:.*parts had become empty")
@given(problems(), st.booleans(), st.booleans(), st.sampled_from([0.0, 0.3]))
def test_never_rises(case, sparse_data, weighted, alpha):
    X, W, V, U, lam = case
    gamma = np.random.default_rng(0).random(len(X)) + 0.01 if weighted else None
    for alpha_U in (0.0, alpha):
        penalties = {"alpha_V": alpha, "alpha_U": alpha_U, "l1_ratio": 0.5}
        model = GNMF(V.shape[1], graph_reg=lam, graph=W, init=(V, U.T), max_iter=40, tol=0, solver="bcd", **penalties)
        model.fit(KINDS["csr" if sparse_data else "dense"](X), sample_weight=gamma)
        assert (np.diff(model.objective_) <= 0).all()


@pytest.mark.parametrize("graph", [
    KNNGraph(3), LandmarkGraph(n_landmarks=8), LabelGraph(), KNNGraph(3) + 0.5 * LabelGraph(),
])  # fmt: skip
@pytest.mark.parametrize("lam", [0.1, 50.0])
def test_every_graph_descends_to_a_minimum(graph, lam):
    X = problem()[0]
    settings = {"solver": "bcd", "init": "random", "max_iter": 3000, "tol": 0, "normalize": None}
    model = GNMF(3, graph=graph, graph_reg=lam, random_state=0, **settings).fit(X, LABELS)
    assert (np.diff(model.objective_) <= 0).all()
    U, V = model.components_.T, model.representation_
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)
    scale = np.sum(X**2)
    slope_V = V @ U.T @ U - X @ U + lam * model.graph_.laplacian(V)
    # Of the form that may move scale: the derivative along every ray is 0, and so is that of each entry.
    slope_U = U @ (V.T @ V) - X.T @ V + U * (lam * model.graph_.energies(V, V))
    for P, slope in ((V, slope_V), (U, slope_U)):
        assert slope.min() > -1e-4 * scale
        assert np.abs(slope * P).max() < 1e-4 * scale


def test_objective_is_the_constrained_one():
    X, W, V, U = problem()
    gamma = np.linspace(0.5, 2, len(X))
    model = GNMF(4, graph=W, graph_reg=3.0, init=(V, U.T), max_iter=20, tol=0, solver="bcd", normalize=None)
    model.fit(X, sample_weight=gamma)
    assert model.objective_[0] == pytest.approx(constrained(X, U, V, W, 3.0, gamma))
    U, V = model.components_.T, model.representation_
    assert model.objective_[-1] == pytest.approx(constrained(X, U, V, W, 3.0, gamma))


def test_without_momentum_an_iteration_is_exact_coordinate_descent(monkeypatch):
    """The transcription: rows of V by colour, then U with λ v_kᵀLv_k on its diagonal, then unit columns."""
    monkeypatch.setattr(momentum, "FIRST", 0.0)
    X, W, V, U = problem()
    lam, L = 2.0, np.diag(W.sum(axis=1)) - W
    model = GNMF(4, graph=W, graph_reg=lam, init=(V, U.T), max_iter=3, tol=0, solver="bcd", normalize=None)
    mine = model.fit_transform(X)
    order = np.concatenate(model.graph_.groups())
    V, U = V * np.linalg.norm(U, axis=0), U / np.linalg.norm(U, axis=0)
    V *= np.sum(X * (V @ U.T)) / (np.sum((V @ U.T) ** 2) + lam * np.trace(V.T @ L @ V))
    for _ in range(3):
        for _ in range(bcd.GRAPH_SWEEPS):
            for j in order:
                for c in range(4):
                    slope = V[j] @ U.T @ U[:, c] - X[j] @ U[:, c] + lam * L[j] @ V[:, c]
                    V[j, c] = max(0, V[j, c] - slope / (U[:, c] @ U[:, c] + lam * L[j, j]))
        H = V.T @ V + lam * np.diag(np.diag(V.T @ L @ V))
        for i in range(len(U)):
            for c in range(4):
                U[i, c] = max(0, U[i, c] - (H[c] @ U[i] - X[:, i] @ V[:, c]) / H[c, c])
        V, U = V * np.linalg.norm(U, axis=0), U / np.linalg.norm(U, axis=0)
    np.testing.assert_allclose(mine, V, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(model.components_.T, U, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_the_short_way_through_an_iteration_leads_where_the_long_one_does(monkeypatch, kind):
    X = KINDS[kind](load_digits().data)
    settings = {"solver": "bcd", "init": "random", "max_iter": 30, "tol": 0, "random_state": 0}
    short = NMF(7, **settings).fit(X)
    monkeypatch.setattr(Frobenius, "descended", lambda *given: None)
    long = NMF(7, **settings).fit(X)
    np.testing.assert_allclose(short.objective_, long.objective_, rtol=1e-9)
    np.testing.assert_allclose(short.components_, long.components_, rtol=1e-6, atol=1e-6)


def test_a_loss_made_of_another_is_lowered_by_its_own_rows():
    class Doubled(Frobenius):
        """Twice the squares of a third of the samples, say: what it is, ``rows`` tells."""

    assert Doubled().descended(None, None, 0.0, 1) is None


def test_it_is_ahead_of_mu_on_the_constrained_objective():
    X, W, V, U = problem(n=60, m=40)
    settings = {"graph": W, "graph_reg": 10.0, "init": (V, U.T), "tol": 0}
    slow = GNMF(4, solver="mu", max_iter=500, normalize="basis", **settings).fit(X)
    fast = GNMF(4, solver="bcd", max_iter=50, **settings).fit(X)
    assert fast.objective_[-1] < constrained(X, slow.components_.T, slow.representation_, W, 10.0)


def test_it_does_not_drift(rng):
    """Ten times longer changes nothing where `mu` goes on moving scale into U."""
    X = problem(n=60)[0]
    settings = {"graph": KNNGraph(4), "graph_reg": 1.0, "random_state": 0, "tol": 0}
    short, long = (GNMF(3, solver="bcd", max_iter=i, **settings).fit(X) for i in (500, 5000))
    assert long.objective_[-1] == pytest.approx(short.objective_[-1], rel=1e-3)
    assert long.smoothness_ == pytest.approx(short.smoothness_, rel=0.1)


def test_momentum_reaches_in_a_third_of_the_iterations_what_steps_alone_reach(monkeypatch):
    X = load_digits().data[:400]
    settings = {"random_state": 0, "tol": 0, "max_iter": 300}
    quick = NMF(16, **settings).fit(X).objective_
    monkeypatch.setattr(momentum, "FIRST", 0.0)
    slow = NMF(16, **settings).fit(X).objective_
    assert first_at(quick, slow[-1]) < 100


def test_a_dead_part_starts_anew_and_says_so():
    X, _, V, U = problem(k=3)
    V[:, 1], U[:, 1] = 0, 0
    with pytest.warns(ConvergenceWarning, match="1 of 3 parts had become empty and start anew"):
        model = NMF(3, init=(V, U.T), max_iter=100, tol=0).fit(X)
    assert (np.diff(model.objective_) <= 0).all()
    assert model.representation_.sum(axis=0).min() > 0
    two = NMF(2, init=(V[:, [0, 2]], U[:, [0, 2]].T), max_iter=100, tol=0).fit(X)
    assert model.objective_[-1] < two.objective_[-1]


@pytest.mark.parametrize(("l1_ratio", "alive"), [(0.0, True), (0.5, False)])
def test_only_l1_may_leave_a_part_empty(l1_ratio, alive, recwarn):
    X, _, V, U = problem(k=3)
    V[:, 1], U[:, 1] = 0, 0
    penalties = {"alpha_V": 1e-3, "alpha_U": 0.0, "l1_ratio": l1_ratio}
    model = NMF(3, init=(V, U.T), max_iter=20, tol=0, **penalties).fit(X)
    assert (model.representation_.sum(axis=0).min() > 0) == alive
    assert any("had become empty" in str(warning.message) for warning in recwarn) == alive


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_warm_start_at_the_minimum_stays_there(dtype):
    X = problem(n=60)[0].astype(dtype)
    settings = {"solver": "bcd", "init": "random", "tol": 0, "max_iter": 2000}
    model = GNMF(3, graph=KNNGraph(4), graph_reg=1.0, random_state=0, warm_start=True, **settings)
    last = model.fit(X).objective_[-1]
    again = model.set_params(max_iter=20).fit(X).objective_
    assert again[0] == pytest.approx(last, rel=1e-5)
    assert (np.diff(again) <= 0).all()


def test_nothing_to_explain_is_no_reason_to_warn(recwarn):
    model = NMF(3, random_state=0).fit(np.zeros((8, 5)))
    assert model.objective_[-1] == 0
    assert not recwarn.list


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    X, W, V, U = problem(n=150)
    found = []
    for count in (1, 2, 5):
        with threads.limit(count):
            model = GNMF(4, graph=W, init=(V, U.T), max_iter=20, tol=0, solver="bcd")
            found.append(model.fit_transform(KINDS["csr"](X)))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_penalties_are_scikit_learns():
    """Both minimise the same function: their minima from one start agree."""
    from sklearn import decomposition

    X, _, V, U = problem(density=1.0)
    penalties = {"l1_ratio": 0.4, "tol": 0, "max_iter": 2000}
    peer = decomposition.NMF(4, solver="cd", init="custom", alpha_W=0.02, alpha_H=0.03, **penalties)
    W = peer.fit_transform(X, W=V.copy(), H=U.T.copy())
    mine = NMF(4, init=(W + 1e-3, peer.components_ + 1e-3), alpha_V=0.02, alpha_U=0.03, normalize=None, **penalties)
    np.testing.assert_allclose(mine.fit_transform(X), W, atol=1e-3)
    np.testing.assert_allclose(mine.components_, peer.components_, atol=1e-3)


def minimised(terms, max_iter=5, **facts):
    start = SOLVERS["bcd"].begin(terms, state(**facts))
    return run(start, terms, SOLVERS["bcd"], max_iter=max_iter, tol=0)


@pytest.mark.parametrize("pair", [("knn", "labels"), ("labels", "landmark"), ("knn", "affinity"), ("knn", "knn")])
@pytest.mark.parametrize("weighted", [False, True])
def test_two_smoothnesses_are_both_minimised(pair, weighted):
    """Each step is that of one penalty on the sum of both graphs, in any order."""
    one, other = Smoothness(graph(pair[0]), 1.0), Smoothness(graph(pair[1]), 0.4)
    both = Smoothness(SumOfGraphs([graph(name) for name in pair], [1.0, 0.4]), 1.0)
    expected = minimised([Frobenius(), both], weighted=weighted)
    for terms in ([Frobenius(), one, other], [other, Frobenius(), one]):
        result = minimised(terms, weighted=weighted)
        np.testing.assert_allclose(result.state.V, expected.state.V, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result.state.U, expected.state.U, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result.objective, expected.objective, rtol=1e-12)
    # Either alone is another problem.
    for alone in (one, other):
        assert not np.allclose(minimised([Frobenius(), alone], weighted=weighted).state.V, expected.state.V)


def test_two_smoothnesses_reach_a_minimum_of_their_sum():
    one, other = graph("knn"), graph("labels")
    s = minimised([Frobenius(), Smoothness(one, 1.0), Smoothness(other, 0.4)], 3000).state
    X = problem()[0]
    slope = s.V @ s.U.T @ s.U - X @ s.U + one.laplacian(s.V) + 0.4 * other.laplacian(s.V)
    assert slope.min() > -1e-4 * np.sum(X**2)
    assert np.abs(slope * s.V).max() < 1e-4 * np.sum(X**2)


def test_two_penalties_on_a_factor_are_both_minimised():
    split = [ElasticNet("V", 0.1, 0.2), ElasticNet("U", 0.3, 0.1), ElasticNet("V", 0.2, 0.3), ElasticNet("U", 0.1, 0.0)]
    joined = [ElasticNet("V", 0.1 + 0.2, 0.2 + 0.3), ElasticNet("U", 0.3 + 0.1, 0.1)]
    one, other = (minimised([Frobenius(), *terms]) for terms in (split, joined))
    np.testing.assert_array_equal(one.state.V, other.state.V)
    np.testing.assert_array_equal(one.state.U, other.state.U)


SMOOTH = Smoothness(graph("knn"), 1.0)


@pytest.mark.parametrize(
    ("terms", "held"),
    [
        ([], False),
        ([SMOOTH], True),
        ([ElasticNet("V", 1.0, 0.0)], True),
        ([ElasticNet("U", 0.0, 1.0)], False),
        ([SMOOTH, ElasticNet("U", 0.0, 1.0)], False),
        ([SMOOTH, Redundancy(0.1)], False),
    ],
)
def test_a_basis_is_held_where_a_penalty_on_V_alone_would_let_it_grow(terms, held):
    lengths = np.linalg.norm(minimised([Frobenius(), *terms]).state.U, axis=0)
    assert np.allclose(lengths[lengths > 0], 1) is held
