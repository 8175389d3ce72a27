"""The map: groups that are apart in V are apart on it, and it is the same every time."""

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier

from manifact.report import sample_map as room
from manifact.report.sample_map import layout, placed


def mixtures(n, k, seed=0):
    """Samples with one heavy part each, at all scales."""
    rng = np.random.default_rng(seed)
    part = rng.integers(0, k, n)
    V = rng.random((n, k)) * 0.2
    V[np.arange(n), part] += 1
    return V * rng.uniform(0.1, 10, (n, 1)), part


def separation(positions, part):
    """Share of samples whose neighbours on the map have their part."""
    return KNeighborsClassifier(6).fit(positions, part).score(positions, part)


def test_parts_lie_apart():
    V, part = mixtures(300, 5)
    positions = layout(V)
    assert positions.shape == (300, 2)
    assert positions.min() >= 0
    assert positions.max() <= 1
    assert np.ptp(positions, axis=0).max() > 0.9
    assert separation(positions, part) > 0.97


def test_samples_beside_the_anchors(monkeypatch):
    monkeypatch.setattr(room, "ANCHORS", 200)
    V, part = mixtures(1500, 5)
    positions = layout(V)
    assert separation(positions, part) > 0.97
    assert len(np.unique(positions, axis=0)) == 1500


def test_the_same_every_time():
    V, _ = mixtures(120, 4)
    np.testing.assert_array_equal(layout(V), layout(V.copy()))


@pytest.mark.parametrize(
    "V",
    [np.ones((1, 3)), np.ones((2, 1)), np.ones((40, 3)), np.zeros((12, 2)), np.arange(30.0)[:, None], np.eye(5)],
    ids=["one sample", "one part", "all alike", "nothing", "a line", "few"],
)
def test_odd_shapes(V):
    positions = layout(V)
    assert positions.shape == (len(V), 2)
    assert np.isfinite(positions).all()
    assert len(np.unique(positions, axis=0)) == len(V)


def test_positions_that_were_given_keep_their_shape():
    given = np.array([[-10.0, 2.0], [10.0, 2.0], [0.0, 12.0], [0.0, 7.0]])
    found = placed(given)
    assert found.min() >= 0
    assert found.max() <= 1
    apart = np.linalg.norm(given[:, None] - given, axis=2)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found, axis=2), apart * 0.96 / 20, rtol=1e-9)
    assert found[2, 1] > found[3, 1] > found[0, 1], "what was above is above"
