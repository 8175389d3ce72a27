"""The simulated cluster at its borders, where its time is known."""

from dataclasses import replace

import pytest

from manifact.experiments.bench.reduction_tree import Machines, Walk, walk_seconds

WALK = Walk(chunks=64, chunk_seconds=0.5, bytes_down=3e6, bytes_up=3e6)


def test_one_worker_without_costs_takes_the_time_of_its_chunks():
    assert walk_seconds(WALK, Machines(1)) == pytest.approx(64 * 0.5)


@pytest.mark.parametrize("workers", [2, 4, 64])
def test_free_messages_make_workers_share_the_time(workers):
    assert walk_seconds(WALK, Machines(workers)) == pytest.approx(64 * 0.5 / workers)


def test_workers_beyond_the_cores_take_turns():
    assert walk_seconds(WALK, Machines(4, cores=2)) == pytest.approx(walk_seconds(WALK, Machines(2, cores=2)))


def test_a_chunk_too_many_is_a_round_more():
    assert walk_seconds(replace(WALK, chunks=65), Machines(64)) == pytest.approx(2 * 0.5)


def test_two_workers_send_half_the_sums_through_one_tree():
    """Two chunks: U goes to one worker and on to the other, one sum comes over, and the total to whoever asked."""
    found = walk_seconds(replace(WALK, chunks=2), Machines(2, bandwidth=1e9, latency=1e-3))
    assert found == pytest.approx(0.5 + 4 * (1e-3 + 3e6 / 1e9))


def test_a_scheduler_that_is_slow_is_what_is_waited_for():
    found = walk_seconds(replace(WALK, chunk_seconds=1e-9), Machines(64, task_seconds=1e-2))
    # The small arrays, three tasks for each chunk in turn, and three levels of sums.
    assert found == pytest.approx(1e-2 * (1 + 3 * 64 + 2), rel=0.01)


def test_cores_bound_the_work_of_all():
    found = walk_seconds(WALK, Machines(2, cores=2, task_seconds=0.1))
    assert found >= (64 * 0.5 + (1 + 3 * 64 + 8 + 1) * 0.1) / 2


def test_more_bandwidth_never_takes_longer():
    times = [walk_seconds(WALK, Machines(16, bandwidth=band, latency=2e-4)) for band in (1e8, 1e9, 1e10)]
    assert times == sorted(times, reverse=True)
    assert times[0] > times[-1]


def test_sums_are_added_one_after_the_other():
    alone = replace(WALK, chunks=8, add_seconds=0.01)
    assert walk_seconds(alone, Machines(1)) == pytest.approx(8 * 0.5 + 7 * 0.01)
    # Levels of the tree follow each other: eight chunks of each of eight workers, and then their sums.
    assert walk_seconds(replace(WALK, add_seconds=0.01), Machines(8)) == pytest.approx(8 * 0.5 + 2 * 7 * 0.01)


def test_small_arrays_go_through_the_scheduler_first():
    plain = walk_seconds(WALK, Machines(4, bandwidth=1e9))
    slow = walk_seconds(WALK, Machines(4, bandwidth=1e9, with_calls=1e8))
    assert slow - plain == pytest.approx(3e6 / 1e8 - 3e6 / 1e9)


def test_sending_on_one_machine_is_work_of_its_cores():
    free = replace(WALK, chunk_seconds=1e-9)
    found = walk_seconds(free, Machines(2, cores=1, bandwidth=1e8))
    # In, over, half of a tree of eight sums that meet, and out.
    assert found >= (3e6 + 3e6 + 3e6 * 4 + 3e6) / 1e8


def test_cores_that_share_memory_are_slower_together_and_not_alone():
    for workers, slower in ((1, 1.0), (2, 1.6)):
        plain, shared = (walk_seconds(WALK, Machines(workers, cores=2, together=times)) for times in (1.0, 1.6))
        assert shared == pytest.approx(slower * plain)
