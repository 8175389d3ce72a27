"""Chains in blocks of rows beside their plain forms."""

import numpy as np
import pytest

from manifact.backends import plain, threads
from manifact.backends.numpy.bound_steps import BLOCK, log_costs, overrelaxed


@pytest.fixture(params=[(3, 2), (BLOCK // 4 + 7, 5)])
def factors(request, rng):
    return [rng.random(request.param).astype(np.float32) + np.float32(1e-3) for _ in range(3)]


@pytest.mark.parametrize("rate", [0.1, 1.0, 7.0])
def test_overrelaxation_is_the_plain_one(factors, rate):
    old, new, _ = factors
    old[0, 0], new[1, 1] = 0, 0
    floors = 1e-3 * new.max(axis=0)
    found = overrelaxed(old, new, rate, 10.0, floors)
    np.testing.assert_allclose(found, plain.overrelaxed(old, new, rate, 10.0, floors), rtol=1e-6)
    assert found[1, 1] == 0
    assert (found >= np.minimum(new, floors)).all()


@pytest.mark.parametrize("whole", [True, False])
def test_costs_are_the_plain_ones_for_any_number_of_threads(factors, whole):
    V, a, c = factors
    a, l2 = (a, a[:, :1]) if whole else (a[:1], 0.3)
    log, costs = log_costs(V, a, c, l2)
    np.testing.assert_array_equal(log, np.log(V))
    np.testing.assert_allclose(costs, plain.log_costs(V, a, c, l2)[1], rtol=1e-6)
    with threads.limit(3):
        np.testing.assert_array_equal(log_costs(V, a, c, l2)[1], costs)
