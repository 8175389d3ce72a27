"""One iteration on 1, 2 and 4 processes of this machine, beside what a simulation of the cluster predicts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from statistics import median
from typing import Any

import numpy as np

from manifact.backends import threads
from manifact.backends.block_samples import ArrayBlocks
from manifact.backends.clusters import cluster
from manifact.experiments.bench.benchmark_samples import Samples, documents, random_start
from manifact.experiments.bench.benchmark_settings import Outcome, Setting, UnavailableError
from manifact.experiments.bench.reduction_tree import Machines, Walk, walk_seconds
from manifact.experiments.bench.timing import seconds
from manifact.graphs import LandmarkGraph
from manifact.models import ALPNMF, NMF

RANK, LANDMARKS, CHUNKS, ITERATIONS = 20, 1000, 8, 8
#: Processes that are measured here, and clusters that are only predicted: machines of one core at 10 Gbit/s, 0.2 ms.
HERE, THERE = (1, 2, 4), (8, 64)
BANDWIDTH, LATENCY = 10e9 / 8, 2e-4
#: Chunks that a worker has where there are many: a larger cluster has more documents.
CHUNKS_EACH = 4
#: Chunks whose turn it is one after the other in this process: what one leaves in the cache is not for the next.
IN_TURN = 2
#: Tasks and bytes with which a cluster is measured, and how often.
EMPTY_TASKS, SENT, TIMES = 300, 16 << 20, 5


def measure(setting: Setting) -> Outcome:
    """A row for each model and number of workers."""
    _check_dask()
    samples = documents(setting.scale.cluster_documents) if setting.data is None else setting.data
    chunk = -(-samples.X.shape[0] // CHUNKS)
    models = _models(samples, min(LANDMARKS, chunk // 4))
    alone = {}
    for name, model in models.items():
        setting.show(f"cluster: {name}, chunks in this process")
        alone[name] = _in_this_process(model, samples.X, chunk)
    with cluster("local:2") as local:
        together = {name: _together(local, model(chunk), samples.X[:chunk]) for name, model in models.items()}
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in models}
    facts = []
    for workers in HERE:
        with cluster(f"local:{workers}") as local:
            facts.append(_measured(local, workers))
            held = local.holding(ArrayBlocks(samples.X, chunk))
            for name, model in models.items():
                setting.show(f"cluster: {name}, {workers} workers")
                spent = _iteration(model, held, None)
                machines = replace(facts[-1], together=together[name])
                row = _row(name, workers, CHUNKS, chunk, spent, _predicted(*alone[name], machines, CHUNKS))
                found[name].append(row | {"most efficiency": _most_efficiency(machines)})
    # With one worker the scheduler has a core nearly for itself, as it has there.
    task = facts[0].task_seconds
    for name, rows in found.items():
        for workers in THERE:
            # What goes through the scheduler goes over the network twice.
            there, chunks = Machines(workers, None, BANDWIDTH, LATENCY, task, BANDWIDTH / 2), CHUNKS_EACH * workers
            row = _row(name, workers, chunks, chunk, None, _predicted(*alone[name], there, chunks))
            rows.append(row | {"most efficiency": 1.0})
        _efficiencies(rows)
    return [row for rows in found.values() for row in rows], _note(samples, chunk, facts, together)


def _check_dask() -> None:
    if find_spec("dask") is None or find_spec("distributed") is None:
        raise UnavailableError("Dask, manifact's extra [dask], is not installed: pip install distributed")


def _models(samples: Samples, landmarks: int) -> dict[str, Callable[[int], Any]]:
    """From the number of samples to a model with a start of its own."""

    def common(n: int) -> dict[str, Any]:
        start = random_start(samples.X[:n], RANK, seed=0)
        return {"init": start, "max_iter": ITERATIONS, "tol": 1e-12, "random_state": 0}

    return {
        "A-LPNMF": lambda n: ALPNMF(RANK, graph=LandmarkGraph(n_landmarks=landmarks), **common(n)),
        "NMF, mu": lambda n: NMF(RANK, solver="mu", **common(n)),
        "NMF, divergence": lambda n: NMF(RANK, solver="mu", loss="kullback-leibler", **common(n)),
    }


class Recorder:
    """Somebody who walks, and what is known of each walk since the last iteration ended."""

    def __init__(self, walker: Any) -> None:
        self.walker = walker
        self.walks: list[Walk] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.walker, name)

    def walk(self, program: Any, layout: Any) -> Any:
        """The walk, noted."""
        begun = time.perf_counter()
        kept, totals = self.walker.walk(program, layout)
        spent = time.perf_counter() - begun
        kept_apart = len(program.kept) + bool(program.sums) if program.kept else 0
        self.walks.append(Walk(layout.n_blocks, spent, _bytes(program.small), _bytes(totals), 1 + kept_apart))
        return kept, totals


def _in_this_process(model: Callable[[int], Any], X: Any, chunk: int) -> tuple[list[Walk], float]:
    """The walks of an iteration, by the seconds of one chunk, and seconds of small arrays beside them."""
    from manifact.backends.dask import DaskSamples, in_turn

    held = DaskSamples.of_blocks(ArrayBlocks(X[: IN_TURN * chunk], chunk))
    recorder = Recorder(held.walk)
    held.walk = recorder
    seen: list[tuple[float, list[Walk]]] = []

    def noted(spent: float) -> None:
        seen.append((spent, list(recorder.walks)))
        recorder.walks.clear()

    with threads.limit(1), in_turn():
        _iteration(model, held, noted)
    whole = sorted(seen[2:], key=lambda one: one[0])
    spent, walks = whole[len(whole) // 2]
    host = max(0.0, spent - sum(walk.chunk_seconds for walk in walks))
    per_byte = _adding()
    return [_of_one_chunk(walk, walk.bytes_up * per_byte) for walk in walks], host


def _of_one_chunk(walk: Walk, add_seconds: float) -> Walk:
    """By its chunks in turn, whose sums were added up."""
    alone = (walk.chunk_seconds - (walk.chunks - 1) * add_seconds) / walk.chunks
    return replace(walk, chunks=1, chunk_seconds=max(alone, 0.0), add_seconds=add_seconds)


def _adding() -> float:
    """Seconds for each byte of sums that are added to others."""
    one, other = np.ones((2, SENT // 8))
    return median(seconds(lambda: one + other) for _ in range(TIMES)) / SENT


def _iteration(model: Callable[[int], Any], X: Any, noted: Callable[[float], None] | None) -> float:
    """Median seconds of an iteration, after the first two."""
    ticks = [time.perf_counter()]

    def ended(iteration: Any) -> None:
        ticks.append(time.perf_counter())
        if noted is not None:
            noted(ticks[-1] - ticks[-2])

    model(X.shape[0]).fit(X, callbacks=ended)
    return float(median(np.diff(ticks)[2:]))


def _together(found: Any, model: Any, X: Any) -> float:
    """How many times as long an iteration takes while another process has one, who both know nothing of each other."""
    client = found.client
    places = list(client.scheduler_info(n_workers=-1)["workers"])[:2]
    held = [(client.scatter(X, workers=[place], hash=False), place) for place in places]

    def slowest(chosen: list[Any]) -> float:
        runs = [client.submit(_spent, model, part, workers=[place], pure=False) for part, place in chosen]
        return max(client.gather(runs))

    slowest(held)  # kernels are compiled
    return max(1.0, slowest(held) / slowest(held[:1]))


def _spent(model: Any, X: Any) -> float:
    """Seconds of an iteration in this process, on one thread."""
    with threads.limit(1):
        return _iteration(lambda n: model, X, None)


def _most_efficiency(machines: Machines) -> float:
    """What workers that never wait would reach where they share cores."""
    if machines.workers == 1 or machines.cores is None:
        return 1.0
    return min(1.0, machines.cores / machines.workers) / machines.together


def _measured(found: Any, workers: int) -> Machines:
    """What messages, bytes and tasks cost on a cluster of this machine."""
    from manifact.backends.dask import large_graphs

    client = found.client
    client.submit(int).result()
    trip = median(seconds(client.submit(int, number, pure=False).result) for number in range(20))
    # Once before it counts: workers import what they need.
    client.gather(client.map(_nothing, range(EMPTY_TASKS), pure=False))
    many = median(seconds(lambda: client.gather(client.map(_nothing, range(EMPTY_TASKS), pure=False))) for _ in "123")
    noise = _noise(SENT // 8)
    with large_graphs():
        out = median(seconds(client.submit(_size, noise, pure=False).result) for _ in range(TIMES))
    held = client.submit(_noise, SENT // 8)
    client.submit(_size, held).result()
    moved = median(seconds(lambda: client.gather(held)) for _ in range(TIMES))
    # On a busy machine a message alone may take longer than one with all these bytes did another time.
    with_calls, band = (SENT / max(spent - trip, spent / 4) for spent in (out, moved))
    return Machines(workers, threads.count(), band, trip / 2, many / EMPTY_TASKS, with_calls)


def _noise(n: int) -> Any:
    """Numbers that nobody can compress."""
    return np.random.default_rng(0).random(n)


def _size(array: Any) -> int:
    return int(array.nbytes)


def _nothing(argument: Any) -> None:
    """What an empty task does."""


def _predicted(walks: list[Walk], host: float, machines: Machines, chunks: int) -> float:
    """Seconds of an iteration: its walks one after the other, and what this process does between them."""
    return host + sum(walk_seconds(replace(walk, chunks=chunks), machines) for walk in walks)


def _row(model: str, workers: int, chunks: int, chunk: int, measured: float | None, predicted: float) -> dict[str, Any]:
    return {
        "model": model,
        "workers": workers,
        "chunks": chunks,
        "documents": chunks * chunk,
        "measured s": "" if measured is None else measured,
        "predicted s": predicted,
        "predicted / measured": "" if measured is None else predicted / measured,
    }


def _efficiencies(rows: list[dict[str, Any]]) -> None:
    """Work for each worker and second, beside that of one worker: measured where it is, else predicted."""
    for kind in ("measured", "predicted"):
        first = rows[0]["chunks"] / rows[0][f"{kind} s"]
        for row in rows:
            spent = row[f"{kind} s"]
            row[f"{kind} efficiency"] = "" if spent == "" else row["chunks"] / spent / row["workers"] / first


def _bytes(arrays: Any) -> float:
    return float(sum(np.asarray(array).nbytes for array in arrays if not isinstance(array, tuple)))


def _note(samples: Samples, chunk: int, facts: list[Machines], together: dict[str, float]) -> str:
    slower = ", ".join(f"{times:.2f} ({name})" for name, times in together.items())
    trip, task = median(one.latency for one in facts), median(one.task_seconds for one in facts)
    band, calls = median(one.bandwidth for one in facts), median(one.with_calls or 0.0 for one in facts)
    return (
        f"{samples}, k = {RANK}, in {CHUNKS} chunks of {chunk} documents; medians of {ITERATIONS} iterations. Measured "
        f"on local processes with one thread each, {threads.count()} cores for all of them and the scheduler. The "
        "simulation knows the time of a chunk in this process, where chunks take turns, of adding sums, and what was "
        f"measured of the local clusters: {1e3 * trip:.2g} ms for a message, {band / 1e6:.3g} MB/s, {calls / 1e6:.3g} "
        f"MB/s for what goes with the calls, {1e3 * task:.2g} ms of the scheduler for a task. 8 and 64 workers are "
        f"predicted alone: one core each and one for the scheduler, {CHUNKS_EACH} chunks of this size each, 10 Gbit/s, "
        f"0.2 ms. Efficiency is chunks per worker and second beside those of one worker. Two processes that know "
        f"nothing of each other, with a chunk each, take {slower} times as long side by side as one alone, since the "
        f"cores of this machine share more than memory; the simulation knows that, and the most efficiency is what it "
        "leaves to workers that never wait."
    )
