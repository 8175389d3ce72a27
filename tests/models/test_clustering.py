import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

import manifact
from manifact import NMF
from manifact.models.clustering import means_of_parts, nearest_part

#: The first part is in every sample; the second group has a little more of it than of its own.
SHARED = np.array([[1.0, 0.1, 0], [0.9, 0, 0.1], [1, 0, 0], [1, 0.95, 0], [0.9, 1, 0], [0.8, 1, 0], [0.1, 0, 1]])


def test_a_sample_goes_with_the_part_whose_samples_it_is_most_like():
    assert SHARED.argmax(axis=1).tolist() == [0, 0, 0, 0, 1, 1, 2]
    assert nearest_part(SHARED, means_of_parts(SHARED)).tolist() == [0, 0, 0, 1, 1, 1, 2]


def test_it_is_one_step_of_k_means_from_the_largest_parts(rng):
    V = rng.gamma(0.5, size=(200, 6))
    rows, largest = normalize(V), V.argmax(axis=1)
    centres = np.array([rows[largest == part].mean(axis=0) for part in range(6)])
    np.testing.assert_allclose(means_of_parts(V), centres)
    # The labels of the first of its steps.
    step = KMeans(6, init=centres, n_init=1, max_iter=1).fit(rows)
    np.testing.assert_array_equal(nearest_part(V, means_of_parts(V)), KMeans.predict(_at(step, centres), rows))


def _at(fitted, centres):
    fitted.cluster_centers_ = centres
    return fitted


@pytest.mark.parametrize(("fitted", "new"), [(np.float32, np.float64), (np.float64, np.float32)])
def test_new_samples_may_be_of_another_type(rng, fitted, new):
    X = rng.random((30, 6))
    model = NMF(3, assign="kmeans", random_state=0).fit(X.astype(fitted))
    np.testing.assert_array_equal(model.predict(X.astype(new)), model.predict(X.astype(fitted)))


def test_the_length_of_a_row_does_not_matter(rng):
    V = rng.gamma(0.5, size=(50, 4))
    means = means_of_parts(V)
    np.testing.assert_array_equal(nearest_part(V, means), nearest_part(V * rng.uniform(0.1, 9, (50, 1)), means))


def test_parts_that_are_nobodys_largest_have_no_samples():
    V = np.array([[1.0, 0.5, 0.2], [0.9, 0.6, 0], [0, 0.1, 1]])
    means = means_of_parts(V)
    assert not means[1].any()
    assert nearest_part(np.vstack([V, [0, 1, 0]]), means).tolist() == [0, 0, 2, 0]


def test_nothing_at_all_is_in_the_first_cluster():
    V = np.zeros((3, 2))
    assert nearest_part(V, means_of_parts(V)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_model_keeps_its_means(tmp_path, rng, dtype):
    X = rng.random((60, 8)).astype(dtype)
    model = NMF(3, assign="nearest", random_state=0, tol=1e-9, max_iter=3000).fit(X)
    np.testing.assert_array_equal(model.labels_, nearest_part(model.representation_, model._part_means))
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(manifact.load(tmp_path / "m").predict(X), model.predict(X))
    assert np.mean(model.predict(X) == model.labels_) > 0.95
