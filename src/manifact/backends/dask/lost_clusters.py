"""Waiting for what a cluster gives, which may be lost meanwhile: one sentence says so, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine, Iterator
from concurrent.futures import wait
from contextlib import contextmanager
from typing import Any

from manifact.utils.errors import ParameterError

#: Seconds between two looks at whether the cluster is still there.
LOOK = 0.5
#: Seconds in which a client notices that its line is broken, after it was the first to break a call.
NOTICE = 1.0
#: Why a client says that it cancelled what it waited for, when its line broke.
BROKEN_LINE = "scheduler-connection-lost"


class _NotOfCancelled(logging.Filter):
    """What a client's calls were waiting for is nobody's when they are cancelled, and its end no news."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and type(record.exc_info[1]).__name__ == "AllExit")


logging.getLogger("asyncio").addFilter(_NotOfCancelled())


class ClusterLostError(ParameterError, ConnectionError):
    """The scheduler is gone, or the line to it, and with it all that its workers held."""


@contextmanager
def sentence_if_lost(client: Any) -> Iterator[None]:
    """Whatever is raised inside becomes one sentence, if the reason is that the cluster is lost."""
    if client is not None and is_lost(client):
        # Calls would look for the scheduler for half a minute.
        raise _lost()
    try:
        yield
    except ClusterLostError:
        raise
    except Exception as trouble:
        if client is not None and _tells_of_loss(client, trouble):
            raise _lost() from trouble
        raise


def waited_for(client: Any, coroutine: Coroutine[Any, Any, Any]) -> Any:
    """What a coroutine of the client gives, as long as the client has a cluster."""
    # By a loop of our own: calls of the client's wait without end for what was begun after its line broke.
    waiting = asyncio.run_coroutine_threadsafe(coroutine, client.loop.asyncio_loop)
    try:
        while not wait([waiting], LOOK).done:
            if is_lost(client):
                raise _lost()
        return waiting.result()
    finally:
        waiting.cancel()


def is_lost(client: Any) -> bool:
    """Whether the cluster is gone: a client that connects again finds nothing there of what it had."""
    return bool(client.status != "running")


def _tells_of_loss(client: Any, trouble: Exception) -> bool:
    if getattr(trouble, "reason", None) == BROKEN_LINE:
        return True
    patience = NOTICE if isinstance(trouble, OSError) else 0.0
    until = time.monotonic() + patience
    while not is_lost(client) and time.monotonic() < until:
        time.sleep(NOTICE / 20)
    return is_lost(client)


def _lost() -> ClusterLostError:
    return ClusterLostError(
        "the scheduler of Dask is lost, and with it what its workers held: start another cluster and run the same "
        "again, which goes on from the file that {checkpoint}=… named, if there was one"
    )
