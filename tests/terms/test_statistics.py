"""Sums over samples that are gone: they give the loss as a function of the basis."""

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.backends import as_data
from manifact.terms import Frobenius, KullbackLeibler, State
from manifact.terms.statistics import FLOOR, DivergenceStatistics, QuadraticStatistics, _further
from manifact.terms.statistics_protocol import Hold

LOSSES = {Frobenius: QuadraticStatistics, KullbackLeibler: DivergenceStatistics}


def of_blocks(kind, X, U, V, weight=None, blocks=3):
    statistics = kind.empty(X.shape[1], U.shape[1], X.dtype)
    seen = 0
    for rows in np.array_split(np.arange(len(X)), blocks):
        data = as_data(X[rows], None if weight is None else weight[rows])
        lasting = seen / (seen + len(rows))
        statistics = statistics.counted(data, lasting).joined(kind.of_block(data, U, V[rows]))
        seen += len(rows)
    return statistics


@pytest.mark.parametrize("loss", LOSSES)
def test_each_loss_names_its_statistics(loss):
    assert loss.statistics is LOSSES[loss]


def test_quadratic_statistics_give_the_loss_of_any_basis(rng):
    X, _, V, U = problem()
    weight = rng.random(len(X))
    s = of_blocks(QuadraticStatistics, X, U, V, weight)
    values = []
    for basis in (U, rng.random(U.shape)):
        loss = Frobenius().value(State(as_data(X, weight), basis, V))
        values.append(loss - (np.sum((basis @ s.G) * basis) - 2 * np.sum(s.B * basis)))
    assert values[0] == pytest.approx(values[1], rel=1e-12)


def test_divergence_statistics_bound_the_loss_of_any_basis_and_touch_it(rng):
    X, _, V, U = problem()
    s = of_blocks(DivergenceStatistics, X, U, V)
    data = as_data(X)

    def bound(basis):
        return float(np.sum(basis @ s.sums) - np.sum(s.C * np.log(basis)))

    constant = KullbackLeibler().value(State(data, U, V)) - bound(U)
    for _ in range(5):
        basis = U * np.exp(rng.standard_normal(U.shape))
        assert KullbackLeibler().value(State(data, basis, V)) < bound(basis) + constant


def test_divergence_statistics_give_every_feature_its_total():
    X, _, V, U = problem()
    s = of_blocks(DivergenceStatistics, X, U, V)
    np.testing.assert_allclose(s.means, X.mean(axis=0))
    np.testing.assert_allclose(s.basis(U, 0.0, 0.0, 0.0) @ s.sums, X.sum(axis=0), rtol=1e-3)
    # Also where samples have faded of which some had a feature and others had not.
    faded = s.faded(0.5)
    np.testing.assert_allclose(faded.basis(U, 0.0, 0.0, 0.0) @ faded.sums, 0.5 * X.sum(axis=0), rtol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_statistics_of_a_fit_have_its_basis_as_their_minimiser(loss):
    _, _, V, U = problem()
    s = LOSSES[loss].of_fit(U, V)
    np.testing.assert_allclose(s.basis(U, 0.0, 0.0, 0.0), U, rtol=1e-10)


@pytest.mark.parametrize("loss", LOSSES)
def test_scale_may_move_from_the_basis_into_v(loss, rng):
    X, _, V, U = problem()
    lengths = rng.random(U.shape[1]) + 0.5
    moved, made = (
        of_blocks(LOSSES[loss], X, U, V).rescaled(lengths),
        of_blocks(LOSSES[loss], X, U / lengths, V * lengths),
    )
    for name, value in vars(made).items():
        np.testing.assert_allclose(getattr(moved, name), value, rtol=1e-12, err_msg=name)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_rows_come_to_rest_where_the_loss_and_the_hold_have_their_minimum(loss, weighted, rng):
    X, _, V, U = problem()
    weight = rng.random(len(X)) + 0.1 if weighted else None
    data, s = as_data(X, weight), LOSSES[loss].empty(X.shape[1], U.shape[1], X.dtype)
    pull, shift = rng.random(V.shape), rng.random(len(X))
    found = None
    for _ in range(300):
        found = s.rows(data, s.of_basis(U), found, Hold(pull, shift, 0.1, 0.2)).V
    gamma = np.ones(len(X)) if weight is None else weight
    if loss is Frobenius:
        slope = 2 * (found @ U.T - X) @ U * gamma[:, None] + 2 * shift[:, None] * found - 2 * pull
    else:
        slope = (1 - X / (found @ U.T)) @ U * gamma[:, None] + shift[:, None] - pull / found
    slope += 0.1 + 0.2 * found
    inside = found > 1e-6
    assert inside.mean() > 0.5
    np.testing.assert_allclose(slope[inside], 0, atol=1e-5)
    assert (slope[~inside] > -1e-5).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_features_may_be_taken_apart_and_put_together(loss):
    X, _, V, U = problem()
    s, some = of_blocks(LOSSES[loss], X, U, V), np.array([0, 3, 4])
    again = s.with_features(some, s.of_features(some))
    for name, value in vars(s).items():
        np.testing.assert_array_equal(getattr(again, name), value)
    far = U.copy()
    far[some] = 0
    whole = s.rows(as_data(X), s.of_basis(U), V, Hold()).V
    X[:, np.setdiff1d(np.arange(X.shape[1]), some)] = 0
    basis = s.of_basis(U[some], s.of_basis(far).sums)
    near = s.of_features(some).rows(as_data(X[:, some].copy()), basis, V, Hold()).V
    alone = s.rows(as_data(X), s.of_basis(U), V, Hold()).V
    assert not np.allclose(whole, near)
    np.testing.assert_allclose(near, alone, rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_know_the_loss_of_their_block(weighted, rng):
    X, _, V, U = problem()
    data = as_data(X, rng.random(len(X)) + 0.1 if weighted else None)
    quadratic, divergence = (kind.empty(X.shape[1], U.shape[1], X.dtype) for kind in LOSSES.values())
    basis = quadratic.of_basis(U)
    V, loss = quadratic.rows(data, basis, V, Hold())
    assert loss == pytest.approx(Frobenius().value(State(data, U, V)), rel=1e-9)
    # That of the divergence is known before the step.
    loss = divergence.rows(data, divergence.of_basis(U), V + 0.1, Hold()).loss
    assert loss == pytest.approx(KullbackLeibler().value(State(data, U, V + 0.1)), rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_a_block_knows_its_loss_beside_any_basis(loss, kind, rng):
    X, _, V, U = problem()
    data, other = as_data(kind(X)), rng.random(U.shape)
    s = LOSSES[loss].of_block(data, U, V)
    assert s.loss(data, s.of_basis(other), V) == pytest.approx(loss().value(State(data, other, V)), rel=1e-9)


def test_a_difference_of_squares_that_is_lost_in_their_digits_is_no_loss(rng):
    V, U = rng.random((30, 3)), rng.random((20, 3))
    data = as_data((V @ U.T).astype(np.float32))
    s = QuadraticStatistics.of_block(data, U, V)
    assert s.loss(data, s.of_basis(U), V) is None


def test_features_that_a_block_lacks_wait_as_if_they_had_been_there(rng):
    X, _, V, U = problem(n=40)
    lacking, some = np.array([1, 4]), np.setdiff1d(np.arange(X.shape[1]), [1, 4])
    X[20:, lacking] = 0
    before = of_blocks(DivergenceStatistics, X[:20], U, V[:20])
    basis, block = before.basis(U, 0.0, 0.0, 0.0), as_data(X[20:])
    faded = before.faded(0.3).counted(block, 0.5)
    after = faded.joined(faded.of_block(block, basis, V[20:]))
    moved = basis[lacking] * faded.waited(after, 0.5, 20)
    np.testing.assert_allclose(moved, after.basis(basis, 0.0, 0.0, 0.0)[lacking], rtol=1e-10)
    # Of squares where no sample has two parts, and G is diagonal.
    alone = np.eye(U.shape[1])[rng.integers(0, U.shape[1], 40)] * rng.random((40, 1))
    before = of_blocks(QuadraticStatistics, X[:20], U, alone[:20])
    basis, faded = before.basis(U, 0.0, 0.0, 0.0), before.faded(0.3)
    after = faded.joined(faded.of_block(block, basis, alone[20:]))
    moved = basis * faded.waited(after, 0.5, 20)
    np.testing.assert_allclose(moved[lacking], after.basis(basis, 0.0, 0.0, 0.0)[lacking], rtol=1e-10)
    assert not np.allclose(moved[some], after.basis(basis, 0.0, 0.0, 0.0)[some])


def test_what_a_basis_gains_is_what_the_loss_of_all_samples_falls_by(rng):
    X, _, V, U = problem()
    s, new = of_blocks(QuadraticStatistics, X, U, V), rng.random(U.shape)
    before, after = (Frobenius().value(State(as_data(X), basis, V)) for basis in (U, new))
    old, new = s.of_basis(U), s.of_basis(new)
    # A block that has a third of the loss of all.
    assert s.gained(old, new, np.inf, before / 3, 1 / 3) == pytest.approx((before - after) / before)
    assert s.gained(old, old, np.inf, before, 1.0) == 0
    block = DivergenceStatistics.empty(X.shape[1], U.shape[1], X.dtype)
    assert block.gained(old, new, 12.0, 10.0, 0.5) == pytest.approx(0.1)
    assert block.gained(old, new, 10.0, 12.0, 0.5) < 0


@pytest.mark.parametrize("rows", [1, 6], ids=["one weight for each part", "weights for each row as well"])
def test_a_step_goes_on_and_keeps_the_weighted_sum_of_each_row(rows, rng):
    old, new, a = rng.random((6, 3)) + 0.1, rng.random((6, 3)) + 0.1, rng.random((rows, 3)) + 0.1
    far = new * np.clip(new / old, 0.1, 10.0) ** 0.75
    expected = far * ((a * new).sum(axis=1) / (a * far).sum(axis=1))[:, None]
    np.testing.assert_allclose(_further(old, new, a), expected, rtol=1e-12)


@pytest.mark.parametrize("shared", [True, False])
def test_rows_that_are_worked_on_a_few_at_a_time_each_have_their_own_weights(rng, monkeypatch, shared):
    old, new = rng.random((50, 4)) + 0.1, rng.random((50, 4)) + 0.1
    a = rng.random((1 if shared else 50, 4)) + 0.1
    each = [_further(old[[row]], new[[row]], a if shared else a[[row]]) for row in range(50)]
    monkeypatch.setattr("manifact.terms.statistics.ENTRIES_AT_ONCE", 12)
    np.testing.assert_allclose(_further(old, new, a), np.concatenate(each), rtol=1e-12)


def test_the_basis_of_squares_is_the_minimiser_beside_both_penalties(rng):
    V, l1, l2 = rng.random((30, 3)), 0.4, 0.3
    known = QuadraticStatistics(V.T @ V, rng.random((6, 30)) @ V)
    U = rng.random((6, 3))
    for _ in range(500):
        U = known.basis(U, 0.0, l1, l2)
    slope = 2 * (U @ known.G - known.B) + l1 + l2 * U
    assert (U > 0).any()
    np.testing.assert_allclose(slope[U > 0], 0, atol=1e-8)
    assert slope.min() > -1e-8


def test_no_entry_of_a_basis_falls_below_its_floor(rng):
    V = rng.random((30, 3))
    known = DivergenceStatistics.of_fit(rng.random((8, 3)) * (rng.random((8, 3)) < 0.5), V)
    U = known.basis(rng.random((8, 3)), 0.0, 0.0, 0.0)
    above = U / (FLOOR / 8 * U.sum(axis=0))
    assert above.min() == pytest.approx(1, rel=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_that_nothing_holds_become_as_good_as_those_of_new_samples(loss):
    X, _, _, U = problem()
    data, kind, V = as_data(X), LOSSES[loss], None
    for _ in range(300):
        V = kind.empty(*U.shape, X.dtype).rows(data, kind.of_basis(U), V, Hold()).V
    placed = loss().project(data, U, None, 0.0, 0.0, 0.0)
    assert loss().value(State(data, U, V)) == pytest.approx(loss().value(State(data, U, placed)), rel=1e-3)


def test_features_that_were_away_for_long_enter_at_the_floor(rng):
    U, rest = rng.random((5, 3)) + 0.1, np.array([7.0, 5.0, 3.0])
    U[2] = 0
    entered = DivergenceStatistics.empty(40, 3, U.dtype).entering(U, rest, 40)
    np.testing.assert_allclose(entered.U[2], FLOOR / 40 * (U.sum(axis=0) + rest))
    np.testing.assert_array_equal(np.delete(entered.U, 2, axis=0), np.delete(U, 2, axis=0))
    np.testing.assert_allclose(entered.sums, entered.U.sum(axis=0) + rest)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_part_that_no_sample_has_waits_as_it_is(loss):
    X, _, V, U = problem()
    V[:, 1] = 0
    s = of_blocks(LOSSES[loss], X, U, V)
    np.testing.assert_allclose(s.waited(s, 1.0, 0), 1)


def test_basis_vectors_of_zeros_keep_their_size(rng):
    U = rng.random((6, 3))
    U[:, 1] = 0
    sizes = DivergenceStatistics.empty(6, 3, U.dtype).sizes(U)
    np.testing.assert_allclose(sizes, [U[:, 0].sum(), 1, U[:, 2].sum()])
