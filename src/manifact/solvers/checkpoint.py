"""Iterates kept on disk, so that a long run survives its process."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from manifact._version import __version__
from manifact.backends import Array, on_host
from manifact.solvers.content_digest import digest, samples_digest
from manifact.solvers.engine import Iteration, Result
from manifact.solvers.solver import Memory
from manifact.terms.state import State
from manifact.utils.array_checks import Numbers, check_generator
from manifact.utils.array_files import CHECKSUM, read_arrays, write_arrays
from manifact.utils.errors import BadValueError, Parameter, Sentence
from manifact.utils.files import check_place
from manifact.utils.locks import only_writer

FORMAT = "manifact-checkpoint-5"
#: What formats of all versions begin with.
FAMILY = "manifact-checkpoint-"
#: What stands before the names of what the solver remembers, of the arrays of a state among that, and of the generator.
MEMORY, STATE, RANDOM = "memory", "state", "random"
#: What of the owner counts by its numbers alone: a run goes on in blocks, on a cluster of any size, or in one memory.
SAMPLES = "X"
#: How values that somebody set are told, if they are short.
MOST_TOLD = 60
#: The arrays of states, by their names: factors are not negative, products may be.
ARRAYS = {
    "V": Numbers(("n", "k"), least=0),
    "A": Numbers(("n", "k"), least=0),
    "U": Numbers(("m", "k"), least=0),
    "XU": Numbers(("n", "k")),
    "XtV": Numbers(("m", "k")),
}
#: Those of states that others have made.
OTHERS = Numbers(("rows", "k"))
#: What content that is not as it should be runs into.
DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError)


class Checkpoint:
    """A callback that writes the iterate, the objective and the solver's memory every so many iterations."""

    def __init__(
        self, path: str | PathLike[str], names: Sequence[str], owner: Iterable[tuple[str, Any]], every: int
    ) -> None:
        """``owner`` is by name all that must agree for a run to be the continuation of another, beside the method.

        The first of ``names`` is what the method is called.
        """
        if not isinstance(path, str | PathLike):
            raise TypeError(f"checkpoint={path!r} must be the path of a file")
        self.path = Path(path)
        self.every = every
        check_place("checkpoint", self.path)
        self._method = names[0]
        self._owner: dict[str, str] = {}
        self._told: dict[str, str] = {}
        for name, value in owner:
            self._owner[name] = (samples_digest if name == SAMPLES else digest)(value)
            if (told := _in_words(value)) is not None:
                self._told[name] = told
        #: The generator that goes on with the run, and stands where it stood.
        self.rng: np.random.RandomState | None = None
        self._failed = False
        #: How many starts have been tried, as far as has been read: None where the best of them goes on already.
        self.tried: int | None = None

    @contextmanager
    def held(self) -> Iterator[None]:
        """Be the only run that writes here; one sentence for the second."""
        with only_writer("checkpoint", self.path):
            yield

    def exists(self) -> bool:
        """Whether there is something to continue."""
        return self.path.exists()

    def read(
        self, state_type: type[State], data: Any, place: Callable[[Array, bool], Array], k: int | None = None
    ) -> Result:
        """Where the run stands; ``k`` is the number of parts.

        ``place`` puts arrays where the data live, and is told which have a row for each sample.
        """
        arrays, metadata = read_arrays(self.path)
        self._refuse_others(metadata)
        try:
            return self._result(arrays, metadata, state_type, data, place, k)
        except DAMAGE as problem:
            raise self._damaged(problem) from problem

    def __call__(self, iteration: Iteration) -> None:
        """Write, if it is time."""
        if iteration.number and iteration.number % self.every == 0:
            self.keep(iteration.state, np.array(iteration.objective), iteration.memory)

    def keep(self, s: State, objective: Array, memory: Memory, tried: int | None = None) -> None:
        """Write, or say once that it cannot be: a run goes on whether or not the disk is full."""
        try:
            self.write(s, objective, memory, tried)
        except OSError as problem:
            if not self._failed:
                warnings.warn(f"{problem}; the run goes on, and tries again", stacklevel=2)
            self._failed = True

    def write(self, s: State, objective: Array, memory: Memory, tried: int | None = None) -> None:
        """Write where the run stands; ``tried`` starts of several, where this is the best so far."""
        arrays = {name: on_host(value) for name, value in s.arrays().items()} | {"objective": np.asarray(objective)}
        for name, value in memory.items():
            if isinstance(value, State):
                arrays |= {f"{STATE}/{name}/{block}": on_host(part) for block, part in value.arrays().items()}
            else:
                arrays[f"{MEMORY}/{name}"] = np.array(float(value))
        facts: dict[str, Any] = {"method": self._method, "owner": self._owner, "told": self._told, "tried": tried}
        if self.rng is not None:
            kind, key, position, has_gauss, gauss = self.rng.get_state()
            arrays[f"{RANDOM}/key"] = key
            facts["random"] = [kind, position, has_gauss, gauss]
        texts = {name: json.dumps(value, sort_keys=True) for name, value in facts.items()}
        write_arrays(self.path, arrays, {"format": FORMAT, "version": __version__, **texts})

    def _refuse_others(self, metadata: Mapping[str, str]) -> None:
        """One sentence that names what differs from the run that wrote it."""
        written = metadata.get("format", "")
        if not written.startswith(FAMILY):
            raise BadValueError("{checkpoint}={!r} is not a checkpoint of ours: name another file", str(self.path))
        version = _shown(metadata.get("version", "a former version"))
        if written != FORMAT or version != __version__:
            raise self._other(Sentence("it was written by manifact {}, and this is {}", version, __version__))
        try:
            method, owner, told = _facts(metadata)
        except DAMAGE as problem:
            raise self._damaged(problem) from problem
        if method != self._method:
            raise self._other(Sentence("it is one of {}, and this is {}", _shown(method), self._method))
        for name in {**self._owner, **owner}:
            if owner.get(name) != self._owner.get(name):
                raise self._other(_difference(name, told, self._told))

    def _damaged(self, problem: BaseException) -> BadValueError:
        return BadValueError(
            "{checkpoint}={!r} is damaged ({}): delete it or name another file", str(self.path), _shown(str(problem))
        )

    def _other(self, difference: Sentence) -> BadValueError:
        return BadValueError(
            "{checkpoint}={!r} belongs to another run ({}): delete it or name another file", str(self.path), difference
        )

    def _result(
        self,
        arrays: dict[str, Array],
        metadata: Mapping[str, str],
        state_type: type[State],
        data: Any,
        place: Any,
        k: Any,
    ) -> Result:
        objective = arrays.pop("objective")
        Numbers(("iterates",)).check("objective", objective, {})
        if not len(objective) or not np.isfinite(objective).all():
            raise ValueError("no objective")
        sizes = {"n": data.shape[0], "m": data.shape[1], "k": arrays["U"].shape[-1] if k is None else k}
        key = arrays.pop(f"{RANDOM}/key", None)
        memory: dict[str, Any] = {}
        states: dict[str, dict[str, Array]] = {"": {}}
        for name, value in arrays.items():
            kind, *rest = name.split("/")
            if kind == MEMORY:
                Numbers(()).check(name, value, {})
                memory[rest[0]] = float(value)
            else:
                owner, block = rest if kind == STATE else ("", name)
                numbers = ARRAYS.get(block, OTHERS)
                numbers.check(name, value, sizes)
                states.setdefault(owner, {})[block] = place(value, numbers.shape[0] == "n")
        found = {owner: state_type.from_arrays(data, parts) for owner, parts in states.items()}
        self._go_on_drawing(json.loads(metadata.get("random", "null")), key)
        tried = json.loads(metadata["tried"])
        self.tried = None if tried is None else int(tried)
        return Result(found.pop(""), objective, "max_iter", memory | found)

    def _go_on_drawing(self, facts: Any, key: Array | None) -> None:
        # The generator that all of a process share is nobody's to set back.
        if self.rng is None or facts is None or key is None or self.rng is np.random.mtrand._rand:
            return
        kind, position, has_gauss, gauss = facts
        check_generator(kind, key, position, has_gauss, gauss)
        self.rng.set_state((kind, key, position, has_gauss, gauss))


def name_of_run(path: Path) -> str | None:
    """What is the same for all checkpoints of a run, and for no others; None where there is none to read."""
    try:
        metadata = read_arrays(path)[1]
        method, owner, _ = _facts(metadata)
    except (OSError, *DAMAGE):
        return None
    return digest((metadata.get("version"), method, owner))


def _facts(metadata: Mapping[str, str]) -> tuple[str, dict[str, str], dict[str, str]]:
    """The method, and by name hashes and words of all that must agree."""
    if CHECKSUM not in metadata:
        raise ValueError("it has no checksum")
    method, owner, told = (json.loads(metadata[name]) for name in ("method", "owner", "told"))
    texts = [method, *owner.keys(), *owner.values(), *told.keys(), *told.values()]
    if not all(isinstance(text, str) for text in texts):
        raise ValueError("it does not say whose it is")
    return method, owner, told


def _shown(text: str) -> str:
    """What a file says, as far as a person may see it."""
    line = " ".join(text.split())
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line)[:200]


def _in_words(value: Any) -> str | None:
    """A value as a person would write it, an array by its shape; None where it is too long."""
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        return f"{' x '.join(map(str, value.shape))} of {value.dtype}"
    plain = value is None or isinstance(value, str | int | float) or hasattr(value, "get_params")
    told = " ".join(repr(value).split()) if plain else ""
    return told if 0 < len(told) <= MOST_TOLD else None


def _difference(name: str, there: Mapping[str, str], here: Mapping[str, str]) -> Sentence:
    """What differs, with both values where they can be told apart."""
    called = Parameter(name) if name.isidentifier() else _shown(name)
    if name in there and name in here and there[name] != here[name]:
        return Sentence("{}={} there and {} here", called, _shown(there[name]), here[name])
    return Sentence("{} is not the same", called)
