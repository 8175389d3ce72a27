"""Iterates kept on disk, so that a long run survives its process."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array, on_host
from manifact.graphs import Graph
from manifact.solvers.engine import Iteration, Result
from manifact.solvers.solver import Memory
from manifact.terms.state import State
from manifact.utils.files import check_place, read_arrays, write_arrays

FORMAT = "manifact-checkpoint-3"
#: The format before, in which the solver's memory had names of its own.
EARLIER = "manifact-checkpoint-2"
#: What stands before the names of what the solver remembers, and of the arrays of a state among that.
MEMORY, STATE = "memory", "state"


class Checkpoint:
    """A callback that writes the iterate, the objective and the solver's memory every so many iterations."""

    def __init__(self, path: str | PathLike[str], names: Sequence[str], owner: Iterable[Any], every: int) -> None:
        """``owner`` is all that must agree for a run to be the continuation of another, beside the name of the method.

        The first of ``names`` is what the method is called, the others what it was called before.
        """
        if not isinstance(path, str | PathLike):
            raise TypeError(f"checkpoint={path!r} must be the path of a file")
        self.path = Path(path)
        self.every = every
        check_place("checkpoint", self.path)
        parts = list(owner)
        self._owner, *self._formerly = (_fingerprint(name, parts) for name in names)

    def exists(self) -> bool:
        """Whether there is something to continue."""
        return self.path.exists()

    def read(self, state_type: type[State], data: Any, place: Callable[[Array], Array]) -> Result:
        """Where the run stands; ``place`` puts arrays where the data live."""
        arrays, metadata = read_arrays(self.path)
        if metadata.get("format") not in (FORMAT, EARLIER):
            raise ValueError(f"checkpoint={str(self.path)!r} is not a checkpoint of ours: name another file")
        if metadata.get("owner") not in (self._owner, *self._formerly):
            raise ValueError(
                f"checkpoint={str(self.path)!r} belongs to other data or parameters: delete it or name another file"
            )
        if metadata["format"] == EARLIER:
            arrays = _renamed(arrays)
        objective = arrays.pop("objective")
        memory: dict[str, Any] = {}
        states: dict[str, dict[str, Array]] = {"": {}}
        for name, value in arrays.items():
            kind, *rest = name.split("/")
            if kind == MEMORY:
                memory[rest[0]] = float(value)
            else:
                owner, block = rest if kind == STATE else ("", name)
                states.setdefault(owner, {})[block] = place(value)
        found = {owner: state_type.from_arrays(data, parts) for owner, parts in states.items()}
        return Result(found.pop(""), objective, "max_iter", memory | found)

    def __call__(self, iteration: Iteration) -> None:
        """Write, if it is time."""
        if iteration.number and iteration.number % self.every == 0:
            self.write(iteration.state, np.array(iteration.objective), iteration.memory)

    def write(self, s: State, objective: Array, memory: Memory) -> None:
        """Write where the run stands."""
        arrays = {name: on_host(value) for name, value in s.arrays().items()} | {"objective": objective}
        for name, value in memory.items():
            if isinstance(value, State):
                arrays |= {f"{STATE}/{name}/{block}": on_host(part) for block, part in value.arrays().items()}
            else:
                arrays[f"{MEMORY}/{name}"] = np.array(float(value))
        write_arrays(self.path, arrays, {"format": FORMAT, "owner": self._owner})


def _renamed(arrays: dict[str, Array]) -> dict[str, Array]:
    """The arrays of the earlier format under their names in this one."""
    renamed: dict[str, Array] = {}
    for name, value in arrays.items():
        if name == "pace":
            renamed |= {f"{MEMORY}/rate": value[0], f"{MEMORY}/bound": value[1]}
        elif name.endswith("_before"):
            renamed[f"{STATE}/before/{name.removesuffix('_before')}"] = value
        else:
            renamed[name] = value
    return renamed


def _fingerprint(name: str, parts: Iterable[Any]) -> str:
    hashed = hashlib.sha256(name.encode())
    for part in parts:
        _add(hashed, part)
    return hashed.hexdigest()


def _add(hashed: Any, value: Any) -> None:
    """Arrays by their bytes; generators not at all, since two runs never meet one in the same state."""
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return
    value = on_host(value) if hasattr(value, "shape") else value
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
