from contextlib import ExitStack
from threading import Barrier, Thread

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info, threadpool_limits

from manifact.backends import as_data, threads
from manifact.backends.blas_threads import ONE_BLAS_THREAD
from manifact.backends.numpy.neighbor_search import nearest


def test_every_row_is_visited_once(monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    for n in (1, 2, 7, 100):
        for count in (1, 2, 5):
            seen = np.zeros(n, dtype=int)

            def visit(start, stop, seen=seen):
                seen[start:stop] += 1

            with threads.limit(count):
                threads.over_rows(visit, n, 1e9)
                threads.over_rows(visit, n, 1e9, costs=np.concatenate([[0], np.arange(n) ** 2.0]))
            assert (seen == 2).all()


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)

    def fail(start, stop):
        raise ZeroDivisionError

    with threads.limit(3), pytest.raises(ZeroDivisionError):
        threads.over_rows(fail, 10, 1e9)


def test_the_environment_limits_the_threads(monkeypatch):
    monkeypatch.setenv("NUMBA_NUM_THREADS", "3")
    assert threads.count() == 3
    with threads.limit(1):
        assert threads.count() == 1
    monkeypatch.setenv("NUMBA_NUM_THREADS", "")
    assert threads.count() >= 1


def test_results_do_not_depend_on_the_number_of_threads(monkeypatch, rng):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    X = sparse.random_array((300, 80), density=0.1, random_state=rng, format="csr")
    U, V = rng.random((80, 6)), rng.random((300, 6))
    results = []
    for count in (1, 2, 7):
        with threads.limit(count):
            data = as_data(X)
            results.append(
                [data.times(U), *data.ratio_times(U, V), data.ratio_times_transposed(U, V), *nearest(X, 5),
                 *nearest(X.toarray(), 5), data.project_divergence(U, None, 0.0, 0.0, 0.0)]
            )  # fmt: skip
    for other in results[1:]:
        for mine, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(mine, theirs)


def test_each_item_is_worked_on_by_a_thread_that_shares_nothing_out():
    def work(item):
        return item, threads.count()

    with threads.limit(3):
        assert list(threads.each(work, range(5))) == [(item, 1) for item in range(5)]
        assert threads.count() == 3


def test_limits_of_threads_that_overlap_end_where_they_began():
    first, second = Barrier(2, timeout=10), Barrier(2, timeout=10)
    count, seen = threads.count(), []

    def beside():
        with threads.limit(5):
            first.wait()
            second.wait()
        seen.append(threads.count())

    thread = Thread(target=beside)
    with threads.limit(7):
        thread.start()
        first.wait()
        assert threads.count() == 7
    second.wait()
    thread.join()
    assert (threads.count(), seen) == (count, [count])


def test_blas_keeps_its_threads_though_items_overlap_with_products():
    def of_blas():
        return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]

    with threadpool_limits(2, user_api="blas"):
        before = of_blas()
        with ExitStack() as product:
            product.enter_context(ONE_BLAS_THREAD)
            for _ in threads.each(lambda item: item, range(2)):
                product.close()
                assert set(of_blas()) == {1}
        assert of_blas() == before


def test_small_work_wakes_few_threads(monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 100)
    seen = []
    monkeypatch.setattr(
        threads, "share", lambda kernel, args, ranges, helpers: seen.append((len(list(ranges)), helpers))
    )
    with threads.limit(8):
        for work in (99, 250, 1e9):
            threads.over_rows(lambda start, stop: seen.append("alone"), 1000, work)
    assert seen == ["alone", (2, 1), (8 * threads.CHUNKS_PER_THREAD, 7)]


def test_time_is_told_by_whether_others_could_help():
    with threads.limit(1), threads.measured() as shares:
        threads.over_rows(lambda start, stop: None, 1000, 1e9)
        assert shares.shared > 0 == shares.alone
        threads.over_rows(lambda start, stop: None, 1000, 1.0)
        assert shares.alone > 0
    assert shares.calls == 2
    threads.over_rows(lambda start, stop: None, 1000, 1.0)
    assert shares.calls == 2
