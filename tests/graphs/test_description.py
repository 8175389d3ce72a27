"""Graphs in words."""

import numpy as np
import pytest

from manifact.graphs import KNNGraph, LabelGraph
from manifact.graphs.description import neighbours


@pytest.fixture
def X(rng):
    return rng.random((20, 4))


@pytest.mark.parametrize(
    ("builder", "words"),
    [
        (KNNGraph(1), "1 neighbour in all features"),
        (KNNGraph(3, roots=True), "3 neighbours in square roots"),
        (KNNGraph(2, directions=2, balance=1.0), "2 neighbours in 2 directions, equally long"),
    ],
)
def test_a_graph_of_neighbours_is_told_in_words(builder, words, X):
    assert str(neighbours(builder.build(X))) == words


def test_it_is_told_from_how_many_it_was_chosen(X):
    graph = KNNGraph(4).build(X)
    graph.candidates_ = [{"features": "a", "n_neighbors": k, "n_components": 3} for k in (4, 4, 8)]
    assert str(neighbours(graph)) == "4 neighbours in all features (chosen from 2 graphs)"
    graph.candidates_ = graph.candidates_[:2]
    assert str(neighbours(graph)) == "4 neighbours in all features"


def test_of_other_graphs_nothing_is_told(X):
    assert neighbours(LabelGraph().build(X, np.arange(20) % 2)) is None
    assert neighbours(None) is None
