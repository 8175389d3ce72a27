"""A scheduler that is lost ends what waits for it, with one sentence and a checkpoint to go on from."""

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

dask = pytest.importorskip("dask", reason="Dask is not installed: manifact's extra [dask]")
da = pytest.importorskip("dask.array", reason="Dask is not installed: manifact's extra [dask]")
distributed = pytest.importorskip("distributed", reason="Dask's cluster is not installed: manifact's extra [dask]")

from manifact import NMF  # noqa: E402
from manifact.backends.dask.dask_cluster import Cluster  # noqa: E402
from manifact.backends.dask.lost_clusters import ClusterLostError, sentence_if_lost, waited_for  # noqa: E402
from manifact.backends.dask.task_graph import computed, fetched  # noqa: E402

SENTENCE = "the scheduler of Dask is lost, .* run the same again, which goes on from the file that checkpoint="


@pytest.fixture
def loop():
    made = asyncio.new_event_loop()
    thread = threading.Thread(target=made.run_forever)
    thread.start()
    yield SimpleNamespace(asyncio_loop=made)
    made.call_soon_threadsafe(made.stop)
    thread.join()
    made.close()


async def never():
    await asyncio.Event().wait()


async def seven():
    return 7


@pytest.mark.parametrize("status", ["connecting", "closing", "closed"])
def test_nobody_waits_for_what_a_lost_cluster_will_not_give(loop, status):
    with pytest.raises(ClusterLostError, match=SENTENCE):
        waited_for(SimpleNamespace(status=status, loop=loop), never())


def test_what_is_there_is_given(loop):
    assert waited_for(SimpleNamespace(status="running", loop=loop), seven()) == 7


def test_errors_of_calls_stay_what_they_are():
    running = SimpleNamespace(status="running")
    for client in (None, running):
        with pytest.raises(ValueError, match="of a chunk"), sentence_if_lost(client):
            raise ValueError("of a chunk")
    with pytest.raises(ConnectionError, match=SENTENCE), sentence_if_lost(running):
        closed(running)


def closed(client):
    client.status = "closed"
    raise RuntimeError("IOLoop is closed")


@contextmanager
def processes(folder):
    """A scheduler and a worker as processes of their own, and a client."""
    file = folder / "scheduler.json"
    own = ["--scheduler-file", str(file), "--dashboard-address", ":0"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    dask_program = [sys.executable, "-m", "dask"]
    scheduler = subprocess.Popen([*dask_program, "scheduler", "--port", "0", *own], **quiet)
    worker = subprocess.Popen([*dask_program, "worker", "--nthreads", "1", "--no-nanny", *own], **quiet)
    asked = dask.config.get("scheduler", None)
    try:
        until = time.monotonic() + 60
        while not file.exists() and time.monotonic() < until:
            time.sleep(0.05)
        # It gives up soon: nobody comes back.
        client = distributed.Client(scheduler_file=str(file), timeout=2)
        try:
            client.wait_for_workers(1, timeout=60)
            yield client, scheduler
        finally:
            client.close(timeout=5)
    finally:
        for process in (worker, scheduler):
            process.kill()
            process.wait()
        # Dask itself goes on naming the cluster that is gone, which is not for other tests.
        dask.config.set(scheduler=asked)


@pytest.mark.filterwarnings("ignore")
def test_a_lost_scheduler_leaves_the_checkpoint_that_the_next_run_goes_on_from(tmp_path, rng):
    X = da.from_array(rng.random((300, 20)), chunks=(110, 20))
    make = lambda: NMF(4, loss="kullback-leibler", solver="mu", random_state=0, max_iter=20, tol=0)  # noqa: E731
    expected, path = make().fit(X.compute()), tmp_path / "run.safetensors"
    with processes(tmp_path) as (client, scheduler), client.as_current():

        def lose(iteration):
            if iteration.number == 7:
                os.kill(scheduler.pid, signal.SIGKILL)

        kept = client.submit(abs, -1)
        with pytest.raises(ClusterLostError, match=SENTENCE):
            make().fit(X, checkpoint=path, every=2, callbacks=lose)
        with pytest.raises(ClusterLostError, match=SENTENCE):
            fetched(client, [kept])
        with pytest.raises(ClusterLostError, match=SENTENCE):
            list(Cluster(client).mapped(abs, [-1, 2]))
        with pytest.raises(ClusterLostError, match=SENTENCE), dask.config.set(scheduler=client):
            computed(X.sum())
    assert path.exists()
    found = make().fit(X, checkpoint=path)
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-9)


def test_calls_that_are_cancelled_are_no_news(caplog):
    class AllExit(Exception):  # noqa: N818 - the name that distributed has for it
        pass

    logger = logging.getLogger("asyncio")
    logger.error("nobody waits any more", exc_info=AllExit())
    logger.error("something else", exc_info=ValueError())
    assert [record.message for record in caplog.records] == ["something else"]
