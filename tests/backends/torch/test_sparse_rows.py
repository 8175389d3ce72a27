import numpy as np
import pytest
from tests.conftest import problem

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from scipy import sparse  # noqa: E402

from manifact.backends.torch.sparse_rows import SparseRows  # noqa: E402
from manifact.backends.torch.tensors import as_tensor, host  # noqa: E402

X = problem(n=20)[0]


@pytest.fixture
def rows():
    return SparseRows.of(as_tensor(sparse.csr_array(X), "cpu"))


def test_transposed_twice_is_the_same(rows):
    np.testing.assert_array_equal(host(rows.transposed().tensor).toarray(), X.T)
    np.testing.assert_array_equal(host(rows.transposed().transposed().tensor).toarray(), X)
    assert rows.transposed().indices.dtype == torch.int32


def test_some_rows_in_any_order(rows):
    some = torch.tensor([7, 0, 19, 7])
    np.testing.assert_array_equal(host(rows.some_rows(some).tensor).toarray(), X[some.numpy()])


def test_other_values_in_the_same_places(rows):
    np.testing.assert_array_equal(host(rows.with_values(2 * rows.values).tensor).toarray(), 2 * X)
    assert rows.with_values(rows.values).cut(64) is rows.cut(64)


def test_the_row_of_every_entry(rows):
    np.testing.assert_array_equal(rows.rows, np.nonzero(X)[0])
