"""How long a walk over chunks takes on a cluster, simulated: small arrays go out, chunks are worked on, sums come back.

The simulation knows no chance: the same numbers give the same time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, log2


@dataclass(frozen=True)
class Machines:
    """Workers and what is between them: bytes and seconds."""

    workers: int
    #: Cores that workers, scheduler and client have together; None: each has one of its own.
    cores: int | None = None
    bandwidth: float = float("inf")
    latency: float = 0.0
    #: Seconds of the scheduler, and of who asks it, for each task.
    task_seconds: float = 0.0
    #: Bytes a second of small arrays, which go with the calls through the scheduler; None: as from worker to worker.
    with_calls: float | None = None
    #: How many times as long work takes where all cores work: they may share what they read memory with.
    together: float = 1.0


@dataclass(frozen=True)
class Walk:
    """One walk over the chunks."""

    chunks: int
    chunk_seconds: float
    #: Bytes of small arrays that every worker gets, and of the sums that every chunk gives.
    bytes_down: float = 0.0
    bytes_up: float = 0.0
    #: A chunk's task, one for each array that is kept, and one for its sums.
    tasks_per_chunk: int = 3
    fan_in: int = 8
    #: Adding the sums of one chunk to those of another.
    add_seconds: float = 0.0


@dataclass
class _Part:
    """A sum of some chunks: which worker has it, and since when."""

    worker: int
    ready: float


def walk_seconds(walk: Walk, machines: Machines) -> float:
    """From the moment at which a walk is asked for to that at which its sums are known."""
    if machines.workers > 1:
        walk = replace(walk, chunk_seconds=walk.chunk_seconds * machines.together)
    # More processes than cores take turns.
    stretch = 1.0 if machines.cores is None else max(1.0, machines.workers / machines.cores)
    parts, lines = _worked(walk, machines, stretch), _Lines(machines, stretch)
    n_tasks = 1 + walk.chunks * walk.tasks_per_chunk
    while len(parts) > 1:
        groups = [parts[first : first + walk.fan_in] for first in range(0, len(parts), walk.fan_in)]
        parts = [lines.added(group, walk) for group in groups]
        n_tasks += len(groups)
    path = parts[0].ready + _sent(walk.bytes_up, machines)
    if machines.cores is None:
        return path
    adding = (walk.chunks - 1) * walk.add_seconds
    # Who sends on the same machine works for it.
    moved = (machines.workers - 1) * walk.bytes_down + (lines.crossings + 1) * walk.bytes_up
    sending = moved / machines.bandwidth + walk.bytes_down / _entry(machines)
    busy = walk.chunks * walk.chunk_seconds + n_tasks * machines.task_seconds + adding + sending
    return max(path, busy / machines.cores)


def _worked(walk: Walk, machines: Machines, stretch: float) -> list[_Part]:
    """Neighbouring chunks are a worker's, one after the other; the scheduler hears of one end after the other."""
    # Who has small arrays passes them on: twice as many have them after each round.
    entered = machines.latency + walk.bytes_down / _entry(machines)
    begun = machines.task_seconds + entered + ceil(log2(machines.workers)) * _sent(walk.bytes_down, machines)
    share = ceil(walk.chunks / machines.workers)
    ends = [
        (begun + (1 + number % share) * stretch * walk.chunk_seconds, number // share) for number in range(walk.chunks)
    ]
    heard, parts = 0.0, {}
    for number in sorted(range(walk.chunks), key=lambda number: ends[number]):
        end, worker = ends[number]
        heard = max(heard, end) + walk.tasks_per_chunk * machines.task_seconds
        parts[number] = _Part(worker, heard)
    return [parts[number] for number in range(walk.chunks)]


class _Lines:
    """What comes in at each worker, one after the other."""

    def __init__(self, machines: Machines, stretch: float) -> None:
        self._machines, self._stretch = machines, stretch
        self._until = [0.0] * machines.workers
        #: Sums that went from one worker to another.
        self.crossings = 0

    def added(self, group: list[_Part], walk: Walk) -> _Part:
        """Sums of a few parts, where the first of them is."""
        worker, ready = group[0].worker, max(part.ready for part in group)
        for part in group:
            if part.worker != worker:
                self._until[worker] = max(self._until[worker], part.ready) + _sent(walk.bytes_up, self._machines)
                ready = max(ready, self._until[worker])
                self.crossings += 1
        adding = (len(group) - 1) * walk.add_seconds * self._stretch
        return _Part(worker, ready + self._machines.task_seconds + adding)


def _entry(machines: Machines) -> float:
    return machines.bandwidth if machines.with_calls is None else machines.with_calls


def _sent(size: float, machines: Machines) -> float:
    return machines.latency + size / machines.bandwidth
