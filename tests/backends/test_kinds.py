"""Arrays of packages without a backend, as ours."""

import numpy as np
import pytest
from scipy import sparse
from tests.foreign_arrays import ForeignArray

from manifact.backends import kinds, native, on_host


def test_what_is_ours_stays_what_it_is():
    for array in (np.ones(3), sparse.csr_array(np.eye(2)), [1, 2], None, np.float64(1)):
        assert native(array) is array
        assert not kinds.is_foreign(array)


def test_data_frames_are_the_hosts():
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    frame = pd.DataFrame({"a": [1]})
    assert native(frame) is frame


def test_an_array_that_speaks_dlpack_is_handed_over_without_a_copy():
    P = np.arange(6.0).reshape(2, 3)
    assert np.shares_memory(native(ForeignArray(P)), P)
    np.testing.assert_array_equal(on_host(ForeignArray(P)), P)


def test_tensors_come_to_the_host():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    tensor = torch.ones(2)
    assert native(tensor) is tensor
    np.testing.assert_array_equal(on_host(tensor), np.ones(2))


def test_arrays_of_cupy_are_tensors_in_the_same_memory():
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed: it needs a GPU")
    import cupyx.scipy.sparse as cupy_sparse

    P = cupy.arange(6.0).reshape(2, 3)
    tensor = native(P)
    assert tensor.data_ptr() == P.data.ptr
    np.testing.assert_array_equal(on_host(P), P.get())
    unsorted = cupy_sparse.coo_matrix((cupy.ones(3), (cupy.array([1, 0, 1]), cupy.array([2, 0, 2]))), shape=(2, 3))
    np.testing.assert_array_equal(on_host(unsorted).toarray(), [[1, 0, 0], [0, 0, 2]])
