import numpy as np
import pytest
from tests.terms.cases import graph, state

from manifact.terms import Repulsion, Structure, total
from manifact.terms.repulsion import as_listed


def energy(far, V, beta):
    """SPNMF paper, eq 7, every pair written out."""
    squares = ((V[:, None, :] - V[None, :, :]) ** 2).sum(axis=2)
    return beta / 2 * np.sum(far.W.toarray() * np.exp(-squares))


def test_every_repulsion_has_its_own_value():
    """Of two on one state, with other far graphs or other β."""
    s, far, other = state(), graph("far"), graph("affinity")
    terms = [
        Repulsion(far, 2.0),
        Repulsion(far, 5.0),
        Repulsion(other, 2.0),
        Structure(graph("knn"), 0.0, Repulsion(far, 7.0)),
    ]
    expected = [energy(far, s.V, 2.0), energy(far, s.V, 5.0), energy(other, s.V, 2.0), energy(far, s.V, 7.0)]
    assert len({round(value, 9) for value in expected}) == 4
    for order in (terms, terms[::-1]):
        np.testing.assert_allclose([term.value(s) for term in order], expected if order is terms else expected[::-1])
    assert total(terms, s) == pytest.approx(sum(expected))


def test_what_is_far_is_found_once_for_every_V(monkeypatch):
    from manifact.backends import numpy as backend

    calls, made = [], backend.edge_gaussians
    monkeypatch.setattr(backend, "edge_gaussians", lambda *args: calls.append(1) or made(*args))
    s, one, other = state(), Repulsion(graph("far"), 2.0), Repulsion(graph("far"), 5.0)
    for term in (one, other):
        term.value(s)
        term.gradient(s, "V")
        term.value(s.replace("U", 2 * s.U))
    assert len(calls) == 1
    one.value(s.replace("V", 2 * s.V))
    assert len(calls) == 2


def test_the_papers_split_needs_listed_edges():
    near = graph("landmark")
    structure = Structure(near, 1.0, Repulsion(graph("far"), 1.0))
    assert "its near graph is a LandmarkOperator" in structure.lacks("gradient")
    assert Structure(graph("knn"), 1.0, Repulsion(graph("far"), 1.0)).lacks("gradient") is None
    with pytest.raises(ValueError, match="far_graph must be a graph whose edges are listed, got LandmarkOperator"):
        as_listed("far_graph", near)
