"""Threads without the interpreter do what one thread does, for any arguments, any caller and any process."""

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from numba import njit

from manifact.backends import threads
from manifact.backends.compiled import compiled_helpers
from manifact.backends.compiled.compiled_helpers import shared_by_compiled
from manifact.backends.numpy.kernels import kernel

pytestmark = pytest.mark.skipif(
    not compiled_helpers.sys.platform.startswith("linux"), reason="there are no such semaphores"
)


@kernel
def mixture(single, double, whole, flags, number, narrow, count, truth, out, start, stop):
    """Arguments of every kind that kernels take."""
    for j in range(start, stop):
        out[j] += single[j, 0] + double[j] + whole[j] + flags[j] + number + narrow + count + truth


@kernel
def mark(out, start, stop):
    for j in range(start, stop):
        out[j] += 1


@njit(nogil=True)
def fail(out, start, stop):
    if start >= 0:
        raise ValueError


def kinds(rng, n):
    single = np.asfortranarray(rng.random((n, 3)).astype(np.float32))
    whole = rng.integers(0, 9, n).astype(np.int32)
    whole.flags.writeable = False
    return single, rng.random(2 * n)[::2], whole, rng.random(n) < 0.5, 0.25, np.float32(0.5), 7, True


@pytest.mark.parametrize("helpers", [0, 1, 5])
def test_arguments_of_every_kind_arrive(helpers, rng):
    n = 1000
    args = kinds(rng, n)
    expected, out = np.zeros(n), np.zeros(n)
    mixture(*args, expected, 0, n)
    bounds = np.array([0, 1, 10, 500, n])
    assert shared_by_compiled(mixture, (*args, out), bounds, helpers)
    np.testing.assert_array_equal(out, expected)


def test_every_range_is_done_once_however_often():
    out, bounds = np.zeros(640), np.arange(0, 641, 10)
    for _ in range(3000):
        assert shared_by_compiled(mark, (out,), bounds, 3)
    np.testing.assert_array_equal(out, 3000)


def test_more_ranges_than_there_is_room_for_are_left_to_others():
    assert not shared_by_compiled(mark, (np.zeros(5),), np.arange(compiled_helpers.MOST_RANGES + 2), 2)
    assert not shared_by_compiled(lambda start, stop: None, (), np.array([0, 1]), 2)


def test_a_failure_is_not_passed_over():
    with pytest.raises(MemoryError, match="fail could not finish"):
        shared_by_compiled(fail, (np.zeros(3),), np.array([0, 1, 2, 3]), 2)
    out = np.zeros(3)
    assert shared_by_compiled(mark, (out,), np.array([0, 1, 2, 3]), 2)
    np.testing.assert_array_equal(out, 1)


def test_several_callers_all_get_their_work_done(monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 1)

    def work(number):
        out = np.zeros(500)
        with threads.limit(3):
            for _ in range(200):
                threads.over_rows(mark, 500, 1e9, out)
        return out

    with ThreadPoolExecutor(4) as pool:
        for out in pool.map(work, range(4)):
            np.testing.assert_array_equal(out, 200)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_has_helpers_of_its_own():
    bounds = np.arange(0, 101, 10)
    assert shared_by_compiled(mark, (np.zeros(100),), bounds, 2)
    child = os.fork()
    if child == 0:
        out = np.zeros(100)
        done = shared_by_compiled(mark, (out,), bounds, 2)
        os._exit(0 if done and (out == 1).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_ranges_cover_all_rows():
    for n in (1, 5, 1000):
        for chunks in (1, 3, 64):
            for costs in (None, np.concatenate([[0], np.cumsum(np.arange(n) % 7)])):
                bounds = threads._bounds(n, min(n, chunks), costs)
                assert (bounds[0], bounds[-1]) == (0, n)
                assert all(start < stop for start, stop in pairwise(bounds))
