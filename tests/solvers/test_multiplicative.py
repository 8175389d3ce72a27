"""The engine's `mu` equals the papers' updates written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import KINDS, problem
from tests.reference import updates as plain
from tests.terms.cases import STATES, graph, state

from manifact import GNMF, LPNMF, NMF
from manifact.backends import numpy as numpy_backend
from manifact.backends import plain as plain_backend
from manifact.baselines.lnmf import Activity
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.solvers.multiplicative import multiplicative, multiply
from manifact.terms import (
    ElasticNet,
    Frobenius,
    KullbackLeibler,
    OnSecond,
    Orthogonality,
    Redundancy,
    SimplexBasis,
    Smoothness,
    gather,
)
from manifact.terms.forms import RowQuadratic

ITERATIONS = 50


def iterate(update, U, V, times=ITERATIONS):
    for _ in range(times):
        U, V = update(U, V)
    return U, V


def assert_same(model, X, U, V, **fit):
    mine = model.fit_transform(X, **fit)
    assert np.linalg.norm(mine - V) <= 1e-9 * np.linalg.norm(V)
    assert np.linalg.norm(model.components_.T - U) <= 1e-9 * np.linalg.norm(U)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("lam", [0.0, 0.3, 100.0])
@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_fifty_iterations_equal_the_transcription(kind, weighted, lam, loss):
    X, W, V, U = problem(seed=int(lam) + weighted)
    gamma = np.random.default_rng(5).random(len(X)) + 0.1 if weighted else None
    update = plain.gnmf_frobenius if loss == "frobenius" else plain.gnmf_kl
    expected = iterate(lambda U, V: update(X, U, V, W, lam, gamma), U, V)
    settings = {"solver": "mu", "init": (V, U.T), "max_iter": ITERATIONS, "tol": 0, "normalize": None}
    models = [GNMF(4, graph_reg=lam, graph=W, loss=loss, **settings)]
    if loss == "kullback-leibler":
        models.append(LPNMF(4, graph_reg=lam, graph=W, **settings))
    if lam == 0:
        models.append(NMF(4, loss=loss, **settings))
    for model in models:
        assert_same(model, KINDS[kind](X), *expected, sample_weight=gamma)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("init", ["random", "nndsvd"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("solver", ["auto", "mu"])
def test_without_lambda_the_graph_changes_no_bit(loss, kind, init, weighted, solver):
    X, W, _, _ = problem(seed=2)
    X = KINDS[kind](X)
    weight = np.arange(24) % 3 if weighted else None
    settings = {"loss": loss, "init": init, "random_state": 0, "tol": 0, "max_iter": 30, "solver": solver}
    plain_model, graph_model = NMF(4, **settings), GNMF(4, graph_reg=0.0, graph=W, **settings)
    V = plain_model.fit_transform(X, sample_weight=weight)
    np.testing.assert_array_equal(V, graph_model.fit_transform(X, sample_weight=weight))
    np.testing.assert_array_equal(plain_model.components_, graph_model.components_)


@pytest.mark.parametrize("name", ["gnmf_f", "gnmf_kl"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("iterations", [1, 10, 100])
def test_iterates_equal_the_reference_traces(traces, name, kind, iterations):
    trace = traces(name)
    make = GNMF if name == "gnmf_f" else LPNMF
    settings = {
        "graph_reg": float(trace["lambda"]),
        "graph": trace["W"],
        "max_iter": iterations,
        "tol": 0,
        "solver": "mu",
    }
    init = (trace["V0"], trace["U0"].T)
    X = KINDS[kind](trace["X"].T)
    raw = make(5, init=init, normalize=None, **settings)
    assert_same(raw, X, trace[f"U{iterations}"], trace[f"V{iterations}"])
    np.testing.assert_allclose(raw.objective_, trace["obj"][: iterations + 1], rtol=1e-9)
    if name == "gnmf_f":
        final = make(5, init=init, **settings)
        V = final.fit_transform(X)
        order = np.argsort(-trace[f"V{iterations}_norm"].sum(axis=0), kind="stable")
        np.testing.assert_allclose(V, trace[f"V{iterations}_norm"][:, order], rtol=1e-9)
        np.testing.assert_allclose(final.components_.T, trace[f"U{iterations}_norm"][:, order], rtol=1e-8, atol=1e-12)


@st.composite
def problems(draw):
    n, m, k = draw(st.integers(1, 12)), draw(st.integers(1, 9)), draw(st.integers(1, 5))
    seed, density = draw(st.integers(0, 2**31)), draw(st.floats(0.1, 1))
    X, W, V, U = problem(seed, n, m, k, density)
    return X * 10.0 ** draw(st.integers(-3, 3)), W, V, U, draw(st.sampled_from([0.0, 0.01, 1.0, 100.0, 1e4]))


@given(problems(), st.booleans(), st.booleans())
def test_frobenius_never_rises(case, sparse_data, weighted):
    X, W, V, U, lam = case
    gamma = np.random.default_rng(0).random(len(X)) + 0.01 if weighted else None
    model = GNMF(V.shape[1], graph_reg=lam, graph=W, init=(V, U.T), max_iter=60, tol=0, solver="mu")
    model.fit(KINDS["csr" if sparse_data else "dense"](X), sample_weight=gamma)
    o = model.objective_
    # Sparse losses come from products that cancel: their rounding is relative to ‖X‖², not to the loss.
    noise = (1e-13 if sparse_data else 1e-30) * np.sum(X**2)
    assert (np.diff(o) <= 1e-10 * o[:-1] + noise).all()


@given(problems(), st.booleans())
def test_plain_divergence_never_rises(case, sparse_data):
    X, _, V, U, _ = case
    model = NMF(V.shape[1], loss="kullback-leibler", init=(V, U.T), max_iter=60, tol=0, solver="mu")
    model.fit(KINDS["csr" if sparse_data else "dense"](X))
    assert (np.diff(model.objective_) <= 1e-10 * np.abs(model.objective_[:-1]) + 1e-12 * X.sum()).all()


def test_the_published_divergence_rule_does_raise_its_objective():
    """The proof loses a factor of two; we report what happens."""
    X, W, V, U = problem(seed=2, n=40, m=30, density=0.1)
    model = LPNMF(4, graph_reg=1.0, graph=W, init=(V, U.T), max_iter=400, tol=0, solver="mu").fit(X)
    rises = np.diff(model.objective_) / model.objective_[:-1]
    assert rises.max() > 1e-5


@pytest.mark.parametrize("kind", STATES)
@pytest.mark.parametrize("signed", [False, True])
def test_a_block_in_no_term_stays_as_it_is(kind, signed):
    s = state(kind, signed=signed and kind == "concepts")
    terms = [ElasticNet("V", 0.1, 0.1)]
    after, _ = multiplicative([Frobenius(), *terms], s, {})
    for block in s.blocks:
        assert (after[block] is s[block]) == (block == "A")
    after, _ = multiplicative(terms, s, {})
    assert after.U is s.U
    assert after.V is not s.V


def test_the_second_representation_takes_the_step_of_the_first():
    s = state("two representations", weighted=True)
    terms = [Frobenius(), OnSecond(Frobenius()), OnSecond(ElasticNet("V", 0.3, 0.2))]
    after, _ = multiplicative(terms, s, {})
    X, gamma = problem()[0], s.data.weight[:, None]
    expected = s.A * (gamma * (2 * X @ s.U)) / (gamma * (s.A @ (2 * s.U.T @ s.U)) + 0.3 + 0.2 * s.A)
    np.testing.assert_allclose(after.A, expected, rtol=1e-10)
    gram = sum(P.T @ (gamma * P) for P in (after.V, after.A))
    expected = s.U * (X.T @ (gamma * (after.V + after.A))) / (s.U @ gram)
    np.testing.assert_allclose(after.U, expected, rtol=1e-10)


@pytest.mark.parametrize("penalties", [[], [ElasticNet("V", 0.7, 0.0)]])
@pytest.mark.parametrize("weighted", [False, True])
def test_a_step_that_solves_for_V_counts_all_terms(penalties, weighted):
    """LNMF's square root is the minimum of a bound; beside a penalty it is another one."""
    s = SimplexBasis().start(state(weighted=weighted))
    terms = [KullbackLeibler(), Activity(), SimplexBasis(), *penalties]
    after, _ = multiplicative(terms, s, {})
    a, c = gather([KullbackLeibler(), *penalties], s, "V")
    c, gamma = s.V * c, 1.0 if s.data.weight is None else s.data.weight[:, None]
    # The derivative of a v − c log v + γ (½ v² − v).
    np.testing.assert_allclose(a - c / after.V + gamma * (after.V - 1), 0, atol=1e-10)
    if not penalties:
        np.testing.assert_allclose(after.V, np.sqrt(c / gamma), rtol=1e-10)


@pytest.mark.parametrize("rescale", [numpy_backend.rescale, plain_backend.rescale])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_factors_that_vanish_do_not_divide_zero_by_zero(rescale, dtype):
    """The floor under denominators that have nearly vanished must not vanish itself."""
    tiny = np.finfo(dtype).tiny
    positive = np.array([[0.0, 0.0], [tiny, 0.0]], dtype=dtype)
    after = rescale(np.full((2, 2), tiny, dtype=dtype), np.zeros((2, 2), dtype=dtype), positive)
    np.testing.assert_array_equal(after, 0)


def test_a_penalty_that_empties_both_factors_ends_at_zero():
    s = state(m=2, k=3)
    terms = [Frobenius(), Orthogonality(100.0), ElasticNet("V", 100.0, 1.0)]
    result = run(s, terms, SOLVERS["mu"], max_iter=30, tol=0)
    assert (np.diff(result.objective) <= 1e-10 * s.data.square_sum).all()
    assert result.objective[-1] == pytest.approx(s.data.square_sum)


def test_sums_that_are_quadratic_in_rows_are_stepped_in_one_pass(monkeypatch):
    passes = []
    fused = RowQuadratic.multiplied
    monkeypatch.setattr(RowQuadratic, "multiplied", lambda form, P: passes.append(P.shape) or fused(form, P))
    s = state("factors")
    for terms in (
        [Frobenius(), Smoothness(graph("knn"), 0.3)],
        [Frobenius(), Redundancy(0.2)],
        [Frobenius(), ElasticNet("V", 0.1, 0.2)],
        [Frobenius(), SimplexBasis()],
    ):
        del passes[:]
        for block in s.blocks:
            one = multiply(s, terms, block)[block]
            positive, negative = gather(terms, s, block)
            np.testing.assert_allclose(one, s[block] * negative / positive, rtol=1e-10)
        assert len(passes) == 2, terms
