import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from tests.conftest import problem

from manifact.backends.numpy import column_systems
from manifact.graphs import AffinityGraph, Graph, KNNGraph, LabelGraph, LandmarkGraph, SumOfGraphs
from manifact.graphs.affinity_matrix import check_affinity
from manifact.utils.stored_classes import stored_class


def graphs():
    X, W, _, _ = problem()
    y = np.arange(len(X)) % 3 - 1
    affinity = AffinityGraph(check_affinity(W))
    labels = LabelGraph().build(X, y)
    return {"affinity": affinity, "labels": labels, "sum": SumOfGraphs([affinity, labels], [0.5, 2.0])}


@pytest.mark.parametrize("name", ["affinity", "labels", "sum"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_graph_is_the_operator_of_its_matrix(name, dtype, rng):
    graph = graphs()[name]
    n = graph.n_samples
    W = graph.adjacency(np.eye(n))
    L = np.diag(W.sum(axis=1)) - W
    V, B = rng.random((n, 3)).astype(dtype), rng.random((n, 3)).astype(dtype)
    close = {"rtol": 1e-9 if dtype == np.float64 else 1e-4, "atol": 1e-9 if dtype == np.float64 else 1e-4}
    assert not np.diag(W).any()
    np.testing.assert_allclose(graph.degrees, W.sum(axis=1))
    np.testing.assert_allclose(graph.adjacency(V), W @ V, **close)
    np.testing.assert_allclose(graph.laplacian(V), L @ V, **close)
    np.testing.assert_allclose(graph.energy(V, B), np.trace(V.T @ L @ B), **close)
    np.testing.assert_allclose(graph.solve(np.ones(3), 7.0, B), np.linalg.solve(np.eye(n) + 7 * L, B), **close)
    d = np.where(W.sum(axis=1) > 0, W.sum(axis=1), 1) ** -0.5
    np.testing.assert_allclose(graph.normalized() @ V.astype(float), (d[:, None] * W * d) @ V, **close)
    assert graph.adjacency(V).dtype == dtype


def solvable():
    """Every kind of graph, alone and in sums."""
    X, _, _, _ = problem(n=60)
    y = np.arange(60) % 4 - 1
    kinds = {
        "neighbours": KNNGraph(4, weight="heat").build(X),
        "cliques": LabelGraph().build(X, y),
        "cliques by class": LabelGraph("class").build(X, y),
        "landmarks": LandmarkGraph(n_landmarks=12, n_neighbors=3).build(X),
    }
    alike = [kinds["landmarks"], LandmarkGraph(n_landmarks=7, n_neighbors=2, landmarks="random").build(X)]
    return kinds | {
        "a weighted one": SumOfGraphs([kinds["landmarks"]], [2.5]),
        "two of landmarks": SumOfGraphs(alike, [0.3, 4.0]),
        "all": SumOfGraphs(list(kinds.values()), [0.5, 2.0, 0.0, 3.0]),
        "a sum of sums": SumOfGraphs([SumOfGraphs(alike, [1.0, 2.0]), kinds["neighbours"]], [0.7, 0.1]),
    }


SOLVABLE = solvable()


@pytest.mark.parametrize("name", SOLVABLE)
@pytest.mark.parametrize("lam", [0.1, 100.0])
@pytest.mark.parametrize("diagonal", ["number", "row", "entries"])
def test_conjugate_gradients_equal_a_dense_solve(name, lam, diagonal, rng):
    graph = SOLVABLE[name]
    W = graph.adjacency(np.eye(60))
    L = np.diag(graph.degrees) - W
    np.testing.assert_allclose(L.sum(axis=1), 0, atol=1e-12)
    A = {"number": np.ones(5), "row": rng.random((1, 5)) + 0.1, "entries": rng.random((60, 5)) + 0.1}[diagonal]
    B = rng.random((60, 5))
    expected = np.column_stack(
        [np.linalg.solve(np.diag(np.broadcast_to(A, (60, 5))[:, c]) + lam * L, B[:, c]) for c in range(5)]
    )
    np.testing.assert_allclose(graph.solve(A, lam, B), expected, rtol=1e-8)
    np.testing.assert_allclose(Graph.solve(graph, A, lam, B), expected, rtol=1e-8)


def test_self_loops_are_dropped_at_the_door():
    W = problem()[1]
    looped = W + np.diag(np.arange(len(W)))
    np.testing.assert_array_equal(check_affinity(looped).toarray(), W)
    assert looped[3, 3] == 3


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda W: W[:-1], "square affinity matrix, got"),
        (lambda W: "knn", "graph must be a graph builder such as KNNGraph"),
        (lambda W: np.where(np.triu(W) > 0, W, 0), r"graph is not symmetric .*W.maximum\(W.T\)"),
        (lambda W: -W, "graph has a negative affinity"),
        (lambda W: np.where(W > 0, np.nan, W), "graph contains NaN or infinity"),
    ],
)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_matrix])
def test_bad_affinities_are_refused(change, sentence, kind):
    W = change(problem()[1])
    if isinstance(W, np.ndarray):
        W = kind(W)
    with pytest.raises(ValueError, match=sentence):
        check_affinity(W)


def test_an_affinity_cannot_tie_new_samples():
    with pytest.raises(ValueError, match="tie=True needs a graph that finds neighbours of new samples"):
        graphs()["affinity"].tie(problem()[0], problem()[2])


def test_a_graph_says_whether_it_can_tie():
    assert not graphs()["affinity"].can_tie
    assert not graphs()["sum"].can_tie, "one of its parts cannot"
    assert SOLVABLE["all"].can_tie


def test_a_sum_of_neighbour_graphs_ties_by_its_parts():
    X = problem()[0]
    one, two = KNNGraph(2).build(X), KNNGraph(4).build(X)
    both = SumOfGraphs([one, two], [1.0, 3.0])
    V = problem()[2]
    for mine, first, second in zip(both.tie(X, V), one.tie(X, V), two.tie(X, V), strict=True):
        np.testing.assert_allclose(mine, first + 3 * second)


@pytest.mark.parametrize("lam", [0.1, 10.0, 1000.0])
@pytest.mark.parametrize("warm", [False, True])
def test_columns_with_different_matrices_are_solved_together(lam, warm, rng):
    W = problem(n=60)[1]
    L = np.diag(W.sum(axis=1)) - W
    A = rng.random((60, 5)) + 0.5
    B = rng.random((60, 5))
    Z = AffinityGraph(check_affinity(W)).solve(A, lam, B, start=rng.random((60, 5)) if warm else None)
    expected = np.stack([np.linalg.solve(np.diag(A[:, c]) + lam * L, B[:, c]) for c in range(5)], axis=1)
    np.testing.assert_allclose(Z, expected, rtol=1e-9)


@pytest.mark.parametrize("name", ["affinity", "labels", "sum"])
def test_a_zero_right_hand_side_gives_zero(name, rng):
    graph = graphs()[name]
    B = rng.random((24, 3))
    B[:, 1] = 0
    Z = graph.solve(np.ones(3), 5.0, B, start=rng.random((24, 3)))
    assert not Z[:, 1].any()
    assert Z[:, 0].all()


@pytest.mark.parametrize("name", ["affinity", "labels", "sum"])
@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_the_tolerance_is_met_in_every_column(name, tol, rng):
    graph = graphs()[name]
    B = rng.random((24, 6)) * 10.0 ** np.arange(-3, 3)
    Z = graph.solve(np.ones(6), 50.0, B, tol=tol)
    residual = np.linalg.norm(B - Z - 50 * graph.laplacian(Z), axis=0) / np.linalg.norm(B, axis=0)
    assert (residual <= 1.01 * tol).all()


@pytest.mark.parametrize("lam", [100.0, 1e6, 1e8])
def test_single_precision_factors_are_solved_in_double(rng, lam):
    W = problem(n=200)[1]
    B = rng.random((200, 3)).astype(np.float32)
    Z = AffinityGraph(check_affinity(W)).solve(np.ones(3, dtype=np.float32), lam, B)
    expected = np.linalg.solve(np.eye(200) + lam * (np.diag(W.sum(axis=1)) - W), B.astype(float))
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z, expected, rtol=1e-4)


def test_a_solve_that_does_not_get_there_says_so(monkeypatch, rng):
    monkeypatch.setattr(column_systems, "MOST_STEPS", 2)
    graph, B = graphs()["affinity"], rng.random((24, 1))
    with pytest.warns(ConvergenceWarning, match="a linear solve ended at the relative residual .*: lower graph_reg"):
        graph.solve(np.full(1, 1e-6), 1e3, B)


def test_a_solve_that_was_asked_for_little_does_not_warn(monkeypatch, recwarn, rng):
    monkeypatch.setattr(column_systems, "FEW_STEPS", 2)
    graph, B = graphs()["affinity"], rng.random((24, 1))
    graph.solve(np.full(1, 1e-6), 1e3, B, start=np.zeros_like(B), reduction=0.1)
    assert not recwarn.list


def test_the_graph_of_some_samples_has_the_edges_between_them():
    graph = graphs()["affinity"]
    some = np.arange(1, graph.n_samples)
    np.testing.assert_array_equal(graph.of_samples(some).W.toarray(), graph.W.toarray()[1:, 1:])
    assert graph.of_samples(np.arange(graph.n_samples)) is graph


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf, "2"])
def test_files_hold_sums_of_graphs_with_weights_from_0(bad):
    parts = [graphs()["affinity"], graphs()["labels"]]
    check = stored_class("SumOfGraphs").check
    check({"graphs": parts, "weights": [0, 2.5]})
    with pytest.raises(ValueError, match="a sum of graphs with weights"):
        check({"graphs": parts, "weights": [1.0, bad]})
