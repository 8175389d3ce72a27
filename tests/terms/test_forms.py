import numpy as np
import pytest
from tests.reference import forms as plain
from tests.terms.cases import graph, state

from manifact.graphs import SumOfGraphs
from manifact.terms import (
    ElasticNet,
    EntropicSmoothness,
    Frobenius,
    KullbackLeibler,
    LogBound,
    RowQuadratic,
    Smoothness,
)
from manifact.terms.term import gather, gather_forms

SMOOTH = [Smoothness(graph("knn"), 2.0), Smoothness(graph("labels"), 0.3)]
ENTROPIC = [EntropicSmoothness(graph("knn"), 2.0), EntropicSmoothness(graph("labels"), 0.3)]
PENALTIES = [ElasticNet("V", 0.2, 0.3), ElasticNet("V", 0.4, 0.1)]


@pytest.mark.parametrize("weighted", [False, True])
def test_quadratics_of_several_terms_add_up(weighted, rng):
    s, terms = state(weighted=weighted), [Frobenius(), *SMOOTH, *PENALTIES]
    form = gather_forms(terms, "rows", s, "V")
    for P in (s.V, rng.random(s.V.shape)):
        parts = sum(plain.row_quadratic(term.rows(s, "V"), P) for term in terms)
        assert plain.row_quadratic(form, P) == pytest.approx(parts)


def test_bounds_of_several_terms_add_up(rng):
    s, terms = state(), [KullbackLeibler(), *ENTROPIC, *PENALTIES]
    bound = gather_forms(terms, "bound", s, "V")
    for P in (s.V, rng.random(s.V.shape) + 0.1):
        parts = sum(plain.log_bound(term.bound(s, "V"), P) for term in terms)
        assert plain.log_bound(bound, P) == pytest.approx(parts)


def test_graphs_keep_their_strengths():
    one, other = RowQuadratic(graph=graph("knn"), lam=2.0), RowQuadratic(graph=graph("labels"), lam=0.3)
    both = one + other
    assert isinstance(both.graph, SumOfGraphs)
    assert both.graph.weights == [2.0, 0.3]
    assert (one + RowQuadratic(shift=1.0)).graph is one.graph
    assert (LogBound(1.0) + LogBound(graph=graph("knn"), lam=2.0)).lam == 2.0


def test_no_terms_have_no_form():
    assert gather_forms(PENALTIES, "rows", state(), "U") is None


def test_two_matrices_with_other_weights_of_rows_do_not_add_up():
    G = np.eye(4)
    with pytest.raises(TypeError, match="need the same weights of rows"):
        RowQuadratic(G, scale=np.ones(24)) + RowQuadratic(G, scale=np.ones(24))


@pytest.mark.parametrize("terms", [[], SMOOTH[:1], SMOOTH[1:], SMOOTH, PENALTIES, [*SMOOTH, *PENALTIES]])
@pytest.mark.parametrize("weighted", [False, True])
def test_coordinate_steps_lower_the_form(terms, weighted):
    s = state(weighted=weighted)
    form = gather_forms([Frobenius(), *terms], "rows", s, "V")
    values = [plain.row_quadratic(form, s.V)]
    P = s.V
    for _ in range(20):
        P = form.lowered(P, 1, 2)
        values.append(plain.row_quadratic(form, P))
    assert P.min() >= 0
    assert (np.diff(values) < 1e-10 * abs(values[0])).all()
    assert values[1] < values[0] - 1e-3 * abs(values[0])


def test_the_best_scale_is_where_the_form_is_lowest():
    s = state(weighted=True)
    form = gather_forms([Frobenius(), *SMOOTH, *PENALTIES], "rows", s, "V")
    best = form.best_scale(s.V)
    around = [plain.row_quadratic(form, c * s.V) for c in (0.999 * best, best, 1.001 * best)]
    assert around[1] < min(around[0], around[2])
    assert RowQuadratic(np.eye(4), -1.0).best_scale(s.V) is None


def test_costs_of_columns_grow_with_the_square_of_their_scale():
    s = state(weighted=True)
    form = gather_forms([*SMOOTH, ElasticNet("V", 0.0, 0.3)], "rows", s, "V")
    costs = form.column_costs(s.V)
    assert costs.sum() == pytest.approx(plain.row_quadratic(form, s.V))
    np.testing.assert_allclose(form.column_costs(3 * s.V), 9 * costs)
    linear = ElasticNet("V", 0.7, 0.0).rows(s, "V").column_costs(s.V)
    np.testing.assert_allclose(linear, 0.7 / 2 * s.V.sum(axis=0))
    np.testing.assert_array_equal(ElasticNet("V", 0.0, 0.0).rows(s, "V").column_costs(s.V), np.zeros(s.V.shape[1]))


@pytest.mark.parametrize("terms", [[], SMOOTH[:1], SMOOTH, PENALTIES, [*SMOOTH, *PENALTIES]])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("block", ["V", "U"])
def test_a_multiplicative_step_is_that_of_the_gradient(terms, weighted, block):
    s = state(weighted=weighted)
    terms = [Frobenius(), *terms]
    positive, negative = gather(terms, s, block)
    expected = s[block] * negative / positive
    np.testing.assert_allclose(gather_forms(terms, "rows", s, block).multiplied(s[block]), expected, rtol=1e-10)


def test_a_form_without_curvature_has_no_best_scale():
    assert RowQuadratic(np.zeros((2, 2)), np.ones((3, 2))).best_scale(np.ones((3, 2))) is None


def test_a_graph_without_a_strength_counts_once(rng):
    P = rng.random((24, 4))
    expected = graph("knn").energies(P, P)
    np.testing.assert_allclose(RowQuadratic(graph=graph("knn")).column_costs(P), expected)
    assert plain.log_bound(LogBound(graph=graph("knn")), P) == pytest.approx(graph("knn").energy(P, np.log(P)))
