"""AffinityNMF's steps, beside the same steps written out."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from tests.conftest import KINDS, problem
from tests.reference import kernels as plain

from manifact import AffinityNMF
from manifact.backends import as_data
from manifact.datasets import unit_length
from manifact.solvers import momentum
from manifact.solvers.affinity import BASIS_SWEEPS, matched
from manifact.terms import ElasticNet, Free, Frobenius, Matching, Redundancy
from manifact.terms.state import TwofoldState

F = np.vstack([np.zeros((2, 3)), np.random.default_rng(3).standard_normal((22, 3))])
V_PENALTY, U_PENALTY = ElasticNet("V", 0.2, 0.3), ElasticNet("U", 0.1, 0.4)
A_PENALTY = Free(ElasticNet("V", 0.5, 0.7))
TERMS = [Frobenius(), Free(Frobenius()), A_PENALTY, Matching(F, 0.3), V_PENALTY, U_PENALTY]


@pytest.mark.parametrize("rate", [0.0, 0.4])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_it_is_exact_coordinate_descent_from_a_point_ahead(monkeypatch, kind, weighted, rate):
    monkeypatch.setattr(momentum, "FIRST", rate)
    # Extrapolation that does not pay would be taken back.
    monkeypatch.setattr(momentum, "total", lambda terms, s: 0.0)
    X, _, V, U = problem(k=3)
    gamma = np.linspace(0.2, 2, len(X)) if weighted else None
    scale = np.ones(len(X)) if gamma is None else gamma
    s = TwofoldState(as_data(KINDS[kind](X), gamma), U, V, 2 * V)
    A, step = s.A, matched(TERMS)
    U_last, V_last, A_last, ahead = U, V, A, 0.0
    for _ in range(2):
        s = step(s)
        U_start, V_start, A_start = U + ahead * (U - U_last), V + ahead * (V - V_last), A + ahead * (A - A_last)
        U_last, V_last, A_last = U, V, A
        G, B = U_start.T @ U_start, scale[:, None] * (X @ U_start)
        V = plain.sweep_matching(V_start, G, B - 0.1, scale, 0.15, F, F.any(axis=1), 0.3)
        A = plain.sweep_rows(A_start, G, B - 0.25, scale, np.full(len(A), 0.35), 1)
        both = [V + ahead * (V - V_last), A + ahead * (A - A_last)]
        gram = sum(P.T @ (scale[:, None] * P) for P in both)
        B = X.T @ (scale[:, None] * sum(both)) - 0.05
        U = plain.sweep_rows(U_start, gram, B, np.ones(len(U)), np.full(len(U), 0.2), BASIS_SWEEPS)
        ahead = rate
    for mine, expected in ((s.V, V), (s.A, A), (s.U, U)):
        np.testing.assert_allclose(mine, expected, rtol=1e-6, atol=1e-8)


def test_momentum_comes_to_rest_sooner_and_never_raises_the_objective(monkeypatch):
    X = unit_length(load_digits().data[:400])
    settings = {"n_components": 16, "random_state": 0, "tol": 1e-7, "max_iter": 2000}
    quick = AffinityNMF(**settings).fit(X)
    monkeypatch.setattr(momentum, "FIRST", 0.0)
    slow = AffinityNMF(**settings).fit(X)
    assert (np.diff(quick.objective_) <= 0).all()
    assert quick.n_iter_ < 0.9 * slow.n_iter_
    assert quick.objective_[-1] == pytest.approx(slow.objective_[-1], rel=0.01)


def test_without_terms_on_A_it_is_left_alone():
    X, _, V, U = problem(k=3)
    s = TwofoldState(as_data(X), U, V, 2 * V)
    assert matched([Frobenius(), Matching(F, 0.3)])(s).A is s.A


@pytest.mark.parametrize(
    ("term", "sentence"),
    [
        (Redundancy(1.0), "no exact step for Redundancy beside Frobenius"),
        (Free(Redundancy(1.0)), "no exact step for Redundancy beside Frobenius"),
        (Free(Matching(F, 0.3)), "no exact step for a second representation with a graph"),
        (Free(U_PENALTY), "or a penalty on the basis"),
    ],
)
def test_terms_without_an_exact_step_are_refused(term, sentence):
    with pytest.raises(TypeError, match=sentence):
        matched([Frobenius(), term])
