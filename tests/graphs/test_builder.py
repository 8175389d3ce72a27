import ast
import inspect
import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.conftest import problem

from manifact.graphs import AutoGraph, FarthestGraph, KNNGraph, LabelGraph, LandmarkGraph, SumGraph, as_builder


def test_sums_add_matrices():
    X, W, _, _ = problem()
    y = np.arange(len(X)) % 2
    graph = 0.5 * KNNGraph(3) + LabelGraph() * 2 + W
    eye = np.eye(len(X))
    expected = 0.5 * KNNGraph(3).build(X).W.toarray() + 2 * LabelGraph().build(X, y).adjacency(eye) + W
    np.testing.assert_allclose(graph.build(X, y).adjacency(eye), expected)


def test_an_affinity_may_stand_on_either_side():
    X, W, _, _ = problem()
    eye = np.eye(len(X))
    for matrix in (W, sparse.csr_array(W)):
        one, other = (KNNGraph(3) + matrix).build(X), (matrix + KNNGraph(3)).build(X)
        np.testing.assert_allclose(one.adjacency(eye), other.adjacency(eye))


def test_parameters_of_named_graphs_can_be_set():
    graph = clone(KNNGraph(3) + KNNGraph(4) + sparse.eye_array(5))
    assert [name for name, _ in graph.graphs] == ["knngraph", "knngraph2", "affinity"]
    graph.set_params(knngraph__n_neighbors=9)
    assert graph.get_params()["knngraph__n_neighbors"] == 9
    graph.set_params(knngraph2=KNNGraph(7))
    assert dict(graph.graphs)["knngraph2"].n_neighbors == 7


def test_sums_of_lists_and_of_what_is_no_graph():
    assert sum([KNNGraph(3), KNNGraph(5)]).weights == [1.0, 1.0]
    with pytest.raises(TypeError, match="graphs are added to graphs and affinities, got str"):
        KNNGraph() + "knn"
    with pytest.raises(TypeError, match="weight='a' must be a number >= 0"):
        KNNGraph() * "a"
    with pytest.raises(TypeError, match="must be a number >= 0"):
        KNNGraph() * KNNGraph()


def test_a_built_graph_can_be_used_again():
    X = problem()[0]
    graph = KNNGraph(3).build(X)
    assert as_builder(graph).build(X) is graph
    with pytest.raises(ValueError, match="graph has 24 vertices but X has 5 samples"):
        as_builder(graph).build(X[:5])


def test_affinities_of_single_precision_are_symmetric_enough(rng):
    W = problem()[1].astype(np.float32)
    noisy = (W * (1 + 1e-7 * rng.standard_normal(W.shape))).astype(np.float32)
    built = as_builder(sparse.csr_array(noisy)).build(problem()[0]).W
    assert abs(built - built.T).max() == 0
    np.testing.assert_allclose(built.toarray(), W, rtol=1e-5)


@pytest.mark.parametrize("weights", [[1.0], [1.0, -1.0], [1.0, np.nan]])
def test_bad_weights_are_refused(weights):
    graph = SumGraph([("a", KNNGraph()), ("b", KNNGraph())], weights)
    with pytest.raises(ValueError, match="must hold one number >= 0 for each of the 2 graphs"):
        graph.build(problem()[0])


def test_none_means_five_binary_neighbours():
    X = problem()[0]
    np.testing.assert_array_equal(as_builder(None).build(X).W.toarray(), KNNGraph(5).build(X).W.toarray())


def test_an_affinity_of_the_wrong_size_cannot_be_cross_validated():
    X, W, _, _ = problem()
    with pytest.raises(ValueError, match=r"24 x 24 affinity but X has 20 samples: .* cannot be cross-validated"):
        as_builder(W).build(X[:20])


@pytest.mark.parametrize("builder", [AutoGraph, FarthestGraph, KNNGraph, LabelGraph, LandmarkGraph])
def test_a_builder_comes_as_its_page_says(builder):
    said = dict(re.findall(r"^    (\w+) : .*default=(.+)$", inspect.getdoc(builder) and builder.__doc__, re.MULTILINE))
    assert {name: ast.literal_eval(value) for name, value in said.items()} == builder().get_params()
