import numpy as np
import pytest
from scipy import sparse

import manifact.backends.numpy as numpy_backend
from manifact.backends.numpy import neighbor_search
from manifact.graphs.neighbor_lists import comparable, find_neighbors


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_fewer_neighbours_are_the_first_of_many(rng, kind, metric):
    X = rng.random((80, 6))
    X[[3, 7, 9]] = X[2]
    X[11] = 0
    many = find_neighbors(kind(X), 20, metric)
    for fewer in (1, 5, 20):
        cut, own = many.cut(fewer), find_neighbors(kind(X), fewer, metric)
        for mine, theirs in zip(cut.pairs(), own.pairs(), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        np.testing.assert_array_equal(cut.radii(fewer), own.radii(fewer))
        np.testing.assert_array_equal(cut.heads, own.heads)


def test_pairs_know_their_distances(rng):
    X = rng.random((40, 4))
    X[[5, 6, 30]] = X[1]
    rows, columns, squares = find_neighbors(X, 3).pairs()
    np.testing.assert_allclose(squares, ((X[rows] - X[columns]) ** 2).sum(axis=1), atol=1e-15)
    assert len(rows) == 40 * 3 + 4  # and a ring of four copies


def test_rows_without_entries_are_near_nobody():
    X = sparse.csr_array((np.array([1.0, 0.0, 1.0]), np.array([0, 1, 1]), np.array([0, 1, 2, 3])), shape=(3, 2))
    for metric in ("cosine", "unit"):
        assert comparable(X, metric)[1].tolist() == [0, 2]
    assert comparable(X, "euclidean")[1].tolist() == [0, 1, 2]
    nobody = find_neighbors(np.zeros((3, 2)), 2, "unit")
    assert [len(part) for part in nobody.pairs()] == [0, 0, 0]
    assert nobody.radii(2).tolist() == [0, 0, 0]


def test_the_search_by_projection_takes_data_without_directions(monkeypatch):
    monkeypatch.setattr(neighbor_search, "FEW_SAMPLES", 1)
    X = np.zeros((300, 200))
    found = find_neighbors(X, 1, search="projection", copies="each")
    assert (found.squares == 0).all()
    assert (found.index[:, 0] != np.arange(300)).all()


def test_a_search_is_the_one_that_was_asked_for(rng, monkeypatch):
    asked = []

    def noted(name, search):
        def run(*args, **kwargs):
            asked.append(name)
            return search(*args, **kwargs)

        return run

    for name in ("nearest", "nearest_by_projection"):
        monkeypatch.setattr(f"manifact.backends.numpy.{name}", noted(name, getattr(numpy_backend, name)))
    X = rng.random((30, 4))
    exact = find_neighbors(X, 3)
    assert asked == ["nearest"]
    projected = find_neighbors(X, 3, search="projection")
    assert asked == ["nearest", "nearest_by_projection"]
    np.testing.assert_array_equal(projected.index, exact.index)  # of so few samples
