"""Blocks of samples one after another: what each counts for, and where repeated blocks lead."""

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem
from tests.terms.cases import graph, state

from manifact import NMF
from manifact.backends import as_data
from manifact.datasets import synthetic_documents
from manifact.graphs.landmark_means import LandmarkMeans
from manifact.solvers.online import Around, Stream, _lengths, check_stream, learn, shares
from manifact.terms import ElasticNet, Frobenius, KullbackLeibler, Smoothness, State
from manifact.terms.term import gather_forms

NOTHING = Around(0.0, (0.0, 0.0), lambda samples: (0.0, 0.0))


def repeated(loss, X, U, times, parts=1, around=NOTHING, window=None, weight=None):
    stream = Stream.empty(loss.statistics, *U.shape, X.dtype)
    for _ in range(times):
        found = []
        for rows in np.array_split(np.arange(X.shape[0]), parts):
            own = None if weight is None else weight[rows]
            stream, U, V, _ = learn(stream, X[rows], own, U, None, around, window)
            found.append(V)
    return stream, U, np.concatenate(found)


def test_what_samples_count_for():
    assert shares(0, 10, None) == (0.0, 0.0)
    # A sample at position t of s counts by (t/s)^3, however it was divided into blocks.
    assert shares(10, 10, None)[0] * shares(20, 20, None)[0] == pytest.approx((10 / 40) ** 3)
    assert shares(30, 10, None)[1] == pytest.approx(3 / 4)
    assert shares(1000, 10, 20.0) == pytest.approx((np.exp(-0.5), np.exp(-0.5)))
    # Means over few samples are means of them.
    assert shares(10, 10, 1e9)[1] == pytest.approx(1 / 2)


@pytest.mark.parametrize("loss", [Frobenius, KullbackLeibler])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_block_again_and_again_ends_where_exact_steps_find_little_to_lower(loss, weighted, rng):
    X, _, _, U = problem()
    weight = rng.random(len(X)) + 0.5 if weighted else None
    # A short window: the block itself is all that counts.
    _, U, V = repeated(loss, X, U, 100, window=4.0, weight=weight)
    fit = NMF(4, loss=loss.name, init=(V, U.T), max_iter=300, tol=1e-9).fit(X, sample_weight=weight)
    V = loss().project(as_data(X), U, None, 0.0, 0.0, 0.0)
    reached = loss().value(State(as_data(X, weight), U, V))
    assert reached < 1.01 * fit.objective_[-1]


@pytest.mark.parametrize("loss", [Frobenius, KullbackLeibler])
def test_several_passes_over_mixed_blocks_come_near_to_one_block(loss):
    rng = np.random.default_rng(0)
    X = rng.gamma(0.3, size=(300, 4)) @ rng.gamma(0.3, size=(4, 30)) + 0.01 * rng.random((300, 30))
    start = rng.random((30, 4))
    errors = []
    for parts, times in ((1, 60), (6, 5)):
        _, U, _ = repeated(loss, X, start, times, parts)
        V = loss().project(as_data(X), U, None, 0.0, 0.0, 0.0)
        errors.append(loss().value(State(as_data(X), U, V)) / as_data(X).square_sum)
    assert errors[1] < errors[0] + 1e-3


@pytest.mark.parametrize("loss", [Frobenius, KullbackLeibler])
def test_features_that_a_block_lacks_may_come_later(loss):
    X, _, _, U = problem(n=40)
    X[:20, :12] = 0
    X = sparse.csr_array(X)
    stream, U, _ = repeated(loss, X[:20], U, 2)
    stream, U, V, _ = learn(stream, X[20:], None, U, None, NOTHING, 10.0)
    for _ in range(30):
        stream, U, V, _ = learn(stream, X[20:], None, U, None, NOTHING, 10.0)
    Y = V @ U.T
    late = X[20:].toarray()[:, :12]
    assert np.linalg.norm(late - Y[:, :12]) < 0.75 * np.linalg.norm(late)


@pytest.mark.parametrize("loss", [Frobenius, KullbackLeibler])
@pytest.mark.parametrize("penalty", [0.0, 1e-3])
def test_a_block_with_few_of_the_features_ends_with_its_loss(loss, penalty):
    X, _, _, U = problem(n=40, m=30)
    X[:20, 15:] = 0
    X[20:, :10] = 0
    X = sparse.csr_array(X)
    around = Around(0.0, (0.0, 0.0), lambda samples: (penalty, penalty))
    stream, U, _ = repeated(loss, X[20:], U, 2, around=around)
    waiting = U[15:].copy()
    found = learn(stream, X[:20], None, U, None, around, None)
    state = State(as_data(X[:20]), found.U, found.V)
    assert found.loss == pytest.approx(loss().value(state), rel=1e-9)
    # Half of the samples lack those features now; U has gone with that.
    assert 0 < found.U[15:].sum() < waiting.sum()


def test_a_short_window_follows_a_stream_that_changes(rng):
    first, second = rng.random((2, 30)) ** 6, rng.random((2, 30)) ** 6
    before, after = rng.random((200, 2)) @ first, rng.random((200, 2)) @ second
    errors = {}
    for window in (None, 50.0):
        stream, U, _ = repeated(Frobenius, before, rng.random((30, 2)), 5, 4, window=window)
        for rows in np.array_split(np.arange(200), 4):
            stream, U, _, _ = learn(stream, after[rows], None, U, None, NOTHING, window)
        V = Frobenius().project(as_data(after), U, None, 0.0, 0.0, 0.0)
        errors[window] = Frobenius().value(State(as_data(after), U, V))
    assert errors[50.0] < 0.1 * errors[None]


def test_a_penalty_on_v_alone_leaves_basis_vectors_at_length_one():
    X, _, _, U = problem()
    around = Around(0.0, (0.5, 0.1), lambda samples: (0.0, 0.0))
    for loss in (Frobenius, KullbackLeibler):
        _, U, V = repeated(loss, X, U, 3, around=around)
        np.testing.assert_allclose(np.linalg.norm(U, axis=0), 1)
        assert V.sum() < repeated(loss, X, U, 3)[2].sum() * 3


def test_a_stream_of_a_fit_goes_on_with_its_samples_in_mind():
    X, _, _, U = problem(n=40)
    _, U, V = repeated(Frobenius, X, U, 100)
    stream, moved, _, _ = learn(Stream.of_fit(Frobenius.statistics, U, V), X[:2], None, U, None, NOTHING, None)
    forgetful = repeated(Frobenius, X[:2], U, 1)[1]
    assert stream.seen == 42
    assert np.linalg.norm(moved - U) < 0.3 * np.linalg.norm(forgetful - U)


@pytest.mark.parametrize("loss", [Frobenius, KullbackLeibler])
def test_three_passes_over_documents_end_near_the_full_batch(loss):
    X = sparse.csr_array(synthetic_documents(1500, n_features=400, random_state=3).X.astype(np.float64))
    rng = np.random.default_rng(7)
    X = X[rng.permutation(X.shape[0])]
    V, U = rng.random((X.shape[0], 6)), rng.random((X.shape[1], 6))
    full = NMF(6, loss=loss.name, init=(V, U.T), max_iter=500, tol=1e-5).fit(X)
    _, U, _ = repeated(loss, X, U, 3, parts=10)
    V = loss().project(as_data(X), U, None, 0.0, 0.0, 0.0)
    error = loss().error(float(loss().value(State(as_data(X), U, V))))
    assert error < 1.01 * full.reconstruction_err_


@pytest.mark.parametrize("loss", [Frobenius, KullbackLeibler])
def test_rounds_are_many_where_a_basis_is_poor_and_few_where_it_is_known(loss, monkeypatch):
    X, _, _, U = problem(n=400)
    kind, rounds = loss.statistics, []
    plain = kind.rows
    monkeypatch.setattr(kind, "rows", lambda *args: rounds.append(1) or plain(*args))
    stream, U, _ = repeated(loss, X, U, 20, parts=4)
    rounds.clear()
    learn(stream, X[:100], None, U, None, NOTHING, None)
    known = len(rounds)
    rounds.clear()
    # All that was known is of no use for these samples.
    learn(stream, np.roll(X[:100], 5, axis=1), None, U, None, NOTHING, 10.0)
    assert known < len(rounds) <= kind.rounds
    # Beside a penalty on V the loss does not say when to stop.
    rounds.clear()
    held = Around(0.0, (1e-3, 0.0), lambda samples: (0.0, 0.0))
    learn(stream, X[:100], None, U, None, held, None)
    assert len(rounds) == kind.held_rounds


def test_a_stream_of_little_weight_is_one_and_of_none_is_not():
    check_stream(3, 0.25, None, 4, 2)
    check_stream(1, 1.0, None, 4, 2)
    for seen, weight in ((3, 0.0), (3, 3.5), (0, 0.0), (3, float("nan")), (3, 3)):
        with pytest.raises(ValueError, match="a stream of"):
            check_stream(seen, weight, None, 4, 2)


def test_basis_vectors_cost_what_the_penalties_of_all_samples_do():
    s, landmarks = state(), graph("landmark")
    stream = Stream.of_fit(Frobenius.statistics, s.U, s.V, LandmarkMeans.of_graph(landmarks, s.V))
    form = gather_forms([Smoothness(landmarks, 0.7), ElasticNet("V", 0.3, 0.2)], "rows", s, "V")
    around = Around(0.7, (0.3, 0.2), lambda samples: (0.0, 0.0))
    np.testing.assert_allclose(around.costs(stream), form.column_costs(s.V), rtol=1e-9)


def test_rows_are_held_by_a_graph_that_has_a_strength_or_by_a_penalty():
    s = state()
    free = Stream.of_fit(Frobenius.statistics, s.U, s.V)
    tied = Stream.of_fit(Frobenius.statistics, s.U, s.V, LandmarkMeans.of_graph(graph("landmark"), s.V))
    found = [
        [Around(lam, (0.0, l2), lambda samples: (0.0, 0.0)).holds_rows(stream) for stream in (free, tied)]
        for lam, l2 in ((0.0, 0.0), (0.7, 0.0), (0.0, 0.1))
    ]
    assert found == [[False, False], [False, True], [True, True]]


@pytest.mark.parametrize("window", [None, 25.0])
def test_features_that_a_block_lacks_go_where_all_samples_have_them(window):
    X, _, V, U = problem(n=40, m=30)
    stream = Stream.of_fit(KullbackLeibler.statistics, U, V)
    X[:20, 15:] = 0
    found = learn(stream, sparse.csr_array(X[:20]), None, U, None, NOTHING, window)
    expected = found.stream.statistics.basis(found.U, 0.0, 0.0, 0.0)
    np.testing.assert_allclose(found.U[15:], expected[15:], rtol=1e-9)


def test_basis_vectors_of_zeros_keep_their_size(rng):
    U = rng.random((6, 3))
    U[:, 1] = 0
    np.testing.assert_allclose(_lengths(U), [np.linalg.norm(U[:, 0]), 1, np.linalg.norm(U[:, 2])])
