"""One piece of work in a process of its own: how long it takes and how far memory rises above what was there.

The process reads X from files, so that making X leaves no peak behind, and does the work on a few rows first, so that
compiling kernels is not counted.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse

from manifact import graphs, models
from manifact.experiments.bench.timing import seconds

PARTS = ("data", "indices", "indptr")
FEW_ROWS = 2000


@contextmanager
def stored(X: Any) -> Iterator[str]:
    """A folder that holds X while the block runs."""
    with TemporaryDirectory(prefix="manifact-bench-") as folder:
        if sparse.issparse(X):
            for part in PARTS:
                np.save(Path(folder) / part, getattr(X, part))
            np.save(Path(folder) / "shape", np.array(X.shape))
        else:
            np.save(Path(folder) / "dense", X)
        yield folder


def in_new_process(folder: str, make: str, settings: dict[str, Any]) -> dict[str, float]:
    """Seconds and bytes of rise of a model's fit or a graph's build on the X in ``folder``, in a new process."""
    job = json.dumps({"folder": folder, "make": make, "settings": settings})
    done = subprocess.run([sys.executable, "-m", __name__, job], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def measure(folder: str, make: str, settings: dict[str, Any]) -> dict[str, float]:
    """The same, in this process."""
    X = _read(Path(folder))
    _work(make, settings, X[:FEW_ROWS])
    spent, risen = rise(lambda: _work(make, settings, X))
    return {"seconds": spent, "rise": float(risen)}


def rise(task: Callable[[], Any]) -> tuple[float, int]:
    """Seconds, and the peak of resident memory while it runs minus what was resident before, in bytes."""
    try:
        # Linux: makes the high-water mark start again from here.
        Path("/proc/self/clear_refs").write_text("5")
        before = _status("VmRSS")
        spent = seconds(task)
        return spent, _status("VmHWM") - before
    except OSError:
        before = _high_water()
        spent = seconds(task)
        return spent, _high_water() - before


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"the system does not say {field}")


def _high_water() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def _read(folder: Path) -> Any:
    if (folder / "dense.npy").exists():
        return np.load(folder / "dense.npy")
    arrays = tuple(np.load(folder / f"{part}.npy") for part in PARTS)
    return sparse.csr_array(arrays, shape=tuple(np.load(folder / "shape.npy").tolist()))


def _work(make: str, settings: dict[str, Any], X: Any) -> None:
    if hasattr(graphs, make):
        getattr(graphs, make)(**settings).build(X)
    else:
        getattr(models, make)(**settings).fit(X)


if __name__ == "__main__":
    print(json.dumps(measure(**json.loads(sys.argv[1]))))
