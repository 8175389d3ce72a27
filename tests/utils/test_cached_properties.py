"""Once computed, kept; and nobody waits for anybody."""

from threading import Barrier, Event, Thread

import pytest

from manifact.utils.cached_properties import cached_property


class Square:
    def __init__(self, side, waiting=lambda: None):
        self.side, self.waiting, self.times = side, waiting, 0

    @cached_property
    def area(self):
        """side²"""
        self.times += 1
        self.waiting()
        return [self.side**2]


def test_it_is_computed_once_for_each_object():
    one, other = Square(2), Square(3)
    assert (one.area, one.area, other.area) == ([4], [4], [9])
    assert one.area is one.area
    assert (one.times, Square.area.__doc__) == (1, "side²")


def test_a_failure_is_not_kept():
    failing = Square("a")
    for _ in range(2):
        with pytest.raises(TypeError):
            failing.area  # noqa: B018
    assert failing.times == 2


def test_one_object_does_not_wait_for_another():
    held, begun = Event(), Event()

    def wait():
        begun.set()
        held.wait(20)

    slow = Square(2, wait)
    thread = Thread(target=lambda: slow.area)
    thread.start()
    begun.wait(20)
    assert Square(3).area == [9]
    assert thread.is_alive()
    held.set()
    thread.join()


def test_threads_that_ask_at_once_get_the_same():
    both, found = Barrier(2, timeout=20), []
    shared = Square(2, both.wait)
    threads = [Thread(target=lambda: found.append(shared.area)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert shared.times == 2
    assert found[0] is found[1]
