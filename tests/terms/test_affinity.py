import numpy as np
import pytest
from tests.terms.cases import embedding, state

from manifact.backends import as_data
from manifact.terms import Affinity, State


def test_samples_without_an_embedding_are_left_out():
    s, F = state(), embedding(empty=5)
    expected = 0.3 * np.sum((F[5:] @ F[5:].T - s.V[5:] @ s.V[5:].T) ** 2)
    assert Affinity(F, 0.3).value(s) == pytest.approx(expected)
    moved = s.V.copy()
    moved[:5] *= 7
    assert Affinity(F, 0.3).value(s.replace("V", moved)) == pytest.approx(expected)


def test_two_of_them_on_one_state_have_their_own_values():
    s, F = state(), embedding()
    one, other = Affinity(F, 0.3), Affinity(2 * F, 0.3)
    assert one.value(s) == Affinity(F, 0.3).value(state())
    assert other.value(s) == Affinity(2 * F, 0.3).value(state())


def test_two_on_the_same_samples_are_one_and_a_constant():
    one, other = Affinity(embedding(), 0.3), Affinity(embedding()[:, ::-1] * 2, 0.5)
    both, s = one.added(other), state()
    gaps = [both.value(at) - one.value(at) - other.value(at) for at in (s, s.replace("V", 2 * s.V))]
    assert gaps[0] == pytest.approx(gaps[1], rel=1e-9)
    assert one.added(Affinity(embedding(empty=3), 0.5)) is None


def test_the_gradient_has_the_type_of_the_factors_on_every_backend():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    s, term = state(), Affinity(embedding(), 0.3)
    single = State(as_data(torch.ones((24, 20))), torch.ones((20, 4)), torch.tensor(s.V, dtype=torch.float32))
    for mine, expected in zip(term.gradient(single, "V"), term.gradient(s, "V"), strict=True):
        assert mine.dtype == torch.float32
        np.testing.assert_allclose(mine.numpy(), expected, rtol=1e-5, atol=1e-5)


def test_more_samples_than_are_summed_without_a_kernel():
    F = np.ones((5000, 1))
    F[:7] = 0
    V = np.full((5000, 2), 0.5)
    s = State(as_data(np.ones((5000, 3))), np.ones((3, 2)), V)
    assert Affinity(F, 0.3).value(s) == pytest.approx(0.3 * 4993**2 * 0.5**2)
