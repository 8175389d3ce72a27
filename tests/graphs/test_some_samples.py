"""Some samples of many: as many as fit into memory, and no more than are enough."""

from types import SimpleNamespace

import numpy as np
import pytest

from manifact.graphs.some_samples import FEWEST, some_of
from manifact.utils import memory


def samples(n):
    return SimpleNamespace(shape=(n, 10), nbytes=80 * n)


@pytest.mark.parametrize(("n", "expected"), [(300, 300), (5000, 3125), (10_000, 3125), (200_000, 3125)])
def test_six_times_the_samples_that_are_looked_at_fit_into_half_of_the_memory(n, expected, monkeypatch):
    monkeypatch.setattr("manifact.graphs.some_samples.fits", lambda needed: needed <= 2 * 6 * 80 * 3125)
    some = some_of(samples(n))
    assert len(some) == expected
    assert (np.diff(some) > 0).all()
    assert some[-1] < n


def test_where_memory_is_no_trouble_all_are_taken_up_to_what_is_enough():
    assert len(some_of(samples(2000))) == 2000
    assert len(some_of(samples(2000), most=150)) == 150


def test_a_few_are_looked_at_however_little_memory_there_is(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 0)
    np.testing.assert_array_equal(some_of(samples(700)), np.arange(700))


def test_halving_stops_at_the_fewest(monkeypatch):
    monkeypatch.setattr("manifact.graphs.some_samples.fits", lambda needed: False)
    assert len(some_of(samples(10_000))) == len(some_of(samples(10_000), most=1500)) == FEWEST
