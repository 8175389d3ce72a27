"""Fits that are killed at random moments, and go on each time until they are done.

    python benchmarks/kills.py [KILLS [PROCESSES]]

Each fit runs in a child process that is ended by SIGKILL at a moment drawn uniformly from the time that a whole fit
takes, its beginning and its end included; the next child goes on from the checkpoint, which is written after every
iteration. "kills" is how many of them met a running process, "runs" how many fits came to their end meanwhile, and
"identical" how many of these ended with the factors, the objective and the clusters of a fit that nobody disturbed, to
the last bit. Of `manifact fit --checkpoint` it is the model file and the table of clusters, to the last byte. "left" is
the number of temporary files after the last run.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

from manifact import GNMF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.datasets import load_digits, unit_length
from manifact.experiments.result_tables import write
from manifact.graphs import KNNGraph

KILLS = 50
#: Several starts, exact solvers, momentum and what is chosen by itself are among them.
MODELS = {
    "NMF": NMF(6, n_init=3, init_iter=5, assign="kmeans"),
    "GNMF": GNMF(6, solver="bcd", graph_reg=0.1),
    "LPNMF": LPNMF(6, graph_reg=1.0, init="random"),
    "SPNMF": SPNMF(6),
    "LCF": LCF(6),
    "AffinityNMF": AffinityNMF(6, graph=KNNGraph(5)),
}
COMMAND = ["fit", "x.npy", "-k", "auto", "--tol", "0", "-q", "--checkpoint", "run", "--every", "1"]


class ModelFit:
    """A fit in Python."""

    def __init__(self, model: Any, X: Any, iterations: int) -> None:
        self.model = clone(model).set_params(max_iter=iterations, tol=0, random_state=0)
        self.X = X

    def __call__(self, folder: Path, name: str) -> None:
        """Fit, and write all that came out."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted = clone(self.model).fit(self.X, checkpoint=folder / "run", every=1)
        found = fitted.representation_, fitted.components_, fitted.objective_, fitted.labels_
        (folder / name).write_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in found))

    def outcome(self, folder: Path, name: str) -> Any:
        """What is compared."""
        return (folder / name).read_bytes()


class CommandFit:
    """The same by the command line, with its model file and a table of clusters."""

    def __init__(self, X: Any, iterations: int) -> None:
        self.X = X
        self.iterations = iterations

    def __call__(self, folder: Path, name: str) -> None:
        """Run the command; what it says goes nowhere."""
        from manifact.cli import app

        if not (folder / "x.npy").exists():
            np.save(folder / "x.npy", self.X)
        files = ["-o", f"{name}.safetensors", "--clusters", f"{name}.csv", "--max-iter", str(self.iterations)]
        with chdir(folder):
            app([*COMMAND, *files], standalone_mode=False)

    def outcome(self, folder: Path, name: str) -> Any:
        """What is compared."""
        return [(folder / f"{name}{ending}").read_bytes() for ending in (".safetensors", ".csv")]


@dataclass
class Tally:
    """What came of it."""

    kills: int = 0
    runs: int = 0
    identical: int = 0
    left: int = 0


def in_child(work: Any, folder: Path, name: str) -> int:
    """The number of a process that does the work, and nothing else."""
    child = os.fork()
    if child == 0:
        try:
            work(folder, name)
            os._exit(0)
        except BaseException as problem:
            print(f"{type(problem).__name__}: {problem}", file=sys.stderr, flush=True)
        finally:
            os._exit(1)
    return child


def ended_within(seconds: float, child: int) -> int | None:
    """The exit code of a child that ends within some time, None if it runs on."""
    until = time.perf_counter() + seconds
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        left = until - time.perf_counter()
        if left <= 0:
            return None
        time.sleep(min(left, 0.01))


def waited(child: int) -> int:
    """The exit code of a child at its end."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_until(kills: int, work: Any, folder: Path, rng: np.random.Generator) -> Tally:
    """Kill so many processes of a fit, each of which goes on where the last one stood, and compare every end."""
    # Here first: children find compiled what it needs, and are killed inside of the fit.
    work(folder, "whole")
    expected, tally = work.outcome(folder, "whole"), Tally()
    (folder / "run").unlink()
    begun = time.perf_counter()
    if waited(in_child(work, folder, "killed")) != 0 or work.outcome(folder, "killed") != expected:
        raise RuntimeError("a fit that nobody disturbs does not come to the same end")
    seconds = time.perf_counter() - begun
    _clear(folder)
    while True:
        child, last = in_child(work, folder, "killed"), tally.kills >= kills
        begun, fresh = time.perf_counter(), not (folder / "run").exists()
        code = waited(child) if last else ended_within(rng.uniform(0, seconds), child)
        if code == 0 and fresh:
            seconds = time.perf_counter() - begun  # the machine may have become quicker
        if code is None:
            os.kill(child, signal.SIGKILL)
            code = waited(child)
        if code == -signal.SIGKILL:
            tally.kills += 1
            continue
        if code != 0:
            raise RuntimeError(f"a fit that went on ended with {code}")
        tally.runs += 1
        tally.identical += work.outcome(folder, "killed") == expected
        _clear(folder)
        if last:
            tally.left = len(list(folder.glob(".*")))
            return tally


def _clear(folder: Path) -> None:
    for file in (folder / "run", *folder.glob("killed*")):
        file.unlink()


def fits(samples: int, iterations: int) -> dict[str, Any]:
    """What is killed, by name."""
    X = unit_length(load_digits().X[:samples])
    found: dict[str, Any] = {name: ModelFit(model, X, iterations) for name, model in MODELS.items()}
    return found | {"manifact fit": CommandFit(X, iterations)}


def row_of(name: str, kills: int) -> dict[str, Any]:
    """What came of one fit."""
    with tempfile.TemporaryDirectory() as folder:
        tally = killed_until(kills, fits(400, 40)[name], Path(folder).resolve(), np.random.default_rng(len(name)))
    return {"fit": name, **vars(tally)}


def rows(kills: int, processes: int):
    """All of them, so many beside each other."""
    names = list(fits(400, 40))
    with ProcessPoolExecutor(processes, get_context("spawn")) as pool:
        for row in pool.map(row_of, names, [kills] * len(names)):
            print(row, flush=True)
            yield row


if __name__ == "__main__":
    note = " ".join((__doc__ or "").split("\n\n")[2].split())
    kills, processes = [*map(int, sys.argv[1:]), *(KILLS, 1)[len(sys.argv) - 1 :]]
    found = list(rows(kills, processes))
    print(write("kills", "Fits that are killed and go on", note, found))
    raise SystemExit(any(row["identical"] != row["runs"] or row["left"] for row in found))
