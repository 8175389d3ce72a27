import pickle
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn.cluster import KMeans
from sklearn.preprocessing import normalize

import manifact
from manifact import CF, GNMF, LPNMF, NMF
from manifact.baselines import LNMF
from manifact.graphs import KNNGraph
from manifact.models.clustering import Clusters, means_of_parts, nearest_part, parts_of_clusters

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


@pytest.mark.parametrize("rule", ["kmeans", "argmax", "nearest"])
def test_nothing_at_all_is_in_no_cluster(rule):
    clusters = Clusters(rule, seed=0)
    V = np.zeros((3, 2))
    assert clusters.made(lambda: V).labels.tolist() == [-1, -1, -1]
    new = clusters.of(np.array([[0.0, 0.0], [0.0, 1.0]]), lambda: V)
    assert new.tolist() == [-1, 1 if rule == "argmax" else -1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_model_keeps_its_means(tmp_path, rng, dtype):
    X = rng.random((60, 8)).astype(dtype)
    model = NMF(3, assign="nearest", random_state=0, tol=1e-9, max_iter=3000).fit(X)
    np.testing.assert_array_equal(model.labels_, nearest_part(model.representation_, model._clusters.centres))
    model.save(tmp_path / "m")
    np.testing.assert_array_equal(manifact.load(tmp_path / "m").predict(X), model.predict(X))
    assert np.mean(model.predict(X) == model.labels_) > 0.95


# ---- cluster i is part i ----------------------------------------------------------------------------------------

REPRESENTATIONS = arrays.arrays(
    float, st.tuples(st.integers(1, 12), st.integers(1, 5)), elements=st.sampled_from([0.0, 0.5, 1.0, 2.0, 7.0])
)


@given(REPRESENTATIONS, st.data())
def test_every_cluster_gets_a_part_of_its_own(V, data):
    n, k = V.shape
    labels = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    part_of = parts_of_clusters(V, labels)
    assert set(part_of) == set(labels.tolist())
    assert len(set(part_of.values())) == len(part_of)
    assert set(part_of.values()) <= set(range(k))


@given(REPRESENTATIONS, st.data())
def test_the_numbers_that_k_means_gave_do_not_matter(V, data):
    n, k = V.shape
    labels = np.array(data.draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)))
    other = np.array(data.draw(st.permutations(range(k))))[labels]
    one, two = parts_of_clusters(V, labels), parts_of_clusters(V, other)
    assert [one[label] for label in labels.tolist()] == [two[label] for label in other.tolist()]


def test_no_other_matching_has_more_of_the_parts(rng):
    from itertools import permutations

    V, labels = rng.gamma(0.5, size=(60, 4)) * [1, 10, 0.1, 3], np.arange(60) % 4
    means = np.array([(V / V.sum(axis=0))[labels == cluster].mean(axis=0) for cluster in range(4)])
    found = parts_of_clusters(V, labels)
    best = max(sum(means[c, p] for c, p in enumerate(order)) for order in permutations(range(4)))
    assert sum(means[c, p] for c, p in found.items()) == pytest.approx(best)


def test_a_part_that_is_in_every_sample_does_not_take_every_cluster():
    V = np.array([[9.0, 1, 0], [9, 1.1, 0], [9, 0, 1], [9, 0, 1.1], [10, 0, 0], [10.1, 0, 0]])
    made = Clusters("kmeans", seed=0).made(lambda: V)
    assert V.argmax(axis=1).tolist() == [0] * 6
    assert made.labels.tolist() == [1, 1, 2, 2, 0, 0]
    np.testing.assert_allclose(made.centres, [[10.05, 0, 0], [9, 1.05, 0], [9, 0, 1.05]])


def test_fewer_different_samples_than_parts(recwarn):
    V = np.array([[1.0, 0, 0, 0], [1, 0, 0, 0], [0, 0, 2, 0]])
    clusters = Clusters("kmeans", seed=0)
    assert clusters.made(lambda: V).labels.tolist() == [0, 0, 2]
    assert clusters.of(np.array([[0.0, 1.0, 1.1, 0.0], [0.0, 0.1, 0.0, 0.2]]), lambda: V).tolist() == [2, 0]
    assert not recwarn.list


# ---- made once, when somebody asks ------------------------------------------------------------------------------


def test_threads_get_one_result(rng):
    V, asked = rng.random((200, 3)), []

    def given_V():
        asked.append(1)
        return V

    clusters = Clusters("kmeans", seed=0)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: clusters.made(given_V), range(16)))
    assert len(asked) == 1
    assert all(made is found[0] for made in found)


@pytest.mark.parametrize("copied", [deepcopy, lambda model: pickle.loads(pickle.dumps(model))])
@pytest.mark.parametrize("before", [True, False])
def test_copies_have_the_same_clusters(rng, copied, before):
    X = rng.random((40, 6))
    model = NMF(3, max_iter=5, random_state=np.random.RandomState(3)).fit(X)
    early = model.labels_ if before else None
    again = copied(model)
    assert (again._clusters.labels is None) != before
    np.testing.assert_array_equal(again.labels_, model.labels_ if early is None else early)
    np.testing.assert_array_equal(again.predict(X[:9]), model.predict(X[:9]))


def test_reading_labels_does_not_change_the_next_fit(rng):
    X, asked, silent = rng.random((40, 6)), np.random.RandomState(0), np.random.RandomState(0)
    one, two = (NMF(3, max_iter=5, random_state=state) for state in (asked, silent))
    for _ in range(2):
        one.fit(X).labels_.sum()
        two.fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)


# ---- samples that cannot be placed ------------------------------------------------------------------------------

COSINE = KNNGraph(3, metric="cosine")


@pytest.mark.parametrize("rule", ["kmeans", "argmax", "nearest"])
@pytest.mark.parametrize(
    "model",
    [NMF(3), NMF(3, loss="kullback-leibler"), GNMF(3, graph=COSINE), LPNMF(3, graph=COSINE), CF(3), LNMF(3)],
    ids=lambda model: f"{type(model).__name__} {model._loss.name}",
)
def test_an_empty_sample_has_no_cluster(rng, model, rule):
    X = rng.gamma(0.4, size=(30, 8))
    X[[4, 11]] = 0
    model.set_params(assign=rule, max_iter=20, random_state=0).fit(X)
    assert np.flatnonzero(model.labels_ < 0).tolist() == [4, 11]
    assert np.flatnonzero(model.predict(X[:8]) < 0).tolist() == [4]


def test_neighbours_place_an_empty_sample():
    X = np.repeat(np.eye(2), 6, axis=0)
    X[3] = 0
    W = np.kron(np.eye(2), np.ones((6, 6))) - np.eye(12)
    model = GNMF(2, graph=W, random_state=0).fit(X)
    assert model.labels_[3] == model.labels_[0] >= 0


def test_a_kernel_may_know_where_zero_is():
    X = np.vstack([np.zeros((5, 2)), np.full((5, 2), 3.0)])
    labels = CF(2, kernel="rbf", random_state=0).fit(X).labels_
    assert len(set(labels[:5].tolist())) == 1
    assert sorted(np.unique(labels).tolist()) == [0, 1]
