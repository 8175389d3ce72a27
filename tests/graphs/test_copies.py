"""Copies of samples count once: the graph of the different samples decides, and no copy is left alone."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import load_digits

from manifact import AffinityNMF, load
from manifact.graphs import KNNGraph
from manifact.graphs.copies import Copies
from manifact.metrics import nmi

KINDS = [np.asarray, sparse.csr_array]


def digits(n=300):
    X, y = load_digits(return_X_y=True)
    return X[:n] / np.linalg.norm(X[:n], axis=1, keepdims=True), y[:n]


def with_copies(X, rng, most):
    """The samples, each with up to ``most`` copies, in any order; and which sample each one is."""
    which = rng.permutation(np.repeat(np.arange(len(X)), rng.integers(1, most + 1, len(X))))
    return X[which], which


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 25), most=st.integers(1, 9), reach=st.integers(1, 8))
def test_the_graph_of_different_samples_decides(seed, n, most, reach):
    rng = np.random.default_rng(seed)
    X = np.arange(1, n + 1)[:, None] ** 1.5 * np.ones(3)
    many, which = with_copies(X, rng, most)
    one, all_ = KNNGraph(reach).build(X), KNNGraph(reach).build(many)
    members = sparse.csr_array((np.ones(len(which)), (which, np.arange(len(which)))), shape=(n, len(which)))
    between = (members @ all_.W @ members.T).toarray()
    off = ~np.eye(n, dtype=bool)
    np.testing.assert_array_equal((between > 0)[off], (one.W.toarray() > 0)[off])
    assert all_.W.max() == (1 if all_.W.nnz else 0)
    assert all_.W.diagonal().sum() == 0
    # As many pieces as without copies.
    assert connected_components(all_.W)[0] == connected_components(one.W)[0]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_without_copies_nothing_changes(kind, metric):
    X = kind(digits()[0])
    once, each = (KNNGraph(metric=metric, copies=copies).build(X).W for copies in ("once", "each"))
    assert (once != each).nnz == 0


@pytest.mark.parametrize("kind", KINDS)
def test_no_copy_is_a_hub(kind):
    many, _ = with_copies(digits()[0], np.random.default_rng(0), 20)
    W, distinct = KNNGraph().build(kind(many)).W, KNNGraph().build(kind(digits()[0])).W
    # Of a group, each takes an equal share of the edges that reach it.
    assert np.diff(W.indptr).max() <= 20 * np.diff(distinct.indptr).max()
    assert connected_components(KNNGraph(copies="each").build(kind(many)).W)[0] > 50
    assert connected_components(W)[0] == connected_components(distinct)[0]


@pytest.mark.parametrize("weight", ["heat", "dot", "cosine", "binary"])
def test_copies_are_as_near_as_can_be(weight):
    X = np.repeat(digits(40)[0], 3, axis=0)
    W = KNNGraph(weight=weight).build(X).W.toarray()
    np.testing.assert_allclose([W[0, 1], W[1, 2], W[2, 0]], 1.0, rtol=1e-12)


def test_all_copies_of_one_sample():
    W = KNNGraph().build(np.ones((5, 2))).W.toarray()
    np.testing.assert_array_equal(W.sum(axis=1), 2)
    assert connected_components(W)[0] == 1


def test_a_sample_without_entries_stays_alone_however_often_it_is_there():
    X = np.vstack([np.zeros((4, 64)), digits(30)[0]])
    W = KNNGraph(metric="cosine").build(X).W
    assert np.diff(W.indptr)[:4].sum() == 0
    assert np.diff(W.indptr)[4:].min() >= 5


def test_clusters_are_those_of_the_different_samples():
    X, y = digits(600)
    many, which = with_copies(X, np.random.default_rng(1), 12)
    labels = AffinityNMF(10, random_state=0).fit(many).labels_
    alone = AffinityNMF(10, random_state=0).fit(X).labels_
    assert nmi(y[which], labels) > nmi(y, alone) - 0.08
    assert np.bincount(labels).max() / len(labels) < 0.25
    # Copies are in one cluster.
    same = np.array([len(np.unique(labels[which == one])) == 1 for one in range(len(X))])
    assert same.mean() > 0.97


def test_new_samples_see_each_different_sample_once(tmp_path):
    X, _ = digits(200)
    many, _ = with_copies(X, np.random.default_rng(2), 6)
    new = digits(260)[0][200:]
    model = AffinityNMF(5, graph=KNNGraph(), random_state=0).fit(many)
    tied = model.graph_.tie(new, np.ones((len(many), 1)))[1]
    alone = KNNGraph().build(X).tie(new, np.ones((len(X), 1)))[1]
    np.testing.assert_array_equal(tied, alone)
    model.save(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(load(tmp_path / "model.safetensors").transform(new), model.transform(new))


def test_groups():
    copies = Copies(sparse.csr_array([[0.0, 1.0], [2.0, 0.0], [0.0, 1.0]]))
    np.testing.assert_array_equal(copies.heads, [0, 1])
    np.testing.assert_array_equal(copies.group, [0, 1, 0])
    assert not copies.none
    assert Copies(np.eye(3)).none


def test_two_copies_are_joined():
    W = KNNGraph(1).build(np.array([[0.0], [0.0], [4.0], [9.0]])).W.toarray()
    np.testing.assert_array_equal(W[:2, :2], [[0, 1], [1, 0]])
