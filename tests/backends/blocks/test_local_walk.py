"""Arrays with a row for each sample, in memory or on disk."""

import gc

import numpy as np

from manifact.backends import backend_of, on_host
from manifact.backends.block_samples import ArrayBlocks
from manifact.backends.blocks import like_rows
from manifact.backends.blocks.layout import Layout
from manifact.backends.blocks.local_walk import LocalWalk


def test_what_is_beyond_the_budget_is_a_file_that_nobody_sees(tmp_path, rng):
    X = ArrayBlocks(rng.random((50, 4)), 20)
    walker = LocalWalk(budget=50 * 3 * 8, scratch=tmp_path)
    X.layout = Layout(X.bounds, walker)
    V = rng.random((50, 3))
    tall, backend = like_rows(V, X), backend_of(like_rows(V, X))
    first, second = backend.kept(tall + 1), backend.kept(tall + 2)
    X.layout.evaluate(first, second)
    found = on_host(first), on_host(second)
    assert [isinstance(P, np.memmap) for P in found] == [False, True]
    for P, more in zip(found, (1, 2), strict=True):
        np.testing.assert_array_equal(P, V + more)
    assert list(tmp_path.iterdir()) == []
    del first, second, found, P
    gc.collect()
    third = backend.kept(tall + 3)
    X.layout.evaluate(third)
    # The first has given its place back.
    assert not isinstance(on_host(third), np.memmap)
