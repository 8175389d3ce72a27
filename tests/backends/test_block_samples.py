"""X in blocks of rows."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from manifact.backends.block_samples import ArrayBlocks, SpooledBlocks, csr_rows
from manifact.io.out_of_core.spool_writer import spooled


def matrix(kind, dtype, n=23, m=7):
    X = sparse.random_array((n, m), density=0.3, format="csr", random_state=0).astype(dtype)
    return X.toarray() if kind == "dense" else X


@pytest.mark.parametrize("made", ["array", "spooled"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_blocks_are_the_rows_in_the_same_memory(made, kind, dtype):
    X = matrix(kind, dtype)
    found = ArrayBlocks(X, 10) if made == "array" else spooled([X[:10], X[10:20], X[20:]])
    assert (found.shape, found.dtype, found.is_sparse) == (X.shape, dtype, kind == "sparse")
    assert (found.bounds, found.n_blocks, found.package) == ((0, 10, 20, 23), 3, "blocks")
    whole = X if kind == "dense" else X.toarray()
    for number in range(3):
        rows = slice(found.bounds[number], found.bounds[number + 1])
        block = found.block(number)
        assert block.dtype == dtype
        assert np.array_equal(block if kind == "dense" else block.toarray(), whole[rows])
        again, parts = found.block(number), [block] if kind == "dense" else [block.data, block.indices]
        others = [again] if kind == "dense" else [again.data, again.indices]
        assert all(np.shares_memory(a, b) for a, b in zip(parts, others, strict=True))
        assert all(part.flags.c_contiguous and part.flags.writeable for part in parts)
        if kind == "sparse":
            assert isinstance(block, sparse.csr_array)
            assert block.has_canonical_format
            assert block.indices.dtype == block.indptr.dtype == np.int32
            assert block.indptr[0] == 0
            block.check_format(full_check=True)
    numbers = [0, 3, 9, 10, 22]
    rows = found.rows(numbers)
    assert np.array_equal(rows if kind == "dense" else rows.toarray(), whole[numbers])
    assert found.rows([]).shape == (0, 7)
    assert found.rows([]).dtype == dtype
    with pytest.raises(IndexError):
        found.rows([1, 23])
    expected = X.nbytes if kind == "dense" else X.data.nbytes + X.indices.nbytes
    assert expected <= found.nbytes <= expected + 24 * 8


def test_other_numbers_become_floats_and_odd_matrices_are_put_in_order(tmp_path):
    integers = np.arange(12).reshape(6, 2)
    assert ArrayBlocks(integers, 4).block(1).tolist() == [[8.0, 9.0], [10.0, 11.0]]
    assert ArrayBlocks(integers, 4).dtype == np.float64
    odd = sparse.csr_array((np.array([1.0, 2, 3]), np.array([1, 0, 0]), np.array([0, 3])), shape=(1, 2))
    assert ArrayBlocks(odd, 1).block(0).toarray().tolist() == [[5.0, 1.0]]
    assert odd.nnz == 3, "the user's own matrix is as it was"
    mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", np.float64, (5, 3))
    assert np.shares_memory(ArrayBlocks(mapped, 2).block(1), mapped)


def test_a_block_of_a_large_matrix_is_not_copied():
    X = sparse.random_array((1000, 50), density=0.1, format="csr", random_state=0)
    rows = csr_rows(X.indptr, X.indices, X.data, 3, 5, 50)
    assert np.shares_memory(rows.data, X.data)
    assert np.shares_memory(rows.indices, X.indices)


@pytest.mark.parametrize("kind", ["dense", "sparse"])
def test_another_process_maps_the_same_files(kind):
    found = spooled([matrix(kind, np.float32)])
    other = pickle.loads(pickle.dumps(found))
    assert other.folder == found.folder
    del other
    assert found.folder.exists(), "who is not their owner leaves them alone"
    assert found.rows([3]).shape == (1, 7)


def test_a_folder_is_whole_or_refused(tmp_path):
    found = spooled([matrix("sparse", np.float32)], scratch=tmp_path)
    stored = (found.folder / "blocks.json").read_text()
    (found.folder / "blocks.json").unlink()
    with pytest.raises(ValueError, match="holds no blocks, or their writer was interrupted"):
        SpooledBlocks(found.folder)
    (found.folder / "blocks.json").write_text(stored[:-9])
    with pytest.raises(ValueError, match="holds blocks that cannot be read"):
        SpooledBlocks(found.folder)
    (found.folder / "blocks.json").write_text(stored)
    SpooledBlocks(found.folder)
    with (found.folder / "data.npy").open("ab") as content:
        content.write(b"x")
    with pytest.raises(ValueError, match=r"data\.npy is of another size"):
        SpooledBlocks(found.folder)
