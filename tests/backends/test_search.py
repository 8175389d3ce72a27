import tracemalloc

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.kernels import nearest as plain

from manifact.backends.search import nearest


@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("query_kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("own", [True, False])
def test_equals_sorting_everything(farthest, kind, query_kind, own, rng):
    X = rng.random((150, 12)) * (rng.random((150, 12)) < 0.5)
    Q = None if own else rng.random((20, 12))
    index, keys = nearest(kind(X), 7, None if own else query_kind(Q), farthest)
    expected, expected_keys = plain(X, 7, Q, farthest)
    np.testing.assert_array_equal(index, expected)
    np.testing.assert_allclose(keys, expected_keys, atol=1e-12)


@given(st.integers(1, 30), st.integers(1, 6), st.integers(1, 40), st.booleans(), st.integers(0, 10**6))
def test_ties_go_to_the_smaller_index(n, values, k, is_sparse, seed):
    """Few distinct rows: almost every distance is a tie."""
    X = np.random.default_rng(seed).integers(0, values, (n, 2)).astype(float)
    index, _ = nearest(sparse.csr_array(X) if is_sparse else X, k)
    np.testing.assert_array_equal(index, plain(X, k)[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "transform",
    [lambda X: X + 1000, lambda X: X + 1e6, lambda X: X * 1e-30, lambda X: X * 1e15, lambda X: 1 + 1e-6 * X],
    ids=["offset", "large offset", "tiny", "huge", "near-duplicates"],
)
def test_offsets_and_scales_do_not_change_the_neighbours(dtype, kind, transform, rng):
    X = transform(rng.random((300, 5))).astype(dtype)
    index, _ = nearest(kind(X), 4)
    np.testing.assert_array_equal(index, plain(X, 4)[0])


@pytest.mark.parametrize("scale", [1e-170, 1e170])
def test_squares_may_not_fit(scale, rng):
    X = rng.random((30, 4))
    np.testing.assert_array_equal(nearest(X * scale, 3)[0], nearest(X, 3)[0])


def test_small_blocks_give_the_same_answer_within_the_budget(rng):
    X = rng.random((3000, 6))
    whole = nearest(X, 5)
    with sklearn.config_context(working_memory=1):
        nearest(X[:100], 5)
        tracemalloc.start()
        blocks = nearest(X, 5)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    np.testing.assert_array_equal(whole[0], blocks[0])
    np.testing.assert_array_equal(whole[1], blocks[1])
    assert peak < 3 * 2**20


def test_one_sample_has_no_neighbours():
    index, keys = nearest(np.ones((1, 3)), 5)
    assert index.shape == keys.shape == (1, 0)
