"""Model files: one safetensors file, arrays beside JSON. Reading one runs no code of the file's."""

from __future__ import annotations

import json
from dataclasses import fields
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.io.file_errors import one_line, refusal
from manifact.io.model_schema import check_model
from manifact.io.packed_values import Packer, Unpacker
from manifact.models.clustering import Clusters, clusters_of_former_files
from manifact.models.registry import find
from manifact.utils.array_files import CHECKSUM, read_arrays, write_arrays
from manifact.utils.environment import versions
from manifact.utils.errors import BadValueError
from manifact.utils.files import check_place

#: Raised when the layout changes; every earlier one must go on loading. From 2 on files have a checksum.
FORMAT = 2
KIND = "manifact-model"
#: Endings that say a file is something else: whoever opens it as that would be told it is damaged.
OTHERS = (".pkl", ".pickle", ".joblib", ".npy", ".npz", ".h5", ".h5ad", ".json", ".csv", ".html")
#: Longer texts become arrays of bytes: the header of a safetensors file holds 100 MB in all.
HEADER_BYTES = 2**20
#: What content that is not as it should be runs into.
DAMAGE = (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, MemoryError, RecursionError)
#: What scikit-learn or a running fit puts into a model and no file needs.
PASSING = ("_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx", "_sklearn_output_config")
#: What models kept of their clusters before these had a place of their own.
FORMER = ("labels_", "assigner_", "_part_means")


def save(model: Any, path: str | PathLike[str], *, clusters: bool = True) -> None:
    """Write a fitted model to ``path``; ``clusters=False`` leaves making them, if nobody has, to who loads it."""
    from sklearn.utils.validation import check_is_fitted

    check_is_fitted(model)
    path = check_place("path", Path(path))
    if path.suffix.lower() in OTHERS:
        named = path.with_suffix(".safetensors").name
        raise BadValueError("{path}={!r} would be a safetensors file all the same: call it {!r}", str(path), named)
    name = type(model).__name__
    if (entry := find(name)) is None or entry.cls is not type(model):
        raise TypeError(f"{name} cannot be saved: model files hold models that are declared with @model(paper=...)")
    if clusters:
        model._clusters.made(model._training_V)
    packed = Packer()
    # In one order, whatever the order in which they came to the model: equal models give equal bytes.
    parameters = dict(sorted(model.get_params(deep=False).items()))
    kept = {key: value for key, value in sorted(vars(model).items()) if key not in parameters and key not in PASSING}
    preparation = kept.pop("preparation_", None)
    facts = {
        "class": name,
        "parameters": {key: packed.pack(key, value) for key, value in parameters.items()},
        "attributes": {key: packed.pack(key, value) for key, value in kept.items()},
        "preparation": None if preparation is None else preparation.to_dict(),
        "versions": versions(),
    }
    texts = {key: json.dumps(value, ensure_ascii=False, allow_nan=False) for key, value in facts.items()}
    for key in [key for key, text in texts.items() if len(_encoded(text)) > HEADER_BYTES]:
        packed.arrays[f"json {key}"] = np.frombuffer(_encoded(texts.pop(key)), dtype=np.uint8)
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
        # What is wrong may quote the file.
        raise refusal(path, f"is damaged ({one_line(problem)})", "fit and save the model again") from problem


def _encoded(text: str) -> bytes:
    """The bytes of a text in which halves of characters may stand, as in names of columns that came from JSON."""
    return text.encode("utf-8", "surrogatepass")


def _check_format(path: Path, metadata: dict[str, str]) -> None:
    if metadata.get("kind") != KIND:
        raise ValueError(f"{path} is not a model of ours: give a file that `manifact fit` or model.save wrote")
    number = metadata.get("format", "")
    if not (number.isascii() and number.isdecimal()):
        raise refusal(path, f"is damaged (format {number!r})", "fit and save the model again")
    if int(number) != 1 and CHECKSUM not in metadata:
        raise ValueError(f"{path} is damaged (format {number} without a checksum): fit and save the model again")
    if int(number) > FORMAT:
        raise ValueError(
            f"{path} was written by a newer version (format {number}, this one reads up to {FORMAT}): upgrade manifact"
        )


def _model(arrays: dict[str, Array], metadata: dict[str, str]) -> Any:
    def fact(key: str) -> Any:
        if key in metadata:
            return json.loads(metadata[key])
        return json.loads(arrays[f"json {key}"].tobytes().decode("utf-8", "surrogatepass"))

    unpack = Unpacker(arrays).unpack
    name = fact("class")
    entry = find(name) if isinstance(name, str) else None
    if entry is None:
        raise ValueError(f"no class {name!r} is known: import the module that declares it first")
    cls = entry.cls
    known = {field.name for field in fields(cls)}
    parameters = {key: unpack(value) for key, value in fact("parameters").items()}
    if parameters.get("assign", "") is None:  # as in files of the first versions
        parameters["assign"] = "kmeans"
    if strange := sorted(set(parameters) - known):
        raise ValueError(f"{cls.__name__} has no parameter {strange[0]}")
    model = cls(**parameters)
    former = {}
    for key, value in fact("attributes").items():
        if key in FORMER:
            former[key] = unpack(value)
            continue
        if not key.isidentifier() or key in known or hasattr(cls, key):
            raise ValueError(f"{cls.__name__} has no attribute {key}")
        setattr(model, key, unpack(value))
    if preparation := fact("preparation"):
        from manifact.io.preparation import Preparation

        model.preparation_ = Preparation.from_dict(preparation)
    check_model(model)
    _restore_clusters(model, former)
    return model


def _restore_clusters(model: Any, former: dict[str, Any]) -> None:
    if not hasattr(model, "_clusters"):
        model._clusters = clusters_of_former_files(model, former)
    elif former:
        raise ValueError(f"{type(model).__name__} has no attribute {next(iter(former))}")
    if not isinstance(model._clusters, Clusters):
        raise ValueError(f"_clusters is a {type(model._clusters).__name__}")
    model._clusters.check(len(model.representation_), model._k)
