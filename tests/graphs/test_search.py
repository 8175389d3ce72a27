import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from tests.reference.kernels import nearest as plain

from manifact.graphs.search import nearest


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("farthest", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("own", [True, False])
def test_equals_sorting_everything(metric, farthest, kind, own, rng):
    X = rng.random((150, 12)) * (rng.random((150, 12)) < 0.5)
    Q = None if own else rng.random((20, 12))
    index, keys = nearest(kind(X), 7, metric, None if own else kind(Q), farthest)
    expected, expected_keys = plain(X, 7, metric, Q, farthest)
    np.testing.assert_array_equal(index, expected)
    np.testing.assert_allclose(keys, expected_keys, atol=1e-12)


@given(st.integers(1, 30), st.integers(1, 6), st.integers(1, 40), st.booleans(), st.integers(0, 10**6))
def test_ties_go_to_the_smaller_index(n, values, k, is_sparse, seed):
    """Few distinct rows: almost every distance is a tie."""
    X = np.random.default_rng(seed).integers(0, values, (n, 2)).astype(float)
    index, _ = nearest(sparse.csr_array(X) if is_sparse else X, k)
    np.testing.assert_array_equal(index, plain(X, k)[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transform", [lambda X: X + 1000, lambda X: X * 1e-30, lambda X: X * 1e15])
def test_offsets_and_scales_do_not_change_the_neighbours(dtype, transform, rng):
    X = transform(rng.random((80, 5))).astype(dtype)
    index, _ = nearest(X, 4)
    X = X.astype(float)
    expected, _ = plain((X - X.mean(axis=0)) / X.std(), 4)
    np.testing.assert_array_equal(index, expected)


def test_small_blocks_give_the_same_answer(rng):
    X = rng.random((700, 6))
    whole = nearest(X, 5)
    with sklearn.config_context(working_memory=0.01):
        blocks = nearest(X, 5)
    np.testing.assert_array_equal(whole[0], blocks[0])
    np.testing.assert_array_equal(whole[1], blocks[1])


def test_samples_without_entries_are_no_ones_cosine_neighbours(rng):
    X = np.vstack([rng.random((6, 3)), np.zeros((3, 3))])
    for kind in (np.asarray, sparse.csr_array):
        index, _ = nearest(kind(X), 3, "cosine")
        assert (index[:6] < 6).all()


def test_one_sample_has_no_neighbours():
    index, keys = nearest(np.ones((1, 3)), 5)
    assert index.shape == keys.shape == (1, 0)
