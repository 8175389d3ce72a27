"""AffinityNMF's steps, beside the same steps written out."""

import numpy as np
import pytest
from tests.conftest import KINDS, problem
from tests.reference import kernels as plain
from tests.terms.cases import embedding, state

from manifact import AffinityNMF
from manifact.backends import as_data
from manifact.solvers import momentum
from manifact.solvers.affinity_descent import BASIS_SWEEPS, COEFFICIENT_SWEEPS, ROUNDS, affinity_descent
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.terms import Affinity, ElasticNet, Frobenius, KullbackLeibler, OnSecond, Redundancy, TwofoldState, total

F = embedding()
V_PENALTY, U_PENALTY = ElasticNet("V", 0.2, 0.3), ElasticNet("U", 0.1, 0.4)
A_PENALTY = OnSecond(ElasticNet("V", 0.5, 0.7))
TERMS = [Frobenius(), OnSecond(Frobenius()), A_PENALTY, Affinity(F, 0.3), V_PENALTY, U_PENALTY]


@pytest.mark.parametrize("rate", [0.0, 0.4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_it_is_coordinate_descent_from_a_point_ahead(monkeypatch, kind, weighted, rate):
    monkeypatch.setattr(momentum, "FIRST", rate)
    # Extrapolation that does not pay would be taken back.
    monkeypatch.setattr(momentum, "total", lambda terms, s: 0.0)
    X, _, V, U = problem(k=3)
    gamma = np.linspace(0.2, 2, len(X)) if weighted else None
    scale = np.ones(len(X)) if gamma is None else gamma
    s = TwofoldState(as_data(KINDS[kind](X), gamma), U, V, 2 * V)
    A, memory = s.A, {}
    U_last, V_last, A_last, ahead = U, V, A, 0.0
    for _ in range(2):
        s, memory = affinity_descent(TERMS, s, memory)
        U_start, V_start, A_start = U + ahead * (U - U_last), V + ahead * (V - V_last), A + ahead * (A - A_last)
        U_last, V_last, A_last = U, V, A
        G, B = U_start.T @ U_start, scale[:, None] * (X @ U_start)
        V = plain.sweep_affinity(V_start, G, B - 0.1, scale, 0.15, F, F.any(axis=1), 0.3, ROUNDS)
        A = plain.sweep_rows(A_start, G, B - 0.25, scale, np.full(len(A), 0.35), COEFFICIENT_SWEEPS)
        both = [V + ahead * (V - V_last), A + ahead * (A - A_last)]
        gram = sum(P.T @ (scale[:, None] * P) for P in both)
        B = X.T @ (scale[:, None] * sum(both)) - 0.05
        U = plain.sweep_rows(U_start, gram, B, np.ones(len(U)), np.full(len(U), 0.2), BASIS_SWEEPS)
        ahead = rate
    for mine, expected in ((s.V, V), (s.A, A), (s.U, U)):
        np.testing.assert_allclose(mine, expected, rtol=1e-6, atol=1e-8)


def test_momentum_comes_to_rest_sooner_and_never_raises_the_objective(monkeypatch):
    # Without clusters the way is long; digits are at rest after 30 iterations either way.
    samples = [np.random.default_rng(seed).random((200, 40)) for seed in range(3)]
    settings = {"n_components": 12, "random_state": 0, "tol": 1e-7, "max_iter": 2000}
    quick = [AffinityNMF(**settings).fit(X) for X in samples]
    monkeypatch.setattr(momentum, "FIRST", 0.0)
    slow = [AffinityNMF(**settings).fit(X) for X in samples]
    assert sum(model.n_iter_ for model in quick) < 0.9 * sum(model.n_iter_ for model in slow)
    for one, other in zip(quick, slow, strict=True):
        assert (np.diff(one.objective_) <= 0).all()
        assert one.objective_[-1] == pytest.approx(other.objective_[-1], rel=0.01)


def test_without_terms_on_A_it_is_left_alone():
    X, _, V, U = problem(k=3)
    s = TwofoldState(as_data(X), U, V, 2 * V)
    assert affinity_descent([Frobenius(), Affinity(F, 0.3)], s, {})[0].A is s.A


@pytest.mark.parametrize("duplicated", [Affinity(F, 0.3), V_PENALTY, A_PENALTY, Redundancy(0.2), OnSecond(U_PENALTY)])
def test_two_terms_of_a_kind_count_as_their_sum(duplicated):
    """One of twice the strength has the same iterates."""
    terms = [Frobenius(), OnSecond(Frobenius()), Affinity(F, 0.1)]
    settings = {"max_iter": 5, "tol": 0}
    twice = run(state("two representations"), [*terms, duplicated, duplicated], SOLVERS["affinity"], **settings)
    once = run(state("two representations"), [*terms, doubled(duplicated)], SOLVERS["affinity"], **settings)
    for block in ("V", "A", "U"):
        np.testing.assert_allclose(twice.state[block], once.state[block], rtol=1e-8, atol=1e-10)
    assert total([*terms, duplicated, duplicated], twice.state) == pytest.approx(twice.objective[-1])


def doubled(term):
    if isinstance(term, OnSecond):
        return OnSecond(doubled(term.term))
    if isinstance(term, Affinity):
        return Affinity(term.F, 2 * term.mu)
    if isinstance(term, Redundancy):
        return Redundancy(2 * term.gamma)
    return ElasticNet(term.block, 2 * term.l1, 2 * term.l2)


def test_an_affinity_without_weight_is_no_affinity():
    s = state("two representations")
    terms = [Frobenius(), OnSecond(Frobenius())]
    with_it, _ = affinity_descent([*terms, Affinity(F, 0.0)], s, {})
    without, _ = affinity_descent(terms, s, {})
    np.testing.assert_array_equal(with_it.V, without.V)


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ([OnSecond(Affinity(F, 0.3))], r"a sum with OnSecond\(Affinity\): no quadratic form row by row"),
        ([Affinity(embedding(empty=3), 1.0), Affinity(F, 1.0)], "its Affinity terms are about different samples"),
        ([OnSecond(V_PENALTY)], "the second representation needs one loss, got none"),
        ([OnSecond(Frobenius()), OnSecond(Frobenius())], r"got OnSecond\(Frobenius\), OnSecond\(Frobenius\)"),
        ([OnSecond(KullbackLeibler())], r"a sum with OnSecond\(KullbackLeibler\): no quadratic form row by row"),
    ],
)
def test_terms_without_an_exact_step_are_refused(terms, sentence):
    s = state("two representations")
    with pytest.raises(ValueError, match=sentence):
        SOLVERS["affinity"].refuse([Frobenius(), *terms], s.kind, s.data)
