import tracemalloc

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.preprocessing import normalize
from tests.reference.kernels import nearest as plain

from manifact import datasets
from manifact.backends import threads
from manifact.backends.numpy import neighbor_search
from manifact.backends.numpy.neighbor_search import nearest, nearest_by_projection, reached


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


@given(
    st.integers(2, 90), st.integers(1, 40), st.integers(1, 5), st.booleans(), st.booleans(),
    st.sampled_from([5, 36, 900, 8192]), st.sampled_from([3, 10**6]), st.integers(0, 10**6),
)  # fmt: skip
def test_rows_that_reach_a_query_are_those_of_all_distances(n, q, m, is_sparse, farthest, cache, values, seed):
    """With few values many distances are equal to a row's own: those do not count."""
    rng = np.random.default_rng(seed)
    X, Q = (rng.integers(0, values, (rows, m)).astype(float) for rows in (n, q))
    squares = plain(X, 2, farthest=farthest)[1][:, -1]
    kind = sparse.csr_array if is_sparse else np.asarray
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbor_search, "SHARED_CACHE", cache)
        patch.setattr(threads, "SMALL_WORK", 0)
        rows, columns = reached(kind(X), squares, kind(Q), farthest)
    found = np.zeros((q, n), dtype=bool)
    found[rows, columns] = True
    between = ((Q[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(found, between > squares if farthest else between < squares)
    assert len(rows) == found.sum()


def test_all_rows_without_a_limit_reach_a_query(rng):
    X = rng.random((7, 3))
    assert len(reached(X, np.full(7, np.inf), X[:2])[0]) == 14
    assert len(reached(X, np.zeros(7), X[:2])[0]) == 0


def test_one_sample_has_no_neighbours():
    index, keys = nearest(np.ones((1, 3)), 5)
    assert index.shape == keys.shape == (1, 0)


@given(
    st.integers(2, 150), st.integers(0, 50), st.integers(1, 5), st.integers(1, 9), st.booleans(),
    st.sampled_from([4, 36, 900, 8192]), st.sampled_from([2, 10**6]), st.integers(0, 10**6),
)  # fmt: skip
def test_tiles_of_any_shape_equal_sorting_everything(n, q, m, k, farthest, cache, values, seed):
    """Without queries (q = 0) both sides of a tile look at it; tiles do not divide the rows evenly."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (n, m)).astype(float)
    Q = rng.integers(0, values, (q, m)).astype(float) if q else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neighbor_search, "SHARED_CACHE", cache)
        patch.setattr(threads, "SMALL_WORK", 0)
        index, squares = nearest(X, k, Q, farthest)
    expected, expected_squares = plain(X, k, Q, farthest)
    np.testing.assert_array_equal(index, expected)
    np.testing.assert_array_equal(squares, expected_squares)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tiles_leave_no_trace_in_the_distances(dtype, rng, monkeypatch):
    X = rng.random((500, 37)).astype(dtype)
    whole = nearest(X, 20)
    monkeypatch.setattr(neighbor_search, "SHARED_CACHE", 4 * 77**2)
    for mine, tiled in zip(whole, nearest(X, 20), strict=True):
        np.testing.assert_array_equal(mine, tiled)


def test_products_that_underflow_in_single_precision_rule_nothing_out(rng):
    """Two far samples set the scale; the squares of the others are below what float32 holds exactly."""
    for scale in (1e-18, 1e-20, 1e-21, 1e-22, 1e-23):
        X = np.vstack([scale * rng.random((60, 3)), [[1, 0, 0], [-1, 0, 0]]])
        np.testing.assert_array_equal(nearest(X, 4)[0], plain(X, 4)[0])


@pytest.mark.parametrize("own", [True, False])
def test_distances_that_single_precision_cannot_see_are_told_apart(own, rng):
    """Two far groups, opposite each other, so that no centre brings them near zero."""
    X = np.where(np.arange(60) % 2, 1.0, -1.0)[:, None] + 1e-4 * rng.standard_normal((60, 2000))
    Q = None if own else X[:7] + 1e-5 * rng.standard_normal((7, 2000))
    np.testing.assert_array_equal(nearest(X, 6, Q)[0], plain(X, 6, Q)[0])


def low_rank(rng, n=2500, m=200):
    return (rng.random((n, 5)) @ rng.random((5, m)) + 1e-3 * rng.random((n, m))).astype(np.float32)


def recall(index, exact):
    return (index[:, :, None] == exact[:, None, :]).any(axis=1).mean()


@pytest.mark.parametrize("search_for", [nearest, nearest_by_projection])
def test_one_thread_and_several_agree(search_for, rng, monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    monkeypatch.setattr(neighbor_search, "LARGE", 0)
    monkeypatch.setattr(neighbor_search, "SHARED_CACHE", 1 << 18)
    X = low_rank(rng)
    results = []
    for count in (1, 2, 3):
        with threads.limit(count):
            results.append([*search_for(X, 5), *search_for(sparse.csr_array(X[:, :150]), 5)])
    for other in results[1:]:
        for mine, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("scale", [1, 1e-30, 1e30])
def test_few_directions_propose_almost_all_neighbours(kind, scale, rng, monkeypatch):
    X = low_rank(rng).astype(np.float64)
    exact, squares = nearest(X, 5)
    asked = []
    monkeypatch.setattr(
        neighbor_search, "nearest", lambda X, *rest, **named: asked.append(X.shape) or nearest(X, *rest, **named)
    )
    for cls in (sparse.csr_array, sparse.csc_array):
        monkeypatch.setattr(cls, "toarray", None)
    index, mine = nearest_by_projection(kind(X) * scale, 5)
    assert recall(index, exact) > 0.95
    same = (index == exact).all(axis=1)
    np.testing.assert_allclose(mine[same], squares[same] * scale**2, rtol=1e-6)
    # Probes among all features, then everything among few.
    assert asked == [X.shape, (len(X), neighbor_search.DIRECTIONS), (len(X), neighbor_search.DIRECTIONS)]


def test_the_projection_depends_on_its_seed_alone(rng):
    X = low_rank(rng)
    first, again = (nearest_by_projection(X, 5, seed)[0] for seed in (3, 3))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(
        neighbor_search._projected(X, np.random.RandomState(0)), neighbor_search._projected(X, np.random.RandomState(1))
    )


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_where_few_directions_say_little_the_search_is_exact(kind, rng):
    X = rng.random((2100, 300)) * (rng.random((2100, 300)) < 0.1)
    np.testing.assert_array_equal(nearest_by_projection(kind(X), 5)[0], nearest(kind(X), 5)[0])


@pytest.mark.parametrize("shape", [(300, 200), (2100, 40)])
def test_few_samples_or_features_are_searched_exactly(shape, rng, monkeypatch):
    monkeypatch.setattr(neighbor_search, "_projected", None)
    X = rng.random(shape)
    np.testing.assert_array_equal(nearest_by_projection(X, 5)[0], nearest(X, 5)[0])


@pytest.mark.parametrize(("name", "first"), [("mnist", 12_000), ("coil20", None), ("pie", None), ("tdt2", None)])
def test_the_projection_finds_the_neighbours_of_real_samples(home, name, first):
    X = datasets.load(name, home).X[:first].astype(np.float64)
    if sparse.issparse(X):
        X = normalize(datasets.tfidf(X))
    assert recall(nearest_by_projection(X, 5)[0], nearest(X, 5)[0]) > 0.95
