"""Two classes on a line: apart, alike, and in between."""

import numpy as np
import pytest

from manifact.experiments.reproduce.separation import overlap, threshold_accuracy


@pytest.fixture
def y():
    return np.repeat([0, 1], 50)


def test_classes_apart(y):
    v = np.concatenate([np.linspace(0, 1, 50), np.linspace(2, 3, 50)])
    assert threshold_accuracy(v, y) == threshold_accuracy(-v, y) == 1
    assert overlap(v, y) == 0


def test_classes_alike(y):
    v = np.tile(np.linspace(0, 1, 50), 2)
    assert threshold_accuracy(v, y) < 0.55
    assert overlap(v, y) == pytest.approx(1)


def test_one_of_ten_on_the_wrong_side():
    v, y = np.arange(10.0), np.repeat([0, 1], 5)
    v[0] = 9.5
    assert threshold_accuracy(v, y) == 0.9
    # One of five zeros lies in the bin of the largest one.
    assert overlap(v, y, bins=10) == pytest.approx(0.2)
