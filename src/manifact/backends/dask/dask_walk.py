"""A walk over chunks as one graph of Dask's: a task for each chunk, and a tree that adds up what they give."""

from __future__ import annotations

import pickle
import shutil
import tempfile
import weakref
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends.blas_threads import ONE_BLAS_THREAD
from manifact.backends.blocks.block_program import Blocks, Program, Recipe
from manifact.backends.blocks.layout import Layout
from manifact.backends.dask.lost_clusters import sentence_if_lost
from manifact.backends.dask.task_graph import TaskGraph, default_client, fetched
from manifact.backends.threads import limit
from manifact.utils.memory import available

#: Sums of so many chunks are added up by one task.
FAN_IN = 8
#: What is kept is written down after so many walks: a lost worker's part is computed again from there.
HISTORY = 12
#: Walks are tried so often: a worker may be lost in any of them.
TRIES = 3
#: What it is called that data, or a connection, went with a worker.
LOSSES = ("KilledWorker", "FutureCancelledError", "CancelledError", "FuturesCancelledError", "CommClosedError")
#: Bytes that a process has where nobody knows.
UNKNOWN_MEMORY = 1 << 34


class Folder:
    """A folder that every worker sees, and that is there as long as this object is."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="manifact-"))
        weakref.finalize(self, shutil.rmtree, str(self.path), True)


class Chunks:
    """Something for each chunk: on the workers, or in this process."""

    def __init__(self, parts: Sequence[Any], history: int = 0, folders: Iterable[Folder] = ()) -> None:
        self.parts = list(parts)
        #: Walks since it was written down.
        self.history = history
        #: What may have to be read again to compute it again.
        self.folders = frozenset(folders)

    def __len__(self) -> int:
        return len(self.parts)


class DaskWalk:
    """Walks by the cluster that this process is a client of, or by threads of its own."""

    def __init__(self) -> None:
        self.client = default_client()

    def memory(self) -> float:
        """Bytes that the workers have together, or this process has."""
        here = float(available() or UNKNOWN_MEMORY)
        if self.client is None:
            return here
        return float(sum(worker["memory_limit"] or here for worker in self._workers()))

    def _workers(self) -> list[dict[str, Any]]:
        """What the scheduler knows of them."""
        with sentence_if_lost(self.client):
            return list(self.client.scheduler_info(n_workers=-1)["workers"].values())

    def walk(self, program: Program, layout: Layout) -> tuple[list[Any], list[Any]]:
        """What the program keeps, for all chunks, and its sums."""
        for _ in range(TRIES - 1):
            try:
                return self._walk(program, layout)
            except Exception as trouble:
                if self.client is None or not _is_loss(trouble):
                    raise
        return self._walk(program, layout)

    def _walk(self, program: Program, layout: Layout) -> tuple[list[Any], list[Any]]:
        graph, n = TaskGraph(self.client), layout.n_blocks
        outcomes = self._outcomes(graph, program, n)
        kept = [graph.call(_kept, one, place) for place in range(len(program.kept)) for one in outcomes]
        # What is kept stays where it is: only sums go from worker to worker.
        sums = [graph.call(_sums, one) if kept else one for one in outcomes] if program.sums else []
        wanted = [*kept, _tree(graph, program.combine, sums)] if sums else kept
        found = graph.begun(wanted)
        totals = self._of_one(found.pop()) if sums else []
        history = 1 + max((held.history for held in program.inputs), default=0)
        folders: frozenset[Folder] = frozenset().union(*(held.folders for held in program.inputs))
        chunks = [Chunks(found[first : first + n], history, folders) for first in range(0, len(found), n)]
        return [self._written_down(one) if one.history >= HISTORY else one for one in chunks], totals

    def _outcomes(self, graph: TaskGraph, program: Program, n: int) -> list[Any]:
        """The task of each chunk; where nothing is kept it gives sums alone, which saves the scheduler another one."""
        run = _run if program.kept else _run_for_sums
        recipe, small, wanted = program.recipe(), self._everywhere(graph, program.small), _read_across(program)
        across = [held.parts if place in wanted else None for place, held in enumerate(program.inputs)]
        return [
            graph.call(run, recipe, [held.parts[number] for held in program.inputs], across, small)
            for number in range(n)
        ]

    def _everywhere(self, graph: TaskGraph, small: list[Any]) -> Any:
        """Small arrays, which workers get from each other; with the graph, so that they are not lost with a worker."""
        return small if self.client is None or not small else graph.call(_small, small)

    def gathered(self, held: Chunks) -> Any:
        """Chunks as one array of the host."""
        return np.concatenate(fetched(self.client, held.parts))

    def holding(self, P: Any, layout: Layout) -> Chunks:
        """Chunks of an array of the host."""
        return self.parts([P[layout.rows(number)] for number in range(layout.n_blocks)], layout)

    def parts(self, parts: Iterable[Any], layout: Layout | None = None) -> Chunks:
        """Something of the host for each chunk, where workers find it again if one of them is lost."""
        if self.client is None:
            return Chunks(list(parts))
        folder = self._folder()
        if folder is None:
            return self._carried(list(parts))
        return self._read_from(folder, [_write(folder.path / str(number), part) for number, part in enumerate(parts)])

    def room(self, shape: tuple[int, ...], dtype: Any) -> Any:
        """Memory of this process."""
        return np.empty(shape, dtype=dtype)

    def block(self, held: Chunks, number: int) -> Any:
        """One chunk, on the host."""
        return self._of_one(held.parts[number])

    def _of_one(self, part: Any) -> Any:
        return fetched(self.client, [part])[0]

    def _written_down(self, held: Chunks) -> Chunks:
        """The same without a history: by way of files that all can read, or of this process."""
        if self.client is None:
            return Chunks(held.parts)
        folder = self._folder()
        if folder is None:
            return self._carried(fetched(self.client, held.parts))
        graph = TaskGraph(self.client)
        calls = [graph.call(_write, folder.path / str(number), part) for number, part in enumerate(held.parts)]
        return self._read_from(folder, fetched(self.client, graph.begun(calls)))

    def _read_from(self, folder: Folder, paths: Sequence[Path]) -> Chunks:
        """What files hold, once it is read: a folder may go any time after, and nobody looks for it then."""
        graph = TaskGraph(self.client)
        reads = [graph.call(_read, path) for path in paths]
        found = graph.begun([*reads, *(graph.call(_is_there, one) for one in reads)])
        fetched(self.client, found[len(reads) :])
        return Chunks(found[: len(reads)], folders=[folder])

    def _carried(self, parts: Sequence[Any]) -> Chunks:
        """Parts that the scheduler has, too, since workers on other machines share no folder with this one."""
        graph = TaskGraph(self.client)
        return Chunks(graph.begun([graph.call(_as_it_is, part) for part in parts]))

    def _folder(self) -> Folder | None:
        """A folder that every worker sees, where they are all on this machine."""
        return Folder() if self.is_here() else None

    def is_here(self) -> bool:
        """Whether all workers are on this machine."""
        return {worker["host"] for worker in self._workers()} <= {"127.0.0.1", "localhost", "::1"}


def _read_across(program: Program) -> set[int]:
    """Which inputs chunks read of others that they have edges to."""
    places = (place for _, arguments in (*program.steps, *program.sums) for place in arguments)
    return {place.place for place in places if isinstance(place, Blocks)}


def _is_loss(trouble: Exception) -> bool:
    """Whether this is what is heard of data that went with a worker."""
    names = {cls.__name__ for cls in type(trouble).__mro__}
    return not names.isdisjoint(LOSSES)


def _run(recipe: Recipe, block: list[Any], across: list[Any], small: list[Any]) -> tuple[list[Any], list[Any]]:
    """A chunk's part of a walk, by one thread: there are as many chunks at work as there are threads."""
    with limit(1), ONE_BLAS_THREAD:
        return recipe.run(block, across, small)


def _run_for_sums(recipe: Recipe, block: list[Any], across: list[Any], small: list[Any]) -> list[Any]:
    return _run(recipe, block, across, small)[1]


def _small(arrays: list[Any]) -> list[Any]:
    return arrays


def _kept(outcome: tuple[list[Any], list[Any]], place: int) -> Any:
    return outcome[0][place]


def _sums(outcome: tuple[list[Any], list[Any]]) -> list[Any]:
    return outcome[1]


def _tree(graph: TaskGraph, combine: list[Any], parts: list[Any]) -> Any:
    """The sums of all chunks, neighbours first."""
    while len(parts) > 1:
        parts = [graph.call(_added, combine, parts[first : first + FAN_IN]) for first in range(0, len(parts), FAN_IN)]
    return parts[0]


def _added(combine: list[Any], parts: list[list[Any]]) -> list[Any]:
    totals = list(parts[0])
    for part in parts[1:]:
        totals = [join(total, one) for join, total, one in zip(combine, totals, part, strict=True)]
    return totals


def _as_it_is(part: Any) -> Any:
    return part


def _is_there(part: Any) -> bool:
    return True


def _write(path: Path, part: Any) -> Path:
    with path.open("wb") as file:
        pickle.dump(part, file, protocol=5)
    return path


def _read(path: Path) -> Any:
    with path.open("rb") as file:
        return pickle.load(file)
