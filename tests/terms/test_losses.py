import numpy as np
import pytest
from tests.conftest import KINDS, problem
from tests.reference import updates as plain
from tests.terms.cases import graph, state

from manifact.backends import as_data
from manifact.terms import EntropicSmoothness, Frobenius, KullbackLeibler, Smoothness, State, total
from manifact.terms.losses import Loss


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_equal_the_papers_sums(form, weighted):
    X, affinity, V, U = problem()
    s, W = state(form=form, weighted=weighted), graph("affinity")
    frobenius = total([Frobenius(), Smoothness(W, 3.0)], s)
    divergence = total([KullbackLeibler(), EntropicSmoothness(W, 3.0)], s)
    gamma = s.data.weight
    assert frobenius == pytest.approx(plain.objective_frobenius(X, U, V, affinity, 3.0, gamma), rel=1e-12)
    assert divergence == pytest.approx(plain.objective_kl(X, U, V, affinity, 3.0, gamma), rel=1e-12)


def test_an_exact_fit_has_an_accurate_loss():
    _, _, V, U = problem()
    X = V @ U.T
    noise = 1e-9 * np.random.default_rng(1).standard_normal(X.shape)
    value = Frobenius().value(State(as_data(X + noise), U, V))
    assert value == pytest.approx(np.sum(noise**2), rel=1e-4)


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_misfits_are_each_samples_share(form, weighted):
    X, _, V, U = problem()
    s = state(form=form, weighted=weighted)
    gamma = 1.0 if s.data.weight is None else s.data.weight
    np.testing.assert_allclose(Frobenius().misfits(s), gamma * np.sum((X - V @ U.T) ** 2, axis=1), rtol=1e-10)
    assert np.sum(Frobenius().misfits(s)) == pytest.approx(Frobenius().value(s))


def test_the_error_of_a_value_that_rounding_took_below_zero_is_zero():
    values = np.array([-1e-17, 0.0, 0.02, 8.0])
    np.testing.assert_allclose([KullbackLeibler().error(value) for value in values], [0, 0, 0.2, 4])
    np.testing.assert_allclose([Frobenius().error(value) for value in values], [0, 0, 0.02**0.5, 8**0.5])


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("form", ["dense", "csr"])
def test_a_projection_that_knows_only_the_gradient_finds_the_minimum_as_well(tied, form, rng):
    X, _, V, U = problem()
    data = as_data(KINDS[form](X))
    for held in (rng.random(len(X)), 0.3) if tied else (0.0,):
        pull = rng.random(V.shape) if tied else None
        exact = Frobenius().project(data, U, pull, held, 0.1, 0.2)
        np.testing.assert_allclose(Loss.project(Frobenius(), data, U, pull, held, 0.1, 0.2), exact, atol=1e-3)
