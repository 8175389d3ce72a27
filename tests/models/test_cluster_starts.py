"""Clusters that a model starts from, and parts made of them that are apart."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import nnls
from tests.conftest import KINDS, problem

from manifact import CF, GNMF, LCCF, LCF, LPNMF, SPNMF
from manifact.graphs import KNNGraph, as_builder
from manifact.models import cluster_starts as starts
from manifact.models import short_runs

MODELS = [GNMF, LPNMF, SPNMF, LCCF, CF, LCF]


def seeded():
    return np.random.RandomState(0)


def groups(k=3, size=20, m=12, seed=0):
    """Samples of k groups, each of which has features of its own."""
    rng = np.random.default_rng(seed)
    labels = np.arange(k * size) % k
    X = 0.2 * rng.random((k * size, m))
    for group in range(k):
        X[labels == group, group * (m // k) : (group + 1) * (m // k)] += 1
    return X, labels


def same_partition(a, b):
    return len(set(zip(a, b, strict=True))) == len(set(a)) == len(set(b))


@pytest.mark.parametrize("seed", range(3))
def test_the_normalised_cut_is_the_mean_share_of_what_leaves_a_cluster(seed):
    _, W, _, _ = problem(seed)
    labels = np.random.default_rng(seed).integers(0, 4, len(W))
    leaving = [W[labels == c][:, labels != c].sum() / W[labels == c].sum() for c in range(4)]
    graph = as_builder(W).build(np.eye(len(W)))
    assert starts.normalized_cut(graph, labels, 4) == pytest.approx(np.mean(leaving), abs=1e-12)


def test_without_edges_nothing_is_cut():
    graph = as_builder(np.zeros((4, 4))).build(np.eye(4))
    assert starts.normalized_cut(graph, np.array([0, 0, 1, 1]), 2) == 0


def test_averaged_memberships_still_sum_to_one():
    X, labels = groups()
    W = KNNGraph(4).build(X).W.toarray()
    W[5], W[:, 5] = 0, 0
    members = starts.averaged(starts.indicator(labels, 3), as_builder(W).build(X), 2)
    np.testing.assert_allclose(members.sum(axis=1), 1)
    # Half of it its own, half its neighbours', twice; who has no neighbours keeps all.
    np.testing.assert_array_equal(members[5], starts.indicator(labels, 3)[5])
    degrees = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1)
    step = 0.5 * np.eye(len(W)) + 0.5 * (W / degrees[:, None] + np.diag(W.sum(axis=1) == 0))
    np.testing.assert_allclose(members, step @ step @ starts.indicator(labels, 3), atol=1e-12)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parts_are_those_of_non_negative_least_squares(kind, dtype):
    X, labels = groups()
    members = starts.indicator(labels, 3)
    U, V = starts.parts_apart(KINDS[kind](X.astype(dtype)), members, seeded())
    assert U.dtype == V.dtype == dtype
    assert U.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1, rtol=1e-5)
    expected = np.array([nnls(members + 1, column)[0] for column in X.T])
    lengths = np.linalg.norm(expected, axis=0)
    np.testing.assert_allclose(U, expected / lengths, atol=1e-9 if dtype == np.float64 else 1e-5)
    np.testing.assert_allclose(V, (members + 0.01) * lengths, rtol=1e-5)


def test_parts_leave_out_what_all_samples_share():
    X, labels = groups()
    U, _ = starts.parts_apart(X + 2, starts.indicator(labels, 3), seeded())
    means = np.array([(X + 2)[labels == group].mean(axis=0) for group in range(3)])
    means /= np.linalg.norm(means, axis=1)[:, None]
    assert (means @ means.T).min() > 0.9
    assert (U.T @ U - np.eye(3)).max() < 0.5


def test_a_cluster_of_nobody_gets_a_sample_that_is_not_empty():
    X, labels = groups()
    X[::2] = 0
    U, V = starts.parts_apart(X, np.hstack([starts.indicator(labels, 3), np.zeros((60, 2))]), seeded())
    assert U.any(axis=0).all()
    assert V.min() > 0
    nothing, _ = starts.parts_apart(np.zeros((6, 4)), starts.indicator(np.arange(6) % 2, 2), seeded())
    np.testing.assert_allclose(nothing, 0.5)


def test_crumbs_of_a_graph_are_left_for_the_clusters_of_nmf():
    """Three groups in one piece and two crumbs: spectral clusters are the pieces, a plain NMF finds the groups."""
    X, labels = groups()
    X, labels = np.tile(X, (12, 1)), np.tile(labels, 12)
    n = len(X)
    W = np.where(labels[:, None] == labels, 1.0, 0.2) * (1 - np.eye(n))
    X, W = np.vstack([X, X[[0, 3, 1, 4]]]), np.pad(W, (0, 4))
    W[n, n + 1] = W[n + 1, n] = W[n + 2, n + 3] = W[n + 3, n + 2] = 1e-3
    found, own = starts.graph_clusters(X, 3, seeded(), as_builder(W).build(X))
    assert not own
    assert same_partition(found[:n], labels)
    whole, own = starts.graph_clusters(X[:60], 3, seeded(), KNNGraph(5).build(X[:60]))
    assert own
    assert same_partition(whole, labels[:60])


def test_a_crowd_alone_is_no_fault():
    """A large group and a small one that nothing ties to it: an NMF would divide the large one, and cut much more."""
    generator = np.random.default_rng(0)
    X = 0.2 * generator.random((315, 12))
    X[:150, :4] += generator.random((150, 4))
    X[150:300, 2:6] += generator.random((150, 4))
    X[300:, 8:] += 1
    found, own = starts.graph_clusters(X, 2, seeded(), KNNGraph(5).build(X))
    assert own
    assert same_partition(found, np.repeat([0, 1], [300, 15]))


def test_signed_samples_have_the_clusters_of_their_graph():
    X, labels = groups()
    found, own = starts.graph_clusters(X - 0.5, 3, seeded(), KNNGraph(5).build(X - 0.5))
    assert own
    assert same_partition(found, labels)
    fitted = LCCF(3, random_state=0).fit(X - 0.5)
    assert same_partition(fitted.representation_.argmax(axis=1), labels)


def test_a_graph_without_edges_leaves_the_samples():
    X, labels = groups()
    found, own = starts.graph_clusters(X, 3, seeded(), as_builder(np.zeros((60, 60))).build(X))
    assert not own
    assert same_partition(found, labels)


@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_concepts_are_means_of_their_own_samples(kind):
    X, labels = groups()
    C, V = starts.concepts_apart(KINDS[kind](X), starts.indicator(labels, 3))
    np.testing.assert_allclose(C.sum(axis=0), 1)
    np.testing.assert_array_equal(C > 0, starts.indicator(labels, 3) > 0)
    np.testing.assert_allclose(V, starts.indicator(labels, 3) + 0.01)


def test_concepts_that_are_alike_are_made_of_fewer_samples():
    X, labels = groups(size=64)
    X = X + 3
    C, _ = starts.concepts_apart(X, starts.indicator(labels, 3))
    assert ((C > 0).sum(axis=0) == starts.EXEMPLARS).all()
    assert (starts.indicator(labels, 3)[C > 0] == 1).all()
    assert starts._closest(X, C) < starts._closest(X, starts.indicator(labels, 3) / 64)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("k", [1, 3, 30])
def test_any_number_of_parts_has_a_start(model, k):
    X = groups()[0][:24]
    fitted = model(k, random_state=0).fit(X)
    assert fitted.representation_.shape == (24, k)
    assert np.isfinite(fitted.representation_).all()
    assert np.isfinite(fitted.objective_).all()


@pytest.mark.parametrize("model", MODELS)
def test_a_start_is_the_same_for_a_seed_and_for_any_kind_of_data(model):
    X, labels = groups()
    one, two = (model(3, random_state=0).fit(X).representation_ for _ in range(2))
    np.testing.assert_array_equal(one, two)
    np.testing.assert_allclose(model(3, random_state=0).fit(sparse.csr_array(X)).representation_, one, atol=1e-6)
    single = model(3, random_state=0).fit(X.astype(np.float32)).representation_
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, one, rtol=1e-2, atol=1e-2)
    assert same_partition(one.argmax(axis=1), labels)


def ring_and_pairs(pairs=5, size=580):
    """A ring in one piece, and pairs of samples that nothing ties to it."""
    n = size + 2 * pairs
    rows = np.arange(size)
    W = sparse.lil_array((n, n))
    for step in (1, 2):
        W[rows, (rows + step) % size] = 1
    for first in range(size, n, 2):
        W[first, first + 1] = 1
    W = sparse.csr_array(W)
    return sparse.csr_array(W.maximum(W.T)), n


def test_pairs_are_crumbs_however_few_the_samples_are():
    W, n = ring_and_pairs()
    X, labels = groups(6, n // 6 + 1, 24)
    # Groups lie side by side on the ring, as classes of a graph do.
    X, labels = X[np.argsort(labels, kind="stable")][:n], np.sort(labels)[:n]
    found, own = starts.graph_clusters(X, 6, seeded(), as_builder(W).build(X))
    assert not own
    assert np.bincount(found).max() < 0.25 * n


def test_a_graph_times_one_is_the_same_graph():
    X, _ = groups()
    one, other = (GNMF(3, graph=graph, random_state=0).fit(X) for graph in (KNNGraph(4), 1 * KNNGraph(4)))
    assert same_partition(one.labels_, other.labels_)


@pytest.mark.parametrize("model", [CF, LCF, LCCF])
def test_no_concept_starts_dead(model):
    X = np.repeat(np.eye(3), 12, axis=0) + 0.1
    fitted = model(4, random_state=0).fit(X)
    assert np.linalg.norm(fitted.concepts_, axis=1).min() > 0


def test_an_interrupt_while_the_start_is_made_is_one(monkeypatch):
    interrupted = short_runs.run

    def run(*args, **options):
        def stop(iteration):
            raise KeyboardInterrupt

        return interrupted(*args, **options, callbacks=[stop])

    monkeypatch.setattr(short_runs, "run", run)
    with pytest.raises(KeyboardInterrupt, match="before the first iteration"):
        starts.nmf_clusters(groups()[0], 3, np.random.RandomState(0))
