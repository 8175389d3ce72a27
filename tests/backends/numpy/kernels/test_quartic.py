import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import kernels as plain

from manifact.backends import threads
from manifact.backends.numpy import sweep_affinity
from manifact.backends.numpy.kernels.quartic import best_share

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


@given(first=numbers, second=numbers, third=numbers, fourth=numbers)
def test_no_share_of_the_way_is_better(first, second, third, fourth):
    def height(t):
        return first * t + second * t**2 + third * t**3 + fourth * t**4

    found = best_share(first, second, third, fourth)
    assert 0 <= found <= 1
    scale = max(map(abs, (first, second, third, fourth)))
    assert height(found) <= min(0, height(np.linspace(0, 1, 1001)).min()) + 1e-9 * scale


def test_what_is_not_finite_is_left_for_the_objective_to_show():
    assert best_share(np.nan, 1.0, 0.0, 1.0) == 1.0


def problem(rng, n, k, outside=0, dtype=np.float64):
    G = rng.random((k, k))
    G, B, V, F = (
        P.astype(dtype)
        for P in (G @ G.T, rng.random((n, k)) - 0.3, rng.random((n, k)), rng.standard_normal((n, k + 1)))
    )
    F[: min(outside, n - 1)] = 0
    return V, G, B, F, F.any(axis=1)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (12, 3), (40, 7)])
@pytest.mark.parametrize("outside", [0, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_rounds_equal_their_plain_twin(dtype, n, k, outside, weighted, rng):
    V, G, B, F, inside = problem(rng, n, k, outside, dtype)
    scale = rng.random(n) + 0.1 if weighted else np.full(n, 0.8)
    expected = plain.sweep_affinity(V, G, B, scale, 0.2, F, inside, 1.7, 3)
    mine = sweep_affinity(V, G, B, scale if weighted else 0.8, 0.2, F, inside, 1.7, 3)
    np.testing.assert_allclose(mine, expected, atol=2e-4 if dtype == np.float32 else 1e-6)
    assert mine.dtype == dtype


@given(seed=st.integers(0, 100), outside=st.integers(0, 5), mu=st.floats(1e-3, 1e2), size=st.floats(1e-2, 1e2))
def test_no_round_raises_the_sum(seed, outside, mu, size):
    V, G, B, F, inside = problem(np.random.default_rng(seed), 20, 4, outside)
    V, scale = size * V, np.linspace(0, 2, 20)
    values = []
    for _ in range(6):
        values.append(plain.affinity_sum(V, G, B, scale, 0.1, F, inside, mu))
        V = sweep_affinity(V, G, B, scale, 0.1, F, inside, mu, 1)
        assert (V >= 0).all()
    assert (np.diff(values) <= 1e-10 * np.abs(values).max()).all()


def test_rows_do_not_depend_on_the_number_of_threads(rng):
    V, G, B, F, inside = problem(rng, 3000, 40, 5)
    found = []
    for count in (1, 2, 5):
        with threads.limit(count):
            found.append(sweep_affinity(V, G, B, 1.0, 0.0, F, inside, 0.1, 3))
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])
