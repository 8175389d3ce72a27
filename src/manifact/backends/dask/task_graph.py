"""Calls that are made in one go: one graph of Dask's, for a cluster or for threads of this process.

What a call gives is a future where there is a cluster, and the value itself where there is none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from typing import Any
from uuid import uuid4

import dask
from dask import threaded
from dask._task_spec import List, Task, TaskRef
from dask.base import get_scheduler
from dask.delayed import Delayed

from manifact.backends.dask.lost_clusters import sentence_if_lost, waited_for

#: Names of this process's graphs are its own among all that use a cluster.
_PROCESS, _GRAPHS = uuid4().hex[:12], count()


def default_client() -> Any:
    """The cluster's client that is the default of this process, or None."""
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


class TaskGraph:
    """Calls that refer to each other. Written down as Dask has them: `dask.delayed` takes longer than they do."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._tasks: dict[Any, Any] = {}
        self._name = f"{_PROCESS}-{next(_GRAPHS)}"

    def call(self, function: Callable[..., Any], *arguments: Any) -> TaskRef:
        """A call to be made; arguments are values, what other calls give, and lists of these."""
        # The part before the dash is what the dashboard shows.
        key = f"{function.__name__.strip('_')}-{self._name}-{len(self._tasks)}"
        self._tasks[key] = Task(key, function, *map(self._argument, arguments))
        return TaskRef(key)

    def _argument(self, argument: Any) -> Any:
        if isinstance(argument, list):
            return List(*map(self._argument, argument))
        if isinstance(argument, Delayed):
            self._tasks.update(argument.__dask_graph__())
            return TaskRef(argument.key)
        return argument

    def begun(self, wanted: Sequence[TaskRef]) -> list[Any]:
        """What the wanted calls give; all others are forgotten as soon as nobody needs them."""
        keys = [reference.key for reference in wanted]
        if self._client is not None:
            # Small arrays travel with the calls, and are as large as they have to be.
            large = dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TiB"})
            with large, sentence_if_lost(self._client):
                return list(self._client.get(self._tasks, keys, sync=False))
        return list(_asked()(self._tasks, keys))


def _asked() -> Callable[..., Any]:
    """Who makes calls: whom Dask was told to ask, else threads."""
    try:
        return get_scheduler() or threaded.get
    except RuntimeError:
        # Dask may go on naming a cluster that was lost.
        return threaded.get


def fetched(client: Any, parts: Sequence[Any]) -> list[Any]:
    """The values of what calls gave, on the host."""
    if client is None:
        return list(parts)
    with sentence_if_lost(client):
        return list(waited_for(client, client.gather(list(parts), asynchronous=True)))


def started(client: Any, parts: Sequence[Delayed]) -> list[Any]:
    """The same for calls that were written down by `dask.delayed`, which are kept where they were made."""
    if client is None:
        return list(computed(*parts))
    with sentence_if_lost(client):
        return list(client.compute(list(parts)))


def computed(*lazy: Any) -> tuple[Any, ...]:
    """The values of what Dask has put off, by the cluster that is there, or here."""
    asked = _asked()
    client = getattr(asked, "__self__", None)
    if client is None:
        return tuple(dask.compute(*lazy, scheduler=asked))
    with sentence_if_lost(client):
        begun = client.compute(list(lazy))
    return tuple(fetched(client, begun))


def later(function: Callable[..., Any], *arguments: Any) -> Delayed:
    """A call that is made again whenever it is needed; functions are found by their names in other processes."""
    return dask.delayed(function, pure=False)(*arguments)
