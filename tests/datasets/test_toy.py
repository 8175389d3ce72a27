import numpy as np
import pytest

from manifact.datasets import crossing_lines, synthetic_documents, three_gaussians, two_rings
from manifact.datasets.toy import CENTRES, DEVIATION


@pytest.mark.parametrize("make", [two_rings, crossing_lines, three_gaussians])
def test_toys_are_non_negative_and_repeatable(make):
    one, other = make(random_state=3), make(random_state=3)
    np.testing.assert_array_equal(one.X, other.X)
    assert one.X.min() >= 0
    assert (np.diff(one.y) >= 0).all()


def test_rings_have_the_papers_radii():
    data = two_rings(n_samples=20000, random_state=0)
    radius = np.linalg.norm(data.X - data.X.mean(axis=0), axis=1)
    for ring, mean in enumerate((0.8, 1.0)):
        assert radius[data.y == ring].mean() == pytest.approx(mean, abs=0.01)
        assert radius[data.y == ring].std() == pytest.approx(0.02, abs=0.01)


def test_lines_cross_at_right_angles():
    data = crossing_lines(n_samples=20000, random_state=0)
    for line in (0, 1):
        spread = data.X[data.y == line].var(axis=0)
        assert spread[line] == pytest.approx(0.02, abs=0.002)
        assert spread[1 - line] == pytest.approx(1 / 3, abs=0.01)


def test_gaussians_sit_at_their_centres():
    data = three_gaussians(n_samples=30000, random_state=0)
    for part in range(3):
        np.testing.assert_allclose(data.X[data.y == part].mean(axis=0), CENTRES[part], atol=0.02)
        np.testing.assert_allclose(data.X[data.y == part].std(axis=0), DEVIATION, atol=0.02)


def test_synthetic_documents_have_topics_of_their_own():
    data = synthetic_documents(2000, n_features=5000, n_topics=5)
    assert data.X.dtype == np.float32
    assert data.X.sum(axis=1) == pytest.approx(103)
    means = np.stack([np.asarray(data.X[data.y == t].mean(axis=0)).ravel() for t in range(5)])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    assert (means @ means.T)[~np.eye(5, dtype=bool)].max() < 0.8
    np.testing.assert_array_equal(synthetic_documents(2000, n_features=5000, n_topics=5).X.data, data.X.data)
