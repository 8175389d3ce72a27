from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from manifact import ALPNMF, GNMF, LCF, LPNMF, NMF, SPNMF
from manifact.graphs import AutoGraph, FarthestGraph, KNNGraph, LabelGraph, LandmarkGraph
from manifact.graphs.auto import SAMPLES
from manifact.graphs.search_memory import distance_bytes, landmark_bytes, search_bytes, view_bytes
from manifact.utils import memory


def test_landmarks_are_dense_however_sparse_the_samples_are():
    X = sparse.csr_array((500_000, 300_000), dtype=np.float32)
    assert landmark_bytes(X, 1000, 5) > 3 * 1000 * 300_000 * 4
    assert landmark_bytes(X, 10, 5) < landmark_bytes(X, 1000, 5) / 10


def test_a_search_grows_with_samples_and_neighbours():
    X = np.zeros((1000, 50))
    assert search_bytes(X, 5) > 4 * X.size
    assert search_bytes(X, 50) - search_bytes(X, 5) == pytest.approx(45 * 1000 * 100)
    assert search_bytes(X, 10**9) == search_bytes(X, 1000), "nobody has more neighbours than there are samples"
    assert distance_bytes(X, 10**9) == 8 * 1000**2 + 16 * 1000 * 50


@pytest.mark.parametrize(("n", "at_once"), [(1000, 1000), (40_000, 40_000 / 3)])
def test_beside_landmarks_sparse_samples_come_in_few_blocks(n, at_once):
    X = sparse.csr_array((n, 50), dtype=np.float32)
    held, neighbours = 3 * 100 * 50 * 4, n * 5 * 100
    assert landmark_bytes(X, 100, 5) == pytest.approx(held + 2 * 100 * at_once * 4 + neighbours)


def test_of_samples_elsewhere_landmarks_and_their_products_are_in_memory():
    elsewhere = SimpleNamespace(package="blocks", shape=(10**9, 50), dtype=np.dtype(np.float32))
    assert landmark_bytes(elsewhere, 100, 5) == 3 * 100 * 50 * 4 + 32 * 100**2
    assert search_bytes(elsewhere, 5) == view_bytes(elsewhere, None) == distance_bytes(elsewhere, 100) == 0


def test_a_graph_that_is_chosen_needs_the_search_the_view_and_the_comparison_together():
    X = np.zeros((3000, 50))
    most = max(AutoGraph()._counts())
    parts = search_bytes(X, most), view_bytes(X, None), distance_bytes(X, SAMPLES)
    assert min(parts) > 0
    assert AutoGraph().memory_needed(X) == sum(parts)


@pytest.mark.parametrize(
    ("builder", "sentence"),
    [
        (KNNGraph(), r"the search for neighbours would need about .* use graph=LandmarkGraph\(\)"),
        (LandmarkGraph(20), r"the graph through landmarks would need about .* lower n_landmarks"),
        (FarthestGraph(), r"the search for the farthest samples would need about"),
        (LabelGraph(), r"the graph of labels would need about"),
        (AutoGraph(n_components=2), r"would need about"),
        (KNNGraph() + LabelGraph(), r"would need about"),
    ],
)
def test_graphs_that_would_not_fit_are_refused(builder, sentence, monkeypatch):
    X, y = np.random.default_rng(0).random((60, 8)), np.arange(60) % 2
    assert builder.memory_needed(X) > 0
    builder.build(X, y)
    monkeypatch.setattr(memory, "available", lambda: 1000)
    with pytest.raises(MemoryError, match=sentence):
        builder.build(X, y)


@pytest.mark.parametrize("cls", [NMF, GNMF, LPNMF, ALPNMF, SPNMF, LCF])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_estimates_grow_with_data_and_parts(cls, kind):
    few, many = (kind(np.ones((n, 40), dtype=np.float32)) for n in (300, 3000))
    assert cls(5)._fit_bytes(few) < cls(5)._fit_bytes(many)
    assert cls(5)._fit_bytes(many) < cls(500)._fit_bytes(many)
