"""Features of parts and samples: the few that are kept."""

import numpy as np
import pytest
from scipy import sparse

from manifact.models.feature_relevance import FLOOR, relevance_of, shares
from manifact.report import part_features
from manifact.report.part_features import candidates, leading, most_weight, searched, strong_parts


@pytest.fixture
def factors(rng):
    return rng.random((4, 200)) ** 6, rng.random((30, 4))


def test_empty_parts_keep_nothing():
    s = shares(np.array([[0.0, 0.0], [1.0, 3.0]]), np.ones((2, 2)))
    assert [top.tolist() for top in candidates(s)] == [[], [0, 1]]


def test_the_page_has_what_any_slider_asks_for(factors):
    U, V = factors
    s = shares(U, V)
    for part, kept in enumerate(candidates(s)):
        given = s.given_part[part]
        visible = np.flatnonzero(given > FLOOR * given.max())
        for lam in part_features.SLIDER:
            order = visible[np.argsort(-relevance_of(given[visible], s.overall[visible], lam))][: part_features.SHOWN]
            assert set(order) <= set(kept)


def test_signed_parts_by_weight(rng):
    U = rng.standard_normal((3, 100))
    for part, kept in zip(U, most_weight(U), strict=True):
        assert set(kept) == set(np.argsort(-part)[: part_features.SHOWN])
    part, held = strong_parts(np.array([[-5.0, 1.0], [1.0, -9.0]]), np.ones(2))
    assert part[:, 0].tolist() == [1, 0]
    np.testing.assert_array_equal(held, [[1, 0], [1, 0]])


def test_a_sample_of_any_sign_is_told_by_what_it_has():
    X = np.array([[3.0, -9.0, 1.0, 0.0], [-3.0, 9.0, -1.0, 0.0]])
    assert leading(X, 2).tolist() == [[0, 2], [1, 4]]


def test_strong_parts_hold_what_they_add(factors):
    U, V = factors
    weight = V.sum(axis=0)
    part, held = strong_parts(U, weight)
    size = U * weight[:, None]
    np.testing.assert_array_equal(part[:, 0], size.argmax(axis=0))
    np.testing.assert_allclose(held.sum(axis=1), 1)
    np.testing.assert_allclose(held[:, 0], size.max(axis=0) / size.sum(axis=0))


def test_only_the_largest_of_very_many_can_be_searched(monkeypatch):
    monkeypatch.setattr(part_features, "SEARCHED", 3)
    assert searched(np.array([5.0, 1, 4, 3, 2]), np.array([1])).tolist() == [0, 1, 2, 3]


def test_leading_features(rng):
    X = rng.random((9, 20)) * (rng.random((9, 20)) < 0.2)
    found = leading(sparse.csr_array(X), 4)
    for row, first in zip(X, found, strict=True):
        expected = np.argsort(-row)[: min(4, np.count_nonzero(row))]
        np.testing.assert_array_equal(first[: len(expected)], expected)
        assert (first[len(expected) :] == 20).all()
    X = rng.random((9, 20)) + 0.01
    np.testing.assert_array_equal(leading(X, 3), np.argsort(-X / X.mean(axis=0), axis=1)[:, :3])
