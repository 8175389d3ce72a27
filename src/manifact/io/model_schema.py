"""What the attributes of a fitted model are, by its class: what a file says is held against it before it is used."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import KERNEL_PARAMS

from manifact.graphs import Graph
from manifact.models.affinitynmf import AffinityNMF
from manifact.models.clustering import ASSIGNMENTS, Clusters
from manifact.models.concept_models import ConceptFactorization
from manifact.selection import Selection
from manifact.solvers.online import Stream
from manifact.solvers.online_affinity import AffinityStream
from manifact.terms import LOSSES
from manifact.utils import checks
from manifact.utils.array_checks import Numbers, Schema, check_arrays


def _is(*types: type) -> Callable[[Any], bool]:
    return lambda value: type(value) in types


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and math.isfinite(value)


def _is_size(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_text(value: Any) -> bool:
    # No path of a system has this character, and what opens files says so in words of its own.
    return type(value) is str and "\0" not in value


def _is_texts(value: Any) -> bool:
    held = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)
    return value is None or (held and all(isinstance(text, str) for text in value))


def _is_named(value: Any) -> bool:
    return type(value) is dict and all(type(name) is str for name in value)


#: What a model keeps of its samples, which commands trust: where they are, how they were read, what they are called.
SOURCE: Mapping[str, Callable[[Any], bool]] = {
    "path": _is_text,
    "reading": _is_named,
    "skipped": _is_named,
    "left_out": _is_named,
    "names": _is_texts,
}


def _is_source(value: Any) -> bool:
    return _is_named(value) and all(fits(value[name]) for name, fits in SOURCE.items() if name in value)


#: Arrays of all factorisations. Sizes: n samples, m features, k parts.
COMMON: Schema = {
    "representation_": Numbers(("n", "k"), least=0),
    "components_": Numbers(("k", "m"), least=0),
    "_scale": Numbers(("k",), least=0, above=True),
    "objective_": Numbers(("iterates",)),
}
#: What models of a class have beside these, or otherwise.
OWN: dict[type, Schema] = {
    ConceptFactorization: {
        "components_": Numbers(("k", "m")),
        "concepts_": Numbers(("k", "n"), least=0),
        "_basis_gram": Numbers(("k", "k")),
        "_training_samples": Numbers(("n", "m"), sparse=True),
    },
    AffinityNMF: {
        "embedding_": Numbers(("n", "k")),
        "_harmonics": Numbers(("n", "k")),
        "_common": Numbers(("k",)),
    },
}
#: F with V, and V with V.
MATCHED = Numbers(("k", "k"))
#: Single values of all factorisations.
VALUES: Mapping[str, Callable[[Any], bool]] = {
    "n_features_in_": _is_size,
    "_n_features_out": _is_size,
    "n_iter_": _is_size,
    "n_components_": _is_size,
    "converged_": _is(bool),
    "solver_": _is(str),
    "device_": _is(str),
    "reconstruction_err_": _is(int, float),
    "smoothness_": _is(int, float),
    "tau_": _is_number,
    "_mu": _is_number,
    "source_": _is_source,
    "selection_": _is(Selection),
    "_clusters": _is(Clusters),
    "_stream": lambda value: isinstance(value, Stream | AffinityStream),
    "graph_": lambda value: value is None or isinstance(value, Graph),
}


def schema_of(cls: type) -> Schema:
    """The arrays of a model of a class."""
    own = {name: numbers for base, schema in OWN.items() if issubclass(cls, base) for name, numbers in schema.items()}
    return {**COMMON, **own}


def check_model(model: Any) -> None:
    """Raise what is wrong with a model of a file; what other packages keep in models of theirs is theirs to check."""
    held = vars(model)
    for name, fits in VALUES.items():
        if name in held and not fits(held[name]):
            raise ValueError(f"{name} is {str(held[name])[:40]!r}")
    _check_parameters(model)
    # Of a stream there is one value for each block, and none before the first.
    iterates = model.n_iter_ + ("_stream" not in held)
    sizes = {"n": len(model.representation_), "m": model.n_features_in_, "k": model._k, "iterates": iterates}
    schema = schema_of(type(model))
    for name in ("representation_", "_scale", *_basis(model)):
        schema[name].check(name, getattr(model, name), sizes)
    check_arrays(schema, held, sizes)
    if isinstance(model, AffinityNMF):
        _check_affinity(model, sizes)
    _check_samples(model, sizes)
    if (stream := held.get("_stream")) is not None:
        stream.check(sizes["m"], sizes["k"])
    graph = held.get("graph_")
    if graph is not None and graph.n_samples != sizes["n"]:
        raise ValueError(f"a graph of {graph.n_samples} samples and V of {sizes['n']}")


def _basis(model: Any) -> tuple[str, ...]:
    """The arrays without which new samples have no V."""
    if not isinstance(model, ConceptFactorization):
        return ("components_",)
    held = {"linear": ("components_",), "precomputed": ()}.get(model.kernel, ("_training_samples",))
    return ("concepts_", "_basis_gram", *held)


def _check_parameters(model: Any) -> None:
    """Those that new samples are projected and placed by."""
    model._check_size()
    model._check_model()
    checks.option("loss", model._loss.name, LOSSES)
    checks.option("assign", model.assign, ASSIGNMENTS)
    checks.real("alpha_V", model.alpha_V, at_least=0)
    if model.alpha_U != "same":
        checks.real("alpha_U", model.alpha_U, at_least=0)
    checks.real("l1_ratio", model.l1_ratio, at_least=0, at_most=1)
    if isinstance(model, ConceptFactorization) and model.kernel_params is not None:
        known = KERNEL_PARAMS.get(model.kernel, ())
        if strange := sorted(set(map(str, model.kernel_params)) - set(known)):
            raise ValueError(f"kernel {model.kernel!r} has no parameter {strange[0]}")


def _check_affinity(model: Any, sizes: Mapping[str, int]) -> None:
    matched = model._matched
    if not isinstance(matched, tuple) or len(matched) != 2:
        raise ValueError("_matched is not a pair of arrays")
    for array in matched:
        MATCHED.check("_matched", array, sizes)
    # A stream knows where its landmarks are instead.
    placed = () if hasattr(model, "_stream") else ("embedding_", "_harmonics")
    for name in (*placed, "_mu", "tau_"):
        if not hasattr(model, name):
            raise ValueError(f"{name} is not there")


def _check_samples(model: Any, sizes: Mapping[str, int]) -> None:
    """What is told of samples and features is told of each."""
    n, m = sizes["n"], sizes["m"]
    names = getattr(model, "feature_names_in_", None)
    if names is not None and names.shape != (m,):
        raise ValueError(f"{names.shape} names of {m} features")
    for key in ("names", "labels"):
        told = getattr(model, "source_", {}).get(key)
        if told is not None and len(told) != n:
            raise ValueError(f"{len(told)} {key} of {n} samples")
    preparation = getattr(model, "preparation_", None)
    if preparation is None:
        return
    shape, named = preparation.image_shape, preparation.feature_names
    widths = {
        "an image": None if shape is None else math.prod(shape),
        "names of columns": None if named is None else len(named),
        "columns": getattr(preparation, "n_features", None),
    }
    for what, width in widths.items():
        if width is not None and width != m:
            raise ValueError(f"the preparation has {width} numbers for {what} and the model {m} features")
