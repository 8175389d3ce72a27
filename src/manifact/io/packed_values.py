"""Values as JSON and arrays, and back: what model files are made of. Only classes that declare it are ever made."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from scipy import sparse

# Importing these declares the classes that files of ours name.
from manifact import graphs, selection  # noqa: F401
from manifact.backends import Array, on_host
from manifact.utils.array_checks import Numbers, check_generator
from manifact.utils.sparse_matrices import checked_parts
from manifact.utils.stored_classes import Stored, stored_class

#: Columns that a sparse matrix may have beyond the bytes of its file, and how much more room than they need texts get.
MOST_EMPTY_COLUMNS, MOST_ROOM = 2**20, 64

#: Numbers that a safetensors file may hold and no kernel takes: half precision and complex.
UNUSED = ("<f2", "<c8")


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
        # Many columns cost a reader memory, and a file nothing.
        self._most_columns = MOST_EMPTY_COLUMNS + sum(array.nbytes for array in arrays.values())
        self._makers: dict[str, Callable[[Any], Any]] = {
            "float": lambda value: float(value["float"]),
            "array": self._array,
            "texts": self._texts,
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

    def _array(self, value: Any) -> Array:
        array = self._arrays[value["array"]]
        if array.dtype.str in UNUSED:
            raise ValueError(f"{value['array']} holds {array.dtype}, which no model computes with")
        return array

    def _texts(self, value: Any) -> Any:
        texts = value["texts"]
        if not all(isinstance(text, str) for text in texts):
            raise ValueError("texts that are none")
        # NumPy gives each text the room of the longest: a few long ones among many would take more than any file has.
        room = len(texts) * max(map(len, texts), default=0)
        spread = room > MOST_ROOM * (len(texts) + sum(map(len, texts)))
        return np.array(texts, dtype=object if value["object"] or spread else str).reshape(value["shape"])

    def _sparse(self, value: Any) -> Any:
        data, indices, indptr = (self.unpack(value["csr"][part]) for part in ("data", "indices", "indptr"))
        data, indices, indptr = checked_parts(data, indices, indptr, value["shape"])
        shape = tuple(int(size) for size in value["shape"])
        if shape[1] > self._most_columns:
            raise ValueError(f"a sparse matrix of {shape[1]} columns in a file of this size")
        return (sparse.csr_matrix if value["matrix"] else sparse.csr_array)((data, indices, indptr), shape=shape)

    def _random_state(self, value: Any) -> np.random.RandomState:
        facts = self.unpack(value["RandomState"])
        inside = facts["state"]
        legacy = facts["bit_generator"], inside["key"], inside["pos"], facts["has_gauss"], facts["gauss"]
        check_generator(*legacy)
        state = np.random.RandomState()
        state.set_state(legacy)
        return state

    def _kmeans(self, value: Any) -> Any:
        """What is needed of a fitted ``KMeans`` in files of former versions: its centres."""
        centres = self.unpack(value["KMeans"])["cluster_centers_"]
        Numbers(("clusters", "parts")).check("centres of clusters", centres, {})
        return SimpleNamespace(cluster_centers_=centres)

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
