"""Entries sorted into blocks of rows."""

import numpy as np
import pytest
from scipy import sparse

from manifact.io.out_of_core.entry_buckets import EntryBuckets
from manifact.io.out_of_core.row_sources import stacked
from manifact.io.out_of_core.workspace import Workspace


@pytest.mark.parametrize("dtype", [np.int64, np.float32])
@pytest.mark.parametrize("memory", [1 << 12, 1 << 30])
def test_entries_in_any_order_and_twice(tmp_path, memory, dtype):
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 90, 5000), rng.integers(0, 30, 5000)
    rows[rows == 40] = 41  # a row without entries
    values = rng.integers(1, 9, 5000).astype(dtype)
    buckets = EntryBuckets(Workspace(memory, tmp_path), (100, 30), dtype, 5000, "x")
    for part in np.array_split(np.arange(5000), 9):
        buckets.add(rows[part], columns[part], values[part])
    expected = np.zeros((100, 30))
    np.add.at(expected, (rows, columns), values)
    for _ in range(2):  # as often as they are asked for
        blocks = list(buckets.blocks())
        assert (len(blocks) > 1) == (memory < 1 << 20)
        assert all(block.has_canonical_format and block.dtype == dtype for block in blocks)
        assert np.array_equal(stacked(blocks).toarray(), expected)
    del buckets
    assert list(tmp_path.iterdir()) == []


def test_no_entries(tmp_path):
    (block,) = EntryBuckets(Workspace(1 << 20, tmp_path), (5, 3), np.float64, 0, "x").blocks()
    assert block.shape == (5, 3)
    assert sparse.issparse(block)
    assert block.nnz == 0
