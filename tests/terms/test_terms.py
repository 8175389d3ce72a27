"""positive − negative is the gradient of the value, for every term and block."""

import numpy as np
import pytest
from tests.conftest import KINDS, problem
from tests.reference import updates as plain

from manifact.backends import as_data, as_gram, as_kernel
from manifact.graphs import AffinityGraph
from manifact.graphs.operator import check_affinity
from manifact.terms import (
    ElasticNet,
    ElementwiseStructure,
    EntropicSmoothness,
    Free,
    Frobenius,
    KullbackLeibler,
    Locality,
    Matching,
    Orthogonality,
    Redundancy,
    Repulsion,
    Smoothness,
    gather,
    total,
)
from manifact.terms.state import ConceptState, State, TwofoldState

W = AffinityGraph(check_affinity(problem()[1]))
FAR = AffinityGraph(check_affinity(4 * problem(seed=5)[1]))
TERMS = {
    "frobenius": Frobenius(),
    "kullback-leibler": KullbackLeibler(),
    "smoothness": Smoothness(W, 3.0),
    "entropic": EntropicSmoothness(W, 3.0),
    "repulsion": Repulsion(FAR, 2.0),
    "elementwise structure": ElementwiseStructure(W, 3.0, Repulsion(FAR, 2.0)),
    "matching": Matching(np.vstack([np.zeros((2, 3)), np.random.default_rng(3).standard_normal((22, 3))]), 0.3),
    "redundancy": Redundancy(0.7),
    "orthogonality": Orthogonality(0.7),
    "l1 l2 on V": ElasticNet("V", 0.7, 1.3),
    "l1 l2 on U": ElasticNet("U", 0.7, 1.3),
}


def state(kind="dense", weighted=False):
    X, _, V, U = problem()
    gamma = np.linspace(0.2, 3, len(X)) if weighted else None
    return State(as_data(KINDS[kind](X), gamma), U, V)


@pytest.mark.parametrize("name", TERMS)
@pytest.mark.parametrize("block", ["U", "V"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_gradient_is_that_of_the_value(name, block, kind, weighted, rng):
    term, s = TERMS[name], state(kind, weighted)
    parts = getattr(term, f"grad_{block}")(s)
    direction = rng.standard_normal(s[block].shape)
    step = 1e-5
    slope = (term.value(s.replace(block, s[block] + step * direction))
             - term.value(s.replace(block, s[block] - step * direction))) / (2 * step)  # fmt: skip
    if parts is None:
        assert slope == pytest.approx(0, abs=1e-8)
        return
    positive, negative = (np.broadcast_to(part, direction.shape) for part in parts)
    assert (positive >= 0).all()
    assert (negative >= 0).all()
    assert np.sum((positive - negative) * direction) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_equal_the_papers_sums(kind, weighted):
    X, affinity, V, U = problem()
    gamma = np.linspace(0.2, 3, len(X)) if weighted else None
    s = state(kind, weighted)
    frobenius = total([Frobenius(), Smoothness(W, 3.0)], s)
    divergence = total([KullbackLeibler(), EntropicSmoothness(W, 3.0)], s)
    assert frobenius == pytest.approx(plain.objective_frobenius(X, U, V, affinity, 3.0, gamma), rel=1e-12)
    assert divergence == pytest.approx(plain.objective_kl(X, U, V, affinity, 3.0, gamma), rel=1e-12)


def test_an_exact_fit_has_an_accurate_loss():
    _, _, V, U = problem()
    X = V @ U.T
    noise = 1e-9 * np.random.default_rng(1).standard_normal(X.shape)
    value = Frobenius().value(State(as_data(X + noise), U, V))
    assert value == pytest.approx(np.sum(noise**2), rel=1e-4)


def test_gather_adds_the_parts_up():
    s = state()
    positive, negative = gather([Frobenius(), Smoothness(W, 3.0), ElasticNet("U", 1, 1)], s, "V")
    one, other = Frobenius().grad_V(s), Smoothness(W, 3.0).grad_V(s)
    np.testing.assert_array_equal(positive, one[0] + other[0])
    np.testing.assert_array_equal(negative, one[1] + other[1])


def test_zeros_of_V_leave_the_entropic_penalty_finite():
    X, _, V, U = problem()
    V[2] = 0
    s = State(as_data(X), U, V)
    assert np.isfinite(TERMS["entropic"].value(s))


CONCEPT_TERMS = {"frobenius": Frobenius(), "locality": Locality(0.7), "smoothness": Smoothness(W, 3.0)}
CONCEPT_TERMS |= {"l1 l2 on V": ElasticNet("V", 0.7, 1.3), "l1 l2 on U": ElasticNet("U", 0.7, 1.3)}


@pytest.mark.parametrize("name", CONCEPT_TERMS)
@pytest.mark.parametrize("block", ["U", "V"])
@pytest.mark.parametrize("kind", ["dense", "csr", "kernel"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_gradients_of_concepts_are_those_of_the_value(name, block, kind, weighted, signed, rng):
    X, _, V, _ = problem()
    X = X - 0.3 * signed
    gamma = np.linspace(0.2, 3, len(X)) if weighted else None
    data = as_kernel(X @ X.T, gamma) if kind == "kernel" else as_gram(KINDS[kind](X), gamma)
    assert data.signed == signed
    s = ConceptState(data, rng.random(V.shape), V)
    term = CONCEPT_TERMS[name]
    direction = rng.standard_normal(V.shape)
    step = 1e-5
    slope = (term.value(s.replace(block, s[block] + step * direction))
             - term.value(s.replace(block, s[block] - step * direction))) / (2 * step)  # fmt: skip
    quadratic = getattr(term, f"quadratic_{block}")(s)
    if quadratic is None:
        assert slope == pytest.approx(0, abs=1e-7)
        return
    positive, negative, linear = (np.broadcast_to(part, direction.shape) for part in quadratic)
    assert (positive >= 0).all()
    assert (negative >= 0).all()
    assert np.sum((positive - negative + linear) * direction) == pytest.approx(slope, rel=1e-5)
    if not signed:
        positive, negative = (np.broadcast_to(part, direction.shape) for part in getattr(term, f"grad_{block}")(s))
        assert (positive >= 0).all()
        assert (negative >= 0).all()
        assert np.sum((positive - negative) * direction) == pytest.approx(slope, rel=1e-5)


def test_locality_on_plain_factors_is_the_papers_sum():
    X, _, V, U = problem()
    s = State(as_data(X), U, V)
    expected = sum(V[i, k] * np.sum((U[:, k] - X[i]) ** 2) for i in range(len(X)) for k in range(4))
    assert Locality(0.3).value(s) == pytest.approx(0.3 * expected)


@pytest.mark.parametrize("term", [Frobenius(), ElasticNet("V", 0.7, 1.3)])
@pytest.mark.parametrize("block", ["U", "V", "A"])
def test_a_free_term_sees_the_second_representation(term, block, rng):
    one = state(weighted=True)
    s = TwofoldState(one.data, one.U, one.V, A=rng.uniform(size=one.V.shape))
    free = Free(term)
    assert free.value(s) == term.value(State(one.data, one.U, s.A))
    parts, direction, step = getattr(free, f"grad_{block}")(s), rng.standard_normal(s[block].shape), 1e-5
    slope = (free.value(s.replace(block, s[block] + step * direction))
             - free.value(s.replace(block, s[block] - step * direction))) / (2 * step)  # fmt: skip
    expected = 0 if parts is None else np.sum((parts[0] - parts[1]) * direction)
    assert slope == pytest.approx(expected, rel=1e-6, abs=1e-8)
