"""Iterates kept on disk, so that a long run survives its process."""

from __future__ import annotations

import hashlib
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.graphs import Graph
from manifact.solvers.engine import Iteration
from manifact.terms.state import Momentum, State
from manifact.utils.files import check_place, read_arrays, write_arrays

FORMAT = "manifact-checkpoint-2"
#: Name of a factor's array as it was one iteration earlier.
BEFORE = "{}_before"
#: Parameters that do not change the iterates: a run may go on with other values of them.
FREE = ("max_iter", "verbose", "assign", "normalize", "device")


class Checkpoint:
    """A callback that writes the factors and the objective every so many iterations, and reads them back."""

    def __init__(self, path: str | PathLike[str], model: Any, problem: Any, solver: str, every: int) -> None:
        if not isinstance(path, str | PathLike):
            raise TypeError(f"checkpoint={path!r} must be the path of a file")
        self.path = Path(path)
        self.every = every
        check_place("checkpoint", self.path)
        self._owner = _fingerprint(model, problem, solver)

    def exists(self) -> bool:
        """Whether there is something to continue."""
        return self.path.exists()

    def read(self, state_type: type[State], data: Any) -> tuple[State, Array]:
        """The state and the objective so far."""
        arrays, metadata = read_arrays(self.path)
        if metadata.get("format") != FORMAT:
            raise ValueError(f"checkpoint={str(self.path)!r} is not a checkpoint of ours: name another file")
        if metadata.get("owner") != self._owner:
            raise ValueError(
                f"checkpoint={str(self.path)!r} belongs to other data or parameters: delete it or name another file"
            )
        state = state_type(data, kept=None, **{block: arrays[block] for block in state_type.blocks})
        if "pace" in arrays:
            known = BEFORE.format("U") in arrays
            last = {block: arrays[BEFORE.format(block)] for block in state_type.blocks} if known else None
            before = None if last is None else state_type(data, kept=None, **last)
            state.momentum = Momentum(before, *map(float, arrays["pace"]))
        return state, arrays["objective"]

    def __call__(self, iteration: Iteration) -> None:
        """Write, if it is time."""
        if iteration.number and iteration.number % self.every == 0:
            self.write(iteration.state, np.array(iteration.objective))

    def write(self, s: State, objective: Array) -> None:
        """Write the factors and the objective so far."""
        arrays = {block: s[block] for block in s.blocks} | {"objective": objective}
        if s.momentum is not None:
            before = s.momentum.before
            arrays["pace"] = np.array([s.momentum.rate, s.momentum.bound])
            if before is not None:
                arrays |= {BEFORE.format(block): before[block] for block in s.blocks}
        write_arrays(self.path, arrays, {"format": FORMAT, "owner": self._owner})


def _fingerprint(model: Any, problem: Any, solver: str) -> str:
    """What must agree for a run to be the continuation of another."""
    hashed = hashlib.sha256(f"{type(model).__name__} {solver}".encode())
    for name, value in sorted(model.get_params().items()):
        if name not in FREE:
            _add(hashed, name)
            _add(hashed, value)
    # What "auto" chose, which may be another value the next time.
    _add(hashed, model._k)
    _add(hashed, getattr(model, "tau_", None))
    data, graph = problem.data, problem.graph
    _add(hashed, data.times(np.ones((data.shape[1], 1), dtype=data.dtype)))
    _add(hashed, data.square_sum)
    _add(hashed, data.weight)
    _add(hashed, problem.y)
    _add(hashed, graph)
    return hashed.hexdigest()


def _add(hashed: Any, value: Any) -> None:
    """Arrays by their bytes; generators not at all, since two runs never meet one in the same state."""
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return
    if sparse.issparse(value):
        value = sparse.coo_array(value)
        for part in (*value.coords, value.data):
            _add(hashed, part)
    elif isinstance(value, Graph):
        _add(hashed, value.degrees)
        _add(hashed, value.adjacency(np.arange(1.0, value.n_samples + 1)[:, None]))
    elif isinstance(value, tuple | list):
        for part in value:
            _add(hashed, part)
    elif isinstance(value, np.ndarray) and value.dtype != object:
        hashed.update(np.ascontiguousarray(value).tobytes())
    else:
        hashed.update(repr(value).encode())
