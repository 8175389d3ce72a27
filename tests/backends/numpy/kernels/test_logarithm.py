import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from manifact.backends.numpy.kernels.logarithm import weighted_log_sum

SMALLEST = float(np.finfo(float).tiny)


@given(arrays(float, st.integers(0, 40), elements=st.floats(SMALLEST, 1e300)))
def test_each_logarithm_is_right_to_the_last_digits(y):
    for value in y:
        alone = np.array([value])
        found = weighted_log_sum(np.ones(1), alone, alone.view(np.int64), np.empty(1))
        assert abs(found - np.log(value)) <= 4e-16 * max(1, abs(np.log(value)))


def test_weights_and_single_precision(rng):
    x, y = rng.random(1000).astype(np.float32), rng.lognormal(0, 20, 1000)
    expected = np.sum(x.astype(float) * np.log(y))
    used = y.copy()
    assert abs(weighted_log_sum(x, used, used.view(np.int64), np.empty(1000)) / expected - 1) < 1e-13


def test_single_precision_has_the_digits_of_its_numbers(rng):
    x, y = rng.random(100_000).astype(np.float32), rng.lognormal(0, 10, 100_000).astype(np.float32)
    expected = np.sum(x.astype(float) * np.abs(np.log(y.astype(float))))
    exact, used = np.sum(x.astype(float) * np.log(y.astype(float))), y.copy()
    found = weighted_log_sum(x, used, used.view(np.int32), np.empty(len(y), np.float32))
    assert abs(found - exact) / expected < 1e-9
    alone = y[:1].copy()
    found = weighted_log_sum(np.ones(1), alone, alone.view(np.int32), np.empty(1, np.float32))
    assert abs(found - np.log(float(y[0]))) < 1e-7 * max(1, abs(np.log(float(y[0]))))
