import numpy as np
import pytest
from scipy import sparse

from manifact.datasets import NAMES, load
from manifact.datasets.digest import digest
from manifact.datasets.sources import SETS

X = np.array([[0, 2, 0], [1, 0, 3]])


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, np.asfortranarray])
def test_the_container_does_not_matter(dtype, kind):
    assert digest(kind(X.astype(dtype)), np.array([0, 1], dtype=np.int16)) == digest(X, [0, 1])


def test_neither_does_the_way_a_sparse_matrix_is_stored():
    messy = sparse.csr_array((np.array([1.0, 1, 0, 3, 1]), [1, 1, 0, 2, 0], [0, 3, 5]), shape=(2, 3))
    assert digest(messy, [0, 1]) == digest(sparse.csc_array(X), [0, 1])
    assert messy.nnz == 5


@pytest.mark.parametrize(
    ("other", "y"), [(X * 2, [0, 1]), (X, [1, 0]), (X.T, [0, 1]), (X.reshape(1, 6), [0, 1]), (X[:, ::-1], [0, 1])]
)
def test_everything_else_does(other, y):
    assert digest(other, y) != digest(X, [0, 1])
    assert digest(sparse.csr_array(other), y) != digest(sparse.csr_array(X), [0, 1])


@pytest.mark.parametrize("name", NAMES)
def test_the_registered_contents_are_the_papers(home, name):
    data = load(name, home)
    y = np.full(len(data.y), -1) if name == "pbmc3k" else data.y
    assert digest(data.X, y) == SETS[name].content
