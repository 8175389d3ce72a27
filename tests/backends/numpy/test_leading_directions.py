"""Leading singular values and directions beside LAPACK's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from manifact.backends import threads
from manifact.backends.numpy.leading_directions import FEW, leading_directions, projected

KINDS = [np.asarray, sparse.csr_array]
DTYPES = [np.float64, np.float32]


def falling(rng, n, m, rank, ratio=0.8):
    """A matrix whose singular values fall by a ratio."""
    left, right = (np.linalg.qr(rng.standard_normal((size, rank)))[0] for size in (n, m))
    return (left * ratio ** np.arange(rank)) @ right.T


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(300, 90), (90, 300), (2500, 150)])
def test_values_and_directions_are_those_of_lapack(rng, kind, dtype, shape):
    X = falling(rng, *shape, 40).astype(dtype)
    s, Q = leading_directions(kind(X), 12)
    _, expected, right = np.linalg.svd(X.astype(np.float64), full_matrices=False)
    digits = 1e-9 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(s, expected[:12], rtol=digits)
    np.testing.assert_allclose(np.abs(np.sum(Q * right[:12].T, axis=0)), 1, rtol=digits)
    np.testing.assert_allclose(Q.T @ Q, np.eye(12), atol=1e-12)
    assert (Q[np.abs(Q).argmax(axis=0), np.arange(12)] > 0).all()


@pytest.mark.parametrize("kind", KINDS)
def test_a_scale_multiplies_samples(rng, kind):
    X, scale = rng.random((200, 40)), rng.random(200)
    mine = leading_directions(kind(X), 5, scale=scale)
    expected = leading_directions(kind(scale[:, None] * X), 5)
    for one, other in zip(mine, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-8, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 70), m=st.integers(1, 70), true=st.integers(0, 8),
    rank=st.integers(1, 80), dtype=st.sampled_from(DTYPES), kind=st.sampled_from(KINDS),
)  # fmt: skip
def test_there_are_as_many_as_the_rank(seed, n, m, true, rank, dtype, kind):
    rng = np.random.default_rng(seed)
    X = (rng.standard_normal((n, true)) @ rng.standard_normal((true, m))).astype(dtype)
    s, Q = leading_directions(kind(X), rank)
    expected = np.linalg.svd(X.astype(np.float64), compute_uv=False)
    expected = expected[expected > (1e-6 if dtype == np.float64 else 1e-5) * expected[0]][:rank]
    assert len(s) == len(expected)
    assert Q.shape == (m, len(s))
    np.testing.assert_allclose(s, expected, rtol=1e-3 if dtype == np.float32 else 1e-6)


def test_few_directions_are_exact(rng):
    X = rng.random((500, FEW))
    np.testing.assert_allclose(leading_directions(X, 3)[0], np.linalg.svd(X, compute_uv=False)[:3], rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_number_of_threads_does_not_matter(rng, kind, dtype):
    X = kind((rng.random((5000, 300)) * (rng.random((5000, 300)) < 0.3)).astype(dtype))
    found = []
    for count in (1, 2, 3):
        with threads.limit(count):
            s, Q = leading_directions(X, 20)
            found.append((s, Q, projected(X, Q)))
    for other in found[1:]:
        for mine, theirs in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_a_seed_decides(rng):
    X = rng.random((400, 200))
    one, again, other = (leading_directions(X, 5, seed, iterations=0)[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


@pytest.mark.parametrize("kind", KINDS)
def test_progress_comes_to_its_end(rng, kind):
    from contextlib import contextmanager

    seen = []

    @contextmanager
    def progress(title, total):
        seen.append((title, total))
        yield seen.append

    leading_directions(kind(rng.random((80, 70))), 3, progress=progress)
    assert seen[0] == ("directions", 10.0)
    assert sum(seen[1:]) == 10


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_projections_are_in_float64(rng, kind, dtype):
    X, Q = rng.random((3000, 30)).astype(dtype), rng.random((30, 7))
    Z = projected(kind(X), Q)
    assert Z.dtype == np.float64
    np.testing.assert_allclose(Z, X.astype(np.float64) @ Q, rtol=1e-13)
