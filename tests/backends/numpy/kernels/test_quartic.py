import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.reference import kernels as plain

from manifact.backends.numpy import sweep_affinity
from manifact.backends.numpy.kernels.quartic import lowest

numbers = st.floats(-1e3, 1e3, allow_subnormal=False)


@given(a=st.floats(1e-3, 1e3), q=numbers, r=numbers)
def test_the_lowest_point_of_a_quartic(a, q, r):
    def height(t):
        return a * t**4 + q * t**2 + r * t

    found = lowest(a, q, r)
    roots = np.roots([4 * a, 0, 2 * q, r])
    candidates = [0.0, *(root.real for root in roots if root.real > 0)]
    assert found >= 0
    scale = max(abs(a * found**4), abs(q * found**2), abs(r * found), 1e-12)
    assert height(found) <= min(height(t) for t in candidates) + 1e-9 * scale


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "k"), [(1, 1), (12, 3), (40, 7)])
@pytest.mark.parametrize("outside", [0, 3])
def test_a_sweep_equals_its_plain_twin(dtype, n, k, outside, rng):
    G = rng.random((k, k))
    G, B, V, F = (
        P.astype(dtype)
        for P in (G @ G.T, rng.random((n, k)) - 0.3, rng.random((n, k)), rng.standard_normal((n, k + 1)))
    )
    F[: min(outside, n - 1)] = 0
    inside = F.any(axis=1)
    scale = rng.random(n) + 0.1
    expected = plain.sweep_affinity(V, G, B, scale, 0.2, F, inside, 1.7)
    mine = sweep_affinity(V, G, B, scale, 0.2, F, inside, 1.7)
    np.testing.assert_allclose(mine, expected, atol=2e-4 if dtype == np.float32 else 1e-8)
    assert mine.dtype == dtype
