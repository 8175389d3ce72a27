"""Workers: groups in order, failures with their owner, and nothing left running."""

import os
import time

import pytest

from manifact.backends import threads
from manifact.experiments.reproduce.job_workers import working


def serve(group, advance):
    for one in group:
        if one == "fails":
            raise ValueError("a bad setting")
        advance(1)


def sleep(group, advance):
    time.sleep(60)


def all_ended(crew):
    ended = []
    while (one := crew.next()) is not None:
        ended.append(one)
    return ended


@pytest.mark.parametrize("count", [1, 2])
def test_a_group_that_fails_is_its_owners_and_the_others_are_done(count):
    advanced = []
    with working(serve, count, advanced.append) as crew:
        crew.add([1, 2], "one")
        crew.add(["fails"], "two")
        crew.add([3], "three")
        ended = {one.owner: one.failure for one in all_ended(crew)}
        crew.add([4], "four")
        assert [one.owner for one in all_ended(crew)] == ["four"]
    assert ended["one"] is None
    assert ended["three"] is None
    assert isinstance(ended["two"], ValueError)
    assert sum(advanced) >= 4


def test_work_in_this_process_is_done_in_order_by_one_thread():
    seen = []
    with working(lambda group, advance: seen.append((group[0], threads.count())), 1, lambda amount: None) as crew:
        for number in range(3):
            crew.add([number], "owner")
        all_ended(crew)
    assert seen == [(0, 1), (1, 1), (2, 1)]


def test_processes_are_ended_with_an_interrupt():
    begun, processes = time.monotonic(), []

    def interrupted():
        with working(sleep, 2, lambda amount: None) as crew:
            crew.add([1], "owner")
            time.sleep(1)
            processes.extend(process.pid for process in crew._pool._processes.values())
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert processes
    while any(os.path.exists(f"/proc/{pid}") and _lives(pid) for pid in processes):
        assert time.monotonic() - begun < 30
        time.sleep(0.05)


def _lives(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False
