"""Shares of features in parts, and what ranks them."""

import numpy as np
import pytest

from manifact.models.feature_relevance import FLOOR, ranked, relevance_of, shares


@pytest.fixture
def factors(rng):
    return rng.random((4, 200)) ** 6, rng.random((30, 4))


def test_shares_are_those_of_the_reconstruction(factors):
    U, V = factors
    s = shares(U, V)
    Y = V @ U
    np.testing.assert_allclose(s.given_part.sum(axis=1), 1)
    np.testing.assert_allclose(s.overall, Y.sum(axis=0) / Y.sum())


def test_empty_parts_have_no_shares():
    s = shares(np.array([[0.0, 0.0], [1.0, 3.0]]), np.ones((2, 2)))
    assert s.given_part.tolist() == [[0, 0], [0.25, 0.75]]


def test_relevance():
    given, overall = np.array([0.5, 0.1, 0.0]), np.array([0.5, 0.02, 0.1])
    np.testing.assert_allclose(relevance_of(given, overall, 1.0)[:2], np.log(given[:2]))
    np.testing.assert_allclose(relevance_of(given, overall, 0.0)[:2], np.log([1.0, 5.0]))
    expected = 0.3 * np.log(0.1) + 0.7 * np.log(5.0)
    np.testing.assert_allclose(relevance_of(given, overall, 0.3)[1:], [expected, -np.inf])


@pytest.mark.parametrize("lam", [0.0, 0.6, 1.0])
def test_the_scale_of_parts_does_not_matter(factors, lam):
    U, V = factors
    scale = np.array([0.1, 1, 10, 100])
    first, second = ranked(U, V, 7, lam), ranked(U * scale[:, None], V / scale, 7, lam)
    np.testing.assert_array_equal(first, second)
    for part, row in zip(U, first, strict=True):
        assert (part[row] > FLOOR * part.max()).all()


@pytest.mark.parametrize("lam", [0.0, 0.6, 1.0])
def test_a_part_that_nobody_has_shows_its_largest_features_first(lam):
    components, V = np.array([[1, 0, 0, 0, 0], [0, 0.1, 0.5, 0.3, 0.1]]), np.array([[1.0, 0], [2, 0]])
    assert ranked(components, V, 3, lam)[1].tolist() == [2, 3, 1]
