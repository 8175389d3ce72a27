"""Calls in one graph, on threads."""

import operator

import pytest

dask = pytest.importorskip("dask", reason="Dask is not installed: manifact's extra [dask]")

from manifact.backends.dask.task_graph import TaskGraph, computed, later, started  # noqa: E402


def test_calls_refer_to_each_other_through_lists():
    graph = TaskGraph(None)
    first = graph.call(operator.add, 2, 3)
    second = graph.call(sum, [first, graph.call(operator.mul, first, 10), 1])
    assert graph.begun([second, first]) == [56, 5]


def test_what_was_put_off_is_computed_with_the_others():
    graph = TaskGraph(None)
    assert graph.begun([graph.call(operator.neg, later(operator.add, 1, 1))]) == [-2]


def test_a_call_is_made_once_however_many_need_it():
    made, graph = [], TaskGraph(None)

    def noted(value):
        made.append(value)
        return value

    one = graph.call(noted, 7)
    assert graph.begun([graph.call(operator.add, one, place) for place in range(3)]) == [7, 8, 9]
    assert made == [7]


def test_who_lost_a_cluster_goes_on_with_threads():
    pytest.importorskip("distributed", reason="Dask's cluster is not installed: manifact's extra [dask]")
    with dask.config.set(scheduler="dask.distributed"):
        with pytest.raises(RuntimeError, match="no Client active"):
            dask.compute(later(operator.add, 1, 1))
        graph = TaskGraph(None)
        assert graph.begun([graph.call(operator.add, 2, 3)]) == [5]
        assert started(None, [later(operator.add, 1, 1)]) == [2]
        assert computed(later(operator.add, 1, 1), later(operator.neg, 1)) == (2, -1)
