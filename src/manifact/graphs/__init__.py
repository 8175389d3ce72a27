"""Graphs of samples: builders that models take, and the operators they make."""

from manifact.graphs.auto import AutoGraph
from manifact.graphs.builder import AffinityBuilder, GraphBuilder, SumGraph, as_builder, is_affinity
from manifact.graphs.farthest import FarthestGraph
from manifact.graphs.knn import KNNGraph
from manifact.graphs.label_graph import LabelCliques, LabelGraph
from manifact.graphs.landmark import LandmarkGraph, LandmarkOperator
from manifact.graphs.operators import AffinityGraph, Graph, SumOfGraphs

__all__ = [
    "AffinityBuilder",
    "AffinityGraph",
    "AutoGraph",
    "FarthestGraph",
    "Graph",
    "GraphBuilder",
    "KNNGraph",
    "LabelCliques",
    "LabelGraph",
    "LandmarkGraph",
    "LandmarkOperator",
    "SumGraph",
    "SumOfGraphs",
    "as_builder",
    "is_affinity",
]
