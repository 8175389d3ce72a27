"""Iterates kept on disk, so that a long run survives its process."""

from __future__ import annotations

import hashlib
import json
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array, Data
from manifact.files import read_arrays, write_arrays
from manifact.solvers.engine import Iteration

FORMAT = "manifact-checkpoint-1"
#: Parameters that do not change the iterates: a run may go on with other values of them.
FREE = ("max_iter", "tol", "verbose", "assign", "normalize", "n_init", "init_iter", "warm_start", "device")


class Checkpoint:
    """A callback that writes the factors and the objective every so many iterations, and reads them back."""

    def __init__(self, path: str | PathLike[str], model: Any, data: Data, every: int) -> None:
        self.path = Path(path)
        self.every = every
        self._owner = _fingerprint(model, data)
        if not self.path.parent.is_dir():
            raise ValueError(f"checkpoint={str(path)!r} is in a folder that does not exist: make {self.path.parent}")

    def exists(self) -> bool:
        """Whether there is something to continue."""
        return self.path.exists()

    def read(self) -> tuple[Array, Array, Array]:
        """U, V and the objective so far."""
        arrays, metadata = read_arrays(self.path)
        if metadata.get("format") != FORMAT:
            raise ValueError(f"checkpoint={str(self.path)!r} is not a checkpoint of ours: name another file")
        if metadata.get("owner") != self._owner:
            raise ValueError(
                f"checkpoint={str(self.path)!r} belongs to other data or parameters: delete it or name another file"
            )
        return arrays["U"], arrays["V"], arrays["objective"]

    def __call__(self, iteration: Iteration) -> None:
        """Write, if it is time."""
        if iteration.number == 0 or iteration.number % self.every:
            return
        s = iteration.state
        arrays = {"U": s.U, "V": s.V, "objective": np.array(iteration.objective)}
        write_arrays(self.path, arrays, {"format": FORMAT, "owner": self._owner})


def _fingerprint(model: Any, data: Data) -> str:
    """What must agree for a run to be the continuation of another."""
    params = {name: repr(value) for name, value in model.get_params().items() if name not in FREE}
    ones = np.ones((data.shape[1], 1), dtype=data.dtype)
    sums = data.times(ones).astype(np.float64).ravel()
    facts = [type(model).__name__, params, list(data.shape), str(data.dtype), data.square_sum, sums.tolist()]
    return hashlib.sha256(json.dumps(facts).encode()).hexdigest()
