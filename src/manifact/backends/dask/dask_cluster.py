"""A cluster of Dask's: processes on this machine, or those that a scheduler has somewhere."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from distributed import Client, LocalCluster

from manifact.backends.block_samples import ArrayBlocks, BlockSamples
from manifact.backends.dask.dask_samples import DaskSamples
from manifact.backends.dask.lost_clusters import sentence_if_lost
from manifact.backends.dask.task_graph import fetched
from manifact.backends.threads import limit
from manifact.utils.errors import BadValueError

#: Seconds in which a scheduler answers, and in which the first of its workers is there.
ANSWER, FIRST_WORKER = 10, 120
#: Blocks of samples in memory: so many for each worker, or more where they would be larger than so many bytes.
BLOCKS_EACH, LARGEST_BLOCK = 2, 128 << 20
#: Blocks that are on their way to a worker at the same time.
AHEAD = 2


class Cluster:
    """Workers, and what they do for this process."""

    def __init__(self, client: Client) -> None:
        self.client = client

    @property
    def dashboard(self) -> str:
        """Where its work can be watched."""
        return str(self.client.dashboard_link)

    @property
    def n_workers(self) -> int:
        """How many there are now."""
        with sentence_if_lost(self.client):
            return len(self.client.scheduler_info(n_workers=-1)["workers"])

    def holding(self, X: Any) -> DaskSamples:
        """Samples in blocks that the workers have; those in memory are cut, a few blocks for each worker."""
        if isinstance(X, BlockSamples):
            return DaskSamples.of_blocks(X)
        # One row is one block at the most.
        whole = ArrayBlocks(X, max(1, X.shape[0]))
        many = max(BLOCKS_EACH * self.n_workers, -(-whole.nbytes // LARGEST_BLOCK))
        return DaskSamples.of_blocks(ArrayBlocks(X, -(-X.shape[0] // many)))

    def mapped(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """function(item) of each, in order, by the workers; items are taken as these get on."""
        with sentence_if_lost(self.client):
            shared = self.client.scatter(function, broadcast=True, hash=False)
        running: deque[Any] = deque()
        for item in items:
            with sentence_if_lost(self.client):
                running.append(self.client.submit(_applied, shared, item, pure=False))
            if len(running) >= AHEAD * self.n_workers:
                yield fetched(self.client, [running.popleft()])[0]
        while running:
            yield fetched(self.client, [running.popleft()])[0]


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The cluster that an address names: ``local:4``, or a scheduler's, such as ``tcp://host:8786``."""
    if address.startswith("local"):
        # One thread each: kernels of ours let several blocks be worked on at once, and share no interpreter.
        started = LocalCluster(
            n_workers=_processes(address),
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            silence_logs=logging.ERROR,
        )
        with started, Client(started) as client:
            yield Cluster(client)
        return
    with _reached(address) as client:
        try:
            client.wait_for_workers(1, timeout=FIRST_WORKER)
        except TimeoutError:
            raise BadValueError(
                "{cluster}={!r} has no workers after {} s: start some, or see why they do not come up",
                address,
                FIRST_WORKER,
            ) from None
        yield Cluster(client)


def _processes(address: str) -> int:
    number = address.removeprefix("local").removeprefix(":")
    if not (number.isascii() and number.isdigit() and int(number)):
        raise BadValueError(
            "{cluster}={!r} must be local:N, N processes on this machine, or the address of a scheduler, such as "
            "tcp://host:8786",
            address,
        )
    return int(number)


def _reached(address: str) -> Client:
    try:
        return Client(address, timeout=ANSWER)
    except (OSError, TimeoutError):
        raise BadValueError(
            "{cluster}={!r} does not answer within {} s: check the address, and that the scheduler runs",
            address,
            ANSWER,
        ) from None
    except (ValueError, TypeError):
        raise BadValueError(
            "{cluster}={!r} is no address: give a scheduler's, such as tcp://host:8786, or local:4 for four processes "
            "here",
            address,
        ) from None


def _applied(function: Callable[[Any], Any], item: Any) -> Any:
    """By one thread: there are as many items at work as there are workers."""
    with limit(1):
        return function(item)
