"""Toy data on a line."""

import numpy as np
import pytest

from manifact.datasets import two_rings
from manifact.experiments.reproduce.separation import overlap, threshold_accuracy
from manifact.experiments.reproduce.tasks.line_embedding import run


@pytest.fixture(scope="module")
def found():
    return run({"data": "two-rings 3", "prepare": "raw", "method": "PCA", "seed": 0})


def test_line_is_the_first_principal_direction(found):
    X = two_rings(random_state=3).X
    centred = X - X.mean(axis=0)
    first = centred @ np.linalg.svd(centred, full_matrices=False)[2][0]
    assert abs(np.corrcoef(first, found["line"])[0, 1]) == pytest.approx(1)


def test_measures_are_those_of_the_line(found):
    line, classes = np.array(found["line"]), np.array(found["classes"])
    assert found["threshold"] == threshold_accuracy(line, classes)
    assert found["overlap"] == pytest.approx(overlap(line, classes))


def test_another_draw_is_another_line(found):
    assert run({"data": "two-rings 4", "prepare": "raw", "method": "PCA", "seed": 0})["line"] != found["line"]
