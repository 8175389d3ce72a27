import numpy as np
import pytest
from tests.conftest import problem
from tests.terms.cases import STATES, state

from manifact.backends import as_data
from manifact.terms.state import State, TwofoldState, ahead


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
    np.testing.assert_allclose(s.second.VtV, 4 * s.VtV)
    assert s.second.XU is s.XU
    assert len(calls) == 1
    assert s.replace("V", 3 * V).second is s.second
    np.testing.assert_allclose(s.replace("A", 3 * V).second.VtV, 9 * s.VtV)
    assert TwofoldState(data, U, V).A is V


def test_two_representations_are_rescaled_together():
    X, _, V, U = problem()
    s = TwofoldState(as_data(X), U, V, A=2 * V)
    lengths = np.array([2.0, 0.5, 3.0, 1.0])
    other = s.rescaled(lengths)
    np.testing.assert_allclose(other.A, 2 * V * lengths)
    np.testing.assert_allclose(other.second.V @ other.U.T, 2 * V @ U.T)


def test_ahead_goes_on_the_same_way():
    before, new = np.array([[1.0, 2.0]]), np.array([[2.0, 1.0]])
    np.testing.assert_allclose(ahead(new, before, 0.5), [[2.5, 0.5]])
    assert ahead(new, before, 0.0) is new
    assert ahead(new.astype(np.float32), before.astype(np.float32), 0.3).dtype == np.float32


def test_a_state_ahead_takes_its_products_along(monkeypatch):
    data, V, U, calls = counted(monkeypatch)
    before, s = State(data, U, V), State(data, 2 * U, V + 1)
    before.XU, s.XU  # noqa: B018
    point = s.ahead(before, 0.5)
    np.testing.assert_allclose(point.U, 2.5 * U)
    np.testing.assert_allclose(point.V, V + 1.5)
    np.testing.assert_allclose(point.XU, 2.5 * before.XU)
    assert len(calls) == 2
    only_V = s.ahead(before, 0.5, "V")
    assert only_V.U is s.U
    np.testing.assert_allclose(only_V.V, V + 1.5)
    assert s.ahead(before, 0.0) is s


@pytest.mark.parametrize("kind", STATES)
def test_a_state_comes_back_from_its_arrays_with_what_it_carried(kind):
    s = state(kind, weighted=True)
    assert set(s.arrays()) == set(s.blocks)
    s.XU, s.XtV, s.UtU  # noqa: B018
    again = type(s).from_arrays(s.data, s.arrays())
    assert set(s.arrays()) == {*s.blocks, "XU", "XtV"}
    for name in s.arrays():
        assert again.arrays()[name] is s.arrays()[name]
