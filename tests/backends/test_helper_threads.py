import threading

import pytest

from manifact.backends.helper_threads import SharedWork, share


def test_every_range_is_taken_once():
    taken = []
    for helpers in (0, 1, 4):
        share(lambda start, stop: taken.append((start, stop)), (), iter([(j, j + 1) for j in range(50)]), helpers)
        assert sorted(taken) == [(j, j + 1) for j in range(50)]
        taken.clear()


def test_helpers_take_part():
    both = threading.Barrier(2, timeout=10)
    share(lambda start, stop: both.wait(), (), iter([(0, 1), (1, 2)]), 1)


def test_an_error_leaves_nobody_at_work():
    begun, ended = [], []

    def work(start, stop):
        begun.append(start)
        try:
            if start == 3:
                raise ZeroDivisionError
        finally:
            ended.append(start)

    with pytest.raises(ZeroDivisionError):
        share(work, (), iter([(j, j + 1) for j in range(1000)]), 3)
    assert sorted(begun) == sorted(ended)
    assert len(begun) < 1000


def test_an_error_of_a_helper_reaches_the_caller():
    caller = threading.get_ident()
    both = threading.Barrier(2, timeout=10)

    def work(start, stop):
        both.wait()
        if threading.get_ident() != caller:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        share(work, (), iter([(0, 1), (1, 2)]), 1)


def test_an_interrupt_is_passed_on_when_all_are_done():
    def work(start, stop):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        share(work, (), iter([(j, j + 1) for j in range(9)]), 2)


def test_a_helper_that_comes_late_does_nothing():
    done = []
    work = SharedWork(lambda start, stop: done.append(start), (), iter([(0, 1)]))
    work.serve()
    work.wait(1)
    work.help(0)
    assert done == [0]
