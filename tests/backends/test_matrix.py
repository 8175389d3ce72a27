import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.backends import Matrix
from manifact.graphs import AffinityGraph


def test_a_form_is_made_once():
    matrix, made = Matrix(problem()[1]), []

    def make(csr):
        made.append(csr)
        return object()

    first = matrix.form("mine", make)
    assert matrix.form("mine", make) is first
    assert matrix.form("another", make) is not first
    assert [csr is matrix.csr for csr in made] == [True, True]


def test_types_are_forms():
    matrix = Matrix(problem()[1])
    assert matrix.typed(np.float64) is matrix.csr
    narrow = matrix.typed("float32")
    assert narrow.dtype == np.float32
    assert matrix.typed(np.float32) is narrow
    np.testing.assert_allclose(narrow.toarray(), matrix.csr.toarray(), rtol=1e-6)


def test_a_graph_is_not_converted_at_every_product(monkeypatch):
    _, W, V, _ = problem()
    graph, converted = AffinityGraph(sparse.csr_array(W)), []
    astype = sparse.csr_array.astype
    monkeypatch.setattr(sparse.csr_array, "astype", lambda A, *to, **how: converted.append(to) or astype(A, *to, **how))
    for _ in range(3):
        graph.adjacency(V.astype(np.float32))
    assert len(converted) == 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csc_array, sparse.coo_matrix])
def test_any_matrix_is_held_as_sorted_csr(kind):
    W = problem()[1][:10]
    matrix = Matrix(kind(W))
    assert matrix.csr.format == "csr"
    assert matrix.csr.has_canonical_format
    assert matrix.shape == (10, 24)
    np.testing.assert_array_equal(matrix.csr.toarray(), W)
