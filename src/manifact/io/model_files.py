"""Model files: one safetensors file, arrays beside JSON. Reading one runs no code of the file's."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Callable
from dataclasses import fields
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from manifact import __version__
from manifact.backends import Array
from manifact.models.registry import find
from manifact.utils.files import check_place, read_arrays, write_arrays

#: Raised when the layout changes; every earlier one must go on loading.
FORMAT = 1
KIND = "manifact-model"
#: Longer texts become arrays of bytes: the header of a safetensors file holds 100 MB in all.
HEADER_BYTES = 2**20
#: The graph builders that a file may name, by where they live; nothing else is ever made.
BUILDERS = {
    "manifact.graphs": ("KNNGraph", "LandmarkGraph", "FarthestGraph", "LabelGraph", "SumGraph", "AffinityBuilder"),
    "manifact.graphs.builder": ("BuiltGraph",),
}
#: Built graphs and what chose them, and the attribute that holds each argument of their constructor.
MADE: dict[str, tuple[str, dict[str, str]]] = {
    "AffinityGraph": ("manifact.graphs", {"W": "W"}),
    "NeighborGraph": ("manifact.graphs.knn", {"W": "W", "builder": "_builder", "X": "_X", "sigma": "_sigma"}),
    "LandmarkOperator": (
        "manifact.graphs",
        {"Z": "Z", "landmarks": "landmarks", "n_neighbors": "_n_neighbors", "sigma": "_sigma"},
    ),
    "LabelCliques": ("manifact.graphs", {"H": "H"}),
    "SumOfGraphs": ("manifact.graphs", {"graphs": "graphs", "weights": "weights"}),
    "Selection": (
        "manifact.selection",
        {name: name for name in ("candidates", "best", "graph", "random_state", "criterion")},
    ),
}
#: What content that is not as it should be runs into.
DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError, RecursionError)
#: What scikit-learn or a running fit puts into a model and no file needs.
PASSING = ("_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx", "_sklearn_output_config")


def save(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted model to ``path``."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    path = check_place("path", Path(path))
    name = type(model).__name__
    if (entry := find(name)) is None or entry.cls is not type(model):
        raise TypeError(f"{name} cannot be saved: model files hold Manifact's own models, not classes made from them")
    packed = _Packer()
    parameters = model.get_params(deep=False)
    kept = {key: value for key, value in vars(model).items() if key not in parameters and key not in PASSING}
    preparation = kept.pop("preparation_", None)
    facts = {
        "class": name,
        "parameters": {key: packed.pack(key, value) for key, value in parameters.items()},
        "attributes": {key: packed.pack(key, value) for key, value in kept.items()},
        "preparation": None if preparation is None else preparation.to_dict(),
        "versions": versions(),
    }
    texts = {key: json.dumps(value, ensure_ascii=False, allow_nan=False) for key, value in facts.items()}
    for key in [key for key, text in texts.items() if len(text.encode()) > HEADER_BYTES]:
        packed.arrays[f"json {key}"] = np.frombuffer(texts.pop(key).encode(), dtype=np.uint8)
    write_arrays(path, packed.arrays, {"kind": KIND, "format": str(FORMAT), **texts})


def load(path: str | PathLike[str]) -> Any:
    """The fitted model in a file that ``model.save(path)`` or ``manifact fit`` wrote.

    Only arrays, numbers and texts are read, and only classes of this library are made of them: a file cannot run code.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> import numpy as np
    >>> import manifact
    >>> X = np.random.default_rng(0).random((30, 8))
    >>> model = manifact.GNMF(n_components=3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "model.safetensors"
    ...     model.save(path)
    ...     again = manifact.load(path)
    >>> bool((again.transform(X) == model.transform(X)).all())
    True
    """
    path = Path(path)
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "is not there"
        raise FileNotFoundError(f"{path} {problem}: give the path of a model file, as `manifact fit` writes them")
    arrays, metadata = read_arrays(path)
    _check_format(path, metadata)
    try:
        return _model(arrays, metadata)
    except DAMAGE as problem:
        raise ValueError(f"{path} is damaged ({problem}): fit and save the model again") from problem


def versions() -> dict[str, str]:
    """What a file was written with."""
    import scipy
    import sklearn

    return {
        "manifact": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
    }


def _check_format(path: Path, metadata: dict[str, str]) -> None:
    if metadata.get("kind") != KIND:
        raise ValueError(f"{path} is not a model of ours: give a file that `manifact fit` or model.save wrote")
    number = metadata.get("format", "")
    if not (number.isascii() and number.isdecimal()):
        raise ValueError(f"{path} is damaged (format {number!r}): fit and save the model again")
    if int(number) > FORMAT:
        raise ValueError(
            f"{path} was written by a newer version (format {number}, this one reads up to {FORMAT}): upgrade manifact"
        )


def _model(arrays: dict[str, Array], metadata: dict[str, str]) -> Any:
    def fact(key: str) -> Any:
        text = metadata[key] if key in metadata else arrays[f"json {key}"].tobytes().decode()
        return json.loads(text)

    unpack = _Unpacker(arrays).unpack
    name = fact("class")
    entry = find(name) if isinstance(name, str) else None
    if entry is None:
        raise ValueError(f"no class {name!r}")
    cls = entry.cls
    known = {field.name for field in fields(cls)}
    parameters = {key: unpack(value) for key, value in fact("parameters").items()}
    if strange := sorted(set(parameters) - known):
        raise ValueError(f"{cls.__name__} has no parameter {strange[0]}")
    model = cls(**parameters)
    for key, value in fact("attributes").items():
        if not key.isidentifier() or key in known or hasattr(cls, key):
            raise ValueError(f"{cls.__name__} has no attribute {key}")
        setattr(model, key, unpack(value))
    if preparation := fact("preparation"):
        from manifact.io.preparation import Preparation

        model.preparation_ = Preparation.from_dict(preparation)
    _check_shapes(model)
    return model


def _check_shapes(model: Any) -> None:
    k = model._k
    if model.representation_.ndim != 2 or model.representation_.shape[1] != k:
        raise ValueError(f"V is {model.representation_.shape}, not n x {k}")
    for name, width in (("components_", model.n_features_in_), ("concepts_", len(model.representation_))):
        factor = getattr(model, name, None)
        if factor is not None and factor.shape != (k, width):
            raise ValueError(f"{name} is {factor.shape}, not {k} x {width}")
    n = len(model.representation_)
    labels = getattr(model, "labels_", None)
    if labels is not None and (labels.shape != (n,) or not ((labels >= 0) & (labels < max(k, 1))).all()):
        raise ValueError(f"labels_ are not {n} numbers below {k}")
    if model._scale.shape != (k,):
        raise ValueError(f"_scale is {model._scale.shape}, not {k}")
    graph = getattr(model, "graph_", None)
    if graph is not None and graph.n_samples != n:
        raise ValueError(f"a graph of {graph.n_samples} samples and V of {n}")


def _where(name: str, classes: dict[str, tuple[str, ...]]) -> str | None:
    return next((module for module, names in classes.items() if name in names), None)


def _class(name: Any, classes: dict[str, tuple[str, ...]]) -> Any:
    module = _where(name, classes)
    if module is None:
        raise ValueError(f"no class {name!r}")
    return getattr(import_module(module), name)


def _module_of(value: Any) -> str | None:
    """The room that this very class is known by, None for look-alikes from elsewhere."""
    module = _where(type(value).__name__, BUILDERS)
    known = module is not None and getattr(import_module(module), type(value).__name__) is type(value)
    return module if known else None


def _check_graph(kind: str, facts: dict[str, Any]) -> None:
    """Compiled code trusts a graph's shapes."""
    if kind in ("AffinityGraph", "NeighborGraph"):
        n, width = facts["W"].shape
        if n != width or (kind == "NeighborGraph" and facts["X"].shape[0] != n):
            raise ValueError(f"a graph of {n} x {width}")
    elif kind == "LandmarkOperator":
        if facts["Z"].shape[1] != len(facts["landmarks"]) or facts["landmarks"].ndim != 2:
            raise ValueError(f"{len(facts['landmarks'])} landmarks for {facts['Z'].shape[1]} columns")
    elif kind == "LabelCliques" and facts["H"].shape[1] > facts["H"].shape[0]:
        raise ValueError(f"{facts['H'].shape[1]} classes of {facts['H'].shape[0]} samples")
    for name in ("sigma", "n_neighbors"):
        if name in facts and not (isinstance(facts[name], int | float) and facts[name] > 0):
            raise ValueError(f"{name} is {facts[name]!r}")


class _Packer:
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

        kind = type(value).__name__
        if isinstance(value, np.random.RandomState):
            return {"RandomState": self.pack(name, value.get_state(legacy=False))}
        if type(value) is KMeans:
            return {"KMeans": self.pack(name, vars(value))}
        if kind in MADE and type(value) is getattr(import_module(MADE[kind][0]), kind):
            facts = {argument: getattr(value, attribute) for argument, attribute in MADE[kind][1].items()}
            return {"graph": kind, "of": self.pack(name, facts)}
        if _where(kind, BUILDERS) and _module_of(value):
            return {"builder": kind, "of": self.pack(name, value.get_params(deep=False))}
        raise TypeError(
            f"{name}={value!r} cannot be saved: model files hold numbers, texts, arrays and the graphs of this library"
        )


class _Unpacker:
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
            "builder": lambda value: _class(value["builder"], BUILDERS)(**self.unpack(value["of"])),
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

    def _graph(self, value: Any) -> Any:
        module, arguments = MADE[value["graph"]]
        facts = self.unpack(value["of"])
        if set(facts) != set(arguments):
            raise ValueError(f"a {value['graph']} of {sorted(facts)}")
        _check_graph(value["graph"], facts)
        return getattr(import_module(module), value["graph"])(**facts)
