import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.utils.sparse_matrices import checked_parts, checked_structure, empty_rows, sorted_csr


def test_the_users_matrix_is_not_changed():
    X = sparse.csr_array((np.array([1.0, 2.0, 3.0]), np.array([2, 0, 0]), np.array([0, 2, 3])), shape=(2, 3))
    before = X.data.copy(), X.indices.copy()
    canonical = sorted_csr(X)
    assert canonical.has_sorted_indices
    np.testing.assert_array_equal(X.data, before[0])
    np.testing.assert_array_equal(X.indices, before[1])
    np.testing.assert_array_equal(canonical.toarray(), X.toarray())


def test_wide_indices_are_narrowed():
    X = sparse.csr_array(problem()[0])
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert sorted_csr(X).indices.dtype == np.int32


def test_rows_of_stored_zeros_are_empty():
    X = sparse.csr_array((np.array([0.0, 2.0]), np.array([1, 0]), np.array([0, 1, 2, 2])), shape=(3, 2))
    assert empty_rows(X).tolist() == empty_rows(X.toarray()).tolist() == [True, False, True]


#: Row beginnings that SciPy's full check lets pass, though they lead out of the arrays: differences that overflow, and
#: matrices whose last entry says that they are empty.
ASTRAY = {
    "overflow": np.array([0, 2**31 - 1, -(2**31) + 1, 2], dtype=np.int32),
    "wide overflow": np.array([0, 2**63 - 1, -(2**63) + 1, 2], dtype=np.int64),
    "empty at last": np.array([0, 1 << 20, 1 << 20, 0], dtype=np.int32),
    "falling": np.array([0, 2, 1, 2], dtype=np.int32),
    "beyond": np.array([0, 1, 2, 3], dtype=np.int32),
    "not from zero": np.array([1, 1, 2, 2], dtype=np.int32),
    "too few": np.array([0, 2], dtype=np.int32),
    "unsigned": np.array([0, 2**64 - 1, 1, 2], dtype=np.uint64),
}


@pytest.mark.parametrize("indptr", ASTRAY.values(), ids=ASTRAY)
def test_beginnings_of_rows_that_lead_out_of_the_arrays_are_refused(indptr):
    with pytest.raises(ValueError, match="indptr"):
        checked_parts(np.ones(2), np.array([0, 1]), indptr, (3, 4))


@pytest.mark.parametrize("indices", [[0, 4], [-1, 0], [0, 2**40]])
@pytest.mark.parametrize("by_rows", [True, False])
def test_places_outside_the_matrix_are_refused(indices, by_rows):
    with pytest.raises(ValueError, match=f"with 4 {'columns' if by_rows else 'rows'}"):
        checked_parts(np.ones(2), np.array(indices), np.array([0, 1, 2]), (2, 4) if by_rows else (4, 2), by_rows)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"data": np.ones(3)}, "2 indices for 3 values"),
        ({"data": np.ones((2, 1))}, "one-dimensional"),
        ({"indices": np.array([0.0, 1.0])}, "float64"),
        ({"indptr": np.zeros(3, dtype="M8[s]")}, "datetime"),
        ({"shape": (2,)}, "2 is no shape"),
        ({"shape": (2, -1)}, "no shape"),
        ({"shape": (2, 2**64)}, "no shape"),
    ],
)
def test_parts_that_do_not_belong_together_are_refused(changes, why):
    parts = {"data": np.ones(2), "indices": np.array([0, 1]), "indptr": np.array([0, 1, 2]), "shape": (2, 4)}
    with pytest.raises(ValueError, match=why):
        checked_parts(**{**parts, **changes})


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia"])
def test_what_scipy_makes_is_accepted_in_every_format(form):
    X = sparse.csr_array(np.arange(24.0).reshape(4, 6) % 5)
    again = checked_structure(X.asformat(form))
    np.testing.assert_array_equal(again.toarray(), X.toarray())


def test_room_behind_the_last_entry_is_cut_off():
    data, indices, indptr = checked_parts(np.arange(5.0), np.array([0, 1, 99, 99, 99]), np.array([0, 1, 2]), (2, 4))
    assert (data.tolist(), indices.tolist(), indptr.tolist()) == ([0, 1], [0, 1], [0, 1, 2])


def test_other_formats_that_lead_astray_are_refused():
    blocks = sparse.bsr_array(np.ones((4, 6)), blocksize=(2, 3))
    blocks.indptr = np.array([0, 2**31 - 1, 4], dtype=np.int32)
    with pytest.raises(ValueError, match="indptr"):
        checked_structure(blocks)
    pairs = sparse.coo_array(np.eye(3))
    pairs.row = np.array([0, 1, 7])
    with pytest.raises(ValueError, match="an index is 7 in a matrix with 3 rows"):
        checked_structure(pairs)
    diagonals = sparse.dia_array(np.eye(3))
    diagonals.offsets = np.array([-(2**31)])
    with pytest.raises(ValueError, match="outside 3 x 3"):
        checked_structure(diagonals)
    with pytest.raises(ValueError, match="'lil'"):
        checked_structure(sparse.lil_array((2, 2)))
