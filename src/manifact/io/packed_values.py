"""Values as JSON and arrays, and back: what model files are made of. Only classes that declare it are ever made."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

# Importing these declares the classes that files of ours name.
from manifact import graphs, selection  # noqa: F401
from manifact.backends import Array, on_host
from manifact.utils.stored_classes import Stored, stored_class


class Packer:
    """Values as JSON; arrays are put aside under names of their own."""

    def __init__(self) -> None:
        self.arrays: dict[str, Array] = {}
        self._names: dict[Any, str] = {}
        self._sources: list[Array] = []

    def pack(self, name: str, value: Any) -> Any:
        """JSON for a value; ``name`` says what is refused, and names its arrays."""
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float | np.generic):
            return self._number(value.item() if isinstance(value, np.generic) else value)
        if isinstance(value, np.ndarray):
            return self._array(name, value)
        if isinstance(value, list | tuple):
            kind = "list" if isinstance(value, list) else "tuple"
            return {kind: [self.pack(f"{name}.{number}", part) for number, part in enumerate(value)]}
        if isinstance(value, dict):
            return {"dict": [[self.pack(name, key), self.pack(f"{name}.{key}", part)] for key, part in value.items()]}
        if sparse.issparse(value):
            return self._sparse(name, value)
        if hasattr(value, "shape") and hasattr(value, "dtype"):
            # Arrays of other backends are kept as NumPy's: a file is read on machines that have no others.
            return self.pack(name, on_host(value))
        return self._object(name, value)

    def _number(self, value: Any) -> Any:
        # JSON has no words for these.
        return {"float": repr(value)} if isinstance(value, float) and not math.isfinite(value) else value

    def _array(self, name: str, value: Array) -> Any:
        if value.dtype.kind in "OUS":
            texts = [str(text) for text in value.ravel()]
            return {"texts": texts, "shape": list(value.shape), "object": value.dtype.kind == "O"}
        # A graph that was given built is the parameter and the fitted one; its arrays are written once.
        place = (value.__array_interface__["data"][0], value.shape, value.strides, value.dtype.str)
        if place not in self._names:
            self._names[place] = name
            self._sources.append(value)  # while it lives nothing else has its address
            self.arrays[name] = np.ascontiguousarray(value)
        return {"array": self._names[place]}

    def _sparse(self, name: str, value: Any) -> Any:
        array = isinstance(value, sparse.sparray)
        value = sparse.csr_array(value)
        parts = {part: self._array(f"{name}.{part}", getattr(value, part)) for part in ("data", "indices", "indptr")}
        return {"csr": parts, "shape": list(value.shape), "matrix": not array}

    def _object(self, name: str, value: Any) -> Any:
        from sklearn.cluster import KMeans

        if isinstance(value, np.random.RandomState):
            return {"RandomState": self.pack(name, value.get_state(legacy=False))}
        if type(value) is KMeans:
            return {"KMeans": self.pack(name, vars(value))}
        kind = type(value).__name__
        entry = stored_class(kind)
        if entry is not None and entry.cls is type(value):
            if entry.arguments is None:
                return {"builder": kind, "of": self.pack(name, value.get_params(deep=False))}
            facts = {argument: getattr(value, attribute) for argument, attribute in entry.arguments.items()}
            return {"graph": kind, "of": self.pack(name, facts)}
        raise TypeError(
            f"{name}={value!r} cannot be saved: model files hold numbers, texts, arrays, and graphs that "
            "declare it by stored_by_parameters or stored"
        )


class Unpacker:
    """The other way."""

    def __init__(self, arrays: dict[str, Array]) -> None:
        self._arrays = arrays
        self._makers: dict[str, Callable[[Any], Any]] = {
            "float": lambda value: float(value["float"]),
            "array": lambda value: self._arrays[value["array"]],
            "texts": lambda value: np.array(value["texts"], dtype=object if value["object"] else None).reshape(
                value["shape"]
            ),
            "list": lambda value: [self.unpack(part) for part in value["list"]],
            "tuple": lambda value: tuple(self.unpack(part) for part in value["tuple"]),
            "dict": lambda value: {self.unpack(key): self.unpack(part) for key, part in value["dict"]},
            "csr": self._sparse,
            "RandomState": self._random_state,
            "KMeans": self._kmeans,
            "graph": self._graph,
            "builder": self._builder,
        }

    def unpack(self, value: Any) -> Any:
        """The value that was packed."""
        if not isinstance(value, dict):
            if isinstance(value, list):
                raise ValueError("a bare list")
            return value
        for kind, make in self._makers.items():
            if kind in value:
                return make(value)
        raise ValueError(f"unknown content {sorted(value)}")

    def _sparse(self, value: Any) -> Any:
        parts = value["csr"]
        arrays = tuple(self.unpack(parts[part]) for part in ("data", "indices", "indptr"))
        matrix = (sparse.csr_matrix if value["matrix"] else sparse.csr_array)(arrays, shape=tuple(value["shape"]))
        # SciPy trusts these indices, and compiled code would read wherever they point.
        matrix.check_format(full_check=True)
        return matrix

    def _random_state(self, value: Any) -> np.random.RandomState:
        state = np.random.RandomState()
        state.set_state(self.unpack(value["RandomState"]))
        return state

    def _kmeans(self, value: Any) -> Any:
        from sklearn.cluster import KMeans

        kmeans = KMeans()
        for key, part in self.unpack(value["KMeans"]).items():
            if not str(key).isidentifier() or hasattr(KMeans, key):
                raise ValueError(f"KMeans has no attribute {key}")
            setattr(kmeans, key, part)
        # How many threads belongs to the machine.
        kmeans._n_threads = KMeans(1).fit(np.zeros((1, 1)))._n_threads
        return kmeans

    def _builder(self, value: Any) -> Any:
        return _known(value["builder"], built=False).cls(**self.unpack(value["of"]))

    def _graph(self, value: Any) -> Any:
        entry = _known(value["graph"], built=True)
        facts = self.unpack(value["of"])
        if not entry.takes(facts):
            raise ValueError(f"a {value['graph']} of {sorted(facts)}")
        entry.check(facts)
        return entry.cls(**facts)


def _known(name: Any, built: bool) -> Stored:
    entry = stored_class(name)
    if entry is None or (entry.arguments is not None) != built:
        raise ValueError(f"no class {name!r} is known: import the module that declares it first")
    return entry
