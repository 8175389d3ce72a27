"""Results go back where samples came from."""

import numpy as np
import pytest
from scipy import sparse
from tests.foreign_arrays import ForeignArray

from manifact.backends import origin_of


def test_lists_arrays_and_sparse_matrices_get_numpy_arrays():
    for array in (np.ones((2, 2)), sparse.csr_array(np.eye(2)), [[1.0]]):
        P = np.ones(3)
        assert origin_of(array).back(P) is P


def test_foreign_arrays_get_their_own_kind():
    P = np.arange(3)
    P.flags.writeable = False
    found = origin_of(ForeignArray(np.ones(2))).back(P)
    assert isinstance(found, ForeignArray)
    np.testing.assert_array_equal(found.numbers, P)


def test_tensors_get_tensors_on_their_device():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    origin = origin_of(torch.ones(2, device="meta"))
    assert origin.back(np.ones(3)).device.type == "meta"
    here = origin_of(torch.ones(2))
    assert isinstance(here.back(np.arange(3)), torch.Tensor)
    assert origin_of(np.ones(2)).back(torch.ones(2)).tolist() == [1, 1]
    assert isinstance(origin_of(ForeignArray(np.ones(1))).back(torch.ones(2)), ForeignArray)


def test_cupy_gets_cupy_for_dense_and_sparse():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed: it needs a GPU")
    import cupyx.scipy.sparse as cupy_sparse

    for array in (cupy.ones((2, 2)), cupy_sparse.csr_matrix(cupy.eye(2))):
        assert isinstance(origin_of(array).back(np.ones(3)), cupy.ndarray)
