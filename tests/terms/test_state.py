import numpy as np
from tests.conftest import problem

from manifact.backends import as_data
from manifact.terms.state import State, TwofoldState


def counted(monkeypatch):
    """Data that list their products with U."""
    X, _, V, U = problem()
    data, calls = as_data(X), []
    times = data.times
    monkeypatch.setattr(data, "times", lambda P: calls.append(1) or times(P))
    return data, V, U, calls


def test_products_are_computed_once_and_kept_while_their_blocks_stay(monkeypatch):
    data, V, U, calls = counted(monkeypatch)
    s = State(data, U, V)
    first = s.XU
    assert s.XU is first
    assert s.replace("V", V + 1).XU is first
    assert len(calls) == 1
    np.testing.assert_allclose(s.replace("U", 2 * U).XU, 2 * first)
    assert len(calls) == 2


def test_replacing_a_block_leaves_the_old_state_alone():
    X, _, V, U = problem()
    s = State(as_data(X), U, V)
    before = s.VtV.copy()
    other = s.replace("V", 3 * V)
    np.testing.assert_allclose(other.VtV, 9 * before)
    np.testing.assert_array_equal(s.VtV, before)
    np.testing.assert_array_equal(s.V, V)


def test_rescaling_keeps_the_products_it_can_scale():
    X, _, V, U = problem()
    s = State(as_data(X), U, V)
    s.XU, s.XtV, s.UtU, s.VtV  # noqa: B018
    lengths = np.array([2.0, 0.5, 3.0, 1.0])
    other = s.rescaled(lengths)
    np.testing.assert_allclose(other.V @ other.U.T, V @ U.T)
    fresh = State(as_data(X), U / lengths, V * lengths)
    for name in ("XU", "XtV", "UtU", "VtV"):
        np.testing.assert_allclose(getattr(other, name), getattr(fresh, name))


def test_two_representations_share_the_products_of_their_basis(monkeypatch):
    data, V, U, calls = counted(monkeypatch)
    s = TwofoldState(data, U, V, A=2 * V)
    np.testing.assert_allclose(s.free.VtV, 4 * s.VtV)
    assert s.free.XU is s.XU
    assert len(calls) == 1
    assert s.replace("V", 3 * V).free is s.free
    np.testing.assert_allclose(s.replace("A", 3 * V).free.VtV, 9 * s.VtV)
    assert TwofoldState(data, U, V).A is V


def test_two_representations_are_rescaled_together():
    X, _, V, U = problem()
    s = TwofoldState(as_data(X), U, V, A=2 * V)
    lengths = np.array([2.0, 0.5, 3.0, 1.0])
    other = s.rescaled(lengths)
    np.testing.assert_allclose(other.A, 2 * V * lengths)
    np.testing.assert_allclose(other.alone().A @ other.U.T, 2 * V @ U.T)
