import numpy as np
import pytest
from scipy import sparse
from tests.reference import kernels as plain

from manifact.backends import as_data, threads
from manifact.backends.numpy.dense_products import NARROW_BYTES
from manifact.backends.numpy.fused_descent import sketched_descent


def problem(rng, dtype, stored, n=301, m=57, k=5):
    X = np.where(rng.random((n, m)) < 0.3, rng.random((n, m)), 0).astype(dtype)
    U, V, U_before, V_before = (rng.random((size, k)).astype(dtype) for size in (m, n, m, n))
    return X, as_data(sparse.csr_array(X) if stored else X), U, V, (U_before, V_before)


@pytest.mark.parametrize("stored", [False, True])
@pytest.mark.parametrize(("dtype", "k"), [(np.float32, 5), (np.float32, 20), (np.float64, 9)])
@pytest.mark.parametrize("rate", [0.0, 0.6])
def test_it_is_one_step_after_the_other(rng, stored, dtype, k, rate):
    X, data, U, V, before = problem(rng, dtype, stored, k=k)
    found = data.descended(U, V, before, rate, X.T @ V, 2)
    X, U, V, U_before, V_before = (part.astype(np.float64) for part in (X, U, V, *before))
    point = U + rate * (U - U_before)
    one = np.ones(len(X))
    V_new = plain.sweep_rows(V + rate * (V - V_before), point.T @ point, X @ point, one, 0 * one, 2)
    ahead = V_new + rate * (V_new - V)
    one = np.ones(len(U))
    U_new = plain.sweep_rows(point, ahead.T @ ahead, X.T @ ahead, one, 0 * one, 2)
    close = {"rtol": 1e-3, "atol": 1e-4} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-10}
    assert found.U.dtype == found.V.dtype == found.XtV.dtype == dtype
    for mine, theirs in (
        (found.V, V_new), (found.U, U_new), (found.XtV, X.T @ V_new), (found.VtV, V_new.T @ V_new),
        (found.UtU, U_new.T @ U_new), (found.overlap, np.sum((X @ U_new) * V_new)),
    ):  # fmt: skip
        np.testing.assert_allclose(mine, theirs, **close)


@pytest.mark.parametrize("stored", [False, True])
def test_the_number_of_threads_changes_no_bit(monkeypatch, rng, stored):
    monkeypatch.setattr(threads, "SMALL_WORK", 1)
    X, data, U, V, before = problem(rng, np.float32, stored, n=700, m=130)
    found = []
    for count in (1, 2, 5):
        with threads.limit(count):
            found.append(data.descended(U, V, before, 0.4, X.T @ V, 1))
    for other in found[1:]:
        for name in ("U", "V", "XtV", "UtU", "VtV", "overlap"):
            np.testing.assert_array_equal(getattr(other, name), getattr(found[0], name))


def test_a_part_that_nothing_draws_is_zero(rng):
    _, data, U, V, _ = problem(rng, np.float64, False)
    U[:, 2] = 0
    found = data.descended(U, V, (U, V), 0.0, U, 1)
    assert not found.V[:, 2].any()
    assert not found.U[:, 2].any()
    assert np.isfinite(found.U).all()


def test_weights_and_many_parts_go_step_by_step(rng):
    X, _, U, V, before = problem(rng, np.float64, False)
    assert as_data(X, np.full(len(X), 2.0)).descended(U, V, before, 0.0, U, 1) is None
    assert as_data(sparse.csr_array(X), np.full(len(X), 2.0)).descended(U, V, before, 0.0, U, 1) is None
    _, data, U, V, before = problem(rng, np.float64, False, k=NARROW_BYTES // 8 + 1)
    assert data.descended(U, V, before, 0.0, U, 1) is None


@pytest.mark.parametrize(("dtype", "k"), [(np.float32, 5), (np.float64, 9)])
@pytest.mark.parametrize("rate", [0.0, 0.6])
def test_a_step_on_a_sketch_is_one_on_what_it_stands_for(rng, dtype, k, rate):
    n, m, r = 301, 57, 11
    rows, directions = rng.random((n, r)).astype(dtype), np.linalg.qr(rng.standard_normal((m, r)))[0].astype(dtype)
    U, V, U_before, V_before, V_last = (rng.random((size, k)).astype(dtype) for size in (m, n, m, n, n))
    point = U + dtype(rate) * (U - U_before)
    drawn = rows.T @ V_last if rate else None
    found, along, pull = sketched_descent(
        rows, directions, U, V, (U_before, V_before), rate, directions.T @ point, drawn, 2
    )
    X = rows.astype(np.float64) @ directions.T
    new = as_data(X).descended(
        *(P.astype(np.float64) for P in (U, V)),
        tuple(P.astype(np.float64) for P in (U_before, V_before)), rate, X.T @ V_last, 2,
    )  # fmt: skip
    close = {"rtol": 1e-3, "atol": 2e-4} if dtype == np.float32 else {"rtol": 1e-9, "atol": 1e-10}
    for name in ("U", "V", "XtV", "UtU", "VtV", "overlap"):
        np.testing.assert_allclose(getattr(found, name), getattr(new, name), **close, err_msg=name)
    np.testing.assert_allclose(along, directions.T @ found.U, **close)
    np.testing.assert_allclose(pull, rows.T @ found.V, **close)


def test_more_parts_than_fit_into_rows_go_step_by_step_on_a_sketch(rng):
    rows, directions = rng.random((30, 4)), np.eye(9)[:, :4]
    U, V = rng.random((9, 33)), rng.random((30, 33))
    assert sketched_descent(rows, directions, U, V, (U, V), 0.0, directions.T @ U, None, 1) is None
