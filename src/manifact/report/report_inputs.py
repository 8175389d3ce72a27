"""What a person gives beside the model, checked: each complaint is one sentence."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from manifact.backends import Array, on_host
from manifact.models import feature_names as naming
from manifact.utils.files import check_place
from manifact.utils.labels import labelled

#: Channels that an image may have.
CHANNELS = (1, 3)


@dataclass(frozen=True)
class ReportInputs:
    """Data and names that the page shows; everything but the numbers of samples and features may be missing."""

    n_samples: int
    n_features: int
    X: Any = None
    feature_names: list[str] | None = None
    sample_names: list[str] | None = None
    texts: list[str] | None = None
    #: Rows of pixels, and their shape.
    pixels: Any = None
    pixel_shape: tuple[int, ...] | None = None
    #: The shape that features have as an image.
    image_shape: tuple[int, ...] | None = None
    #: Class names, and for each sample the number of its class or −1.
    classes: list[str] | None = None
    class_of: Array | None = None
    #: Where samples lie on the map, if not where their mixtures put them, and what that is.
    positions: Array | None = None
    map_name: str | None = None


def checked(
    model: Any,
    X: Any = None,
    feature_names: Any = None,
    sample_names: Any = None,
    texts: Any = None,
    images: Any = None,
    image_shape: Any = None,
    labels: Any = None,
    positions: Any = None,
    map_name: str | None = None,
) -> ReportInputs:
    """What was given, with the model's own names where nothing was."""
    n, m = _size(model)
    X = _samples(X, n, m)
    source = getattr(model, "source_", {})
    sample_names = source.get("names") if sample_names is None else sample_names
    labels = source.get("labels") if labels is None else labels
    if image_shape is None:
        image_shape = naming.prepared(model, "image_shape")
    shape = _image_shape(image_shape, m)
    if feature_names is None:
        feature_names = naming.feature_names(model)
    pixels, pixel_shape = _pixels(images, n, shape)
    if pixels is None and X is not None and shape is not None:
        pixels, pixel_shape = X, shape
    classes, class_of = _classes(labels, n)
    return ReportInputs(
        n,
        m,
        X,
        _strings("feature_names", feature_names, m, "features"),
        _strings("sample_names", sample_names, n, "samples"),
        _strings("texts", texts, n, "samples"),
        pixels,
        pixel_shape,
        shape,
        classes,
        class_of,
        _positions(positions, n),
        None if positions is None else readable(map_name or "positions that were given"),
    )


def target(path: str | PathLike[str] | None, name: str) -> Path:
    """The file to write, in a folder that is there."""
    return check_place("path", Path(f"{name.lower()}-report.html" if path is None else path))


def host_copy(model: Any) -> Any:
    """The model with its factors as NumPy arrays, wherever they live; its own are left alone."""
    shown = copy(model)
    for name in ("representation_", "components_", "concepts_"):
        if name in vars(model):
            setattr(shown, name, on_host(getattr(model, name)))
    return shown


def _size(model: Any) -> tuple[int, int]:
    check_is_fitted(model)
    if not hasattr(model, "representation_"):
        raise TypeError(
            f"report shows the models of manifact, which keep their representation_: {type(model).__name__} has none"
        )
    components = getattr(model, "components_", None)
    m = int(model.n_features_in_) if components is None else components.shape[1]
    return model.representation_.shape[0], m


def _samples(X: Any, n: int, m: int) -> Any:
    if X is None:
        return None
    X = on_host(X)
    X = sparse.csr_array(X) if sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.shape[0] != n:
        count = X.shape[0] if X.ndim else "no"
        raise ValueError(
            f"report shows the training samples: X has {count} samples but the model was fitted to {n}, "
            "pass the X of fit or leave X out"
        )
    if X.shape[1] != m:
        raise ValueError(f"X has {X.shape[1]} features but the model was fitted to {m}: pass the X of fit")
    return _without_duplicates(X) if sparse.issparse(X) else X


def _without_duplicates(X: Any) -> Any:
    """X with one entry in each place; the user's own matrix is never changed."""
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def _image_shape(shape: Any, m: int) -> tuple[int, ...] | None:
    if shape is None:
        return None
    shape = tuple(int(side) for side in shape)
    if len(shape) not in (2, 3) or min(shape) < 1 or (len(shape) == 3 and shape[2] not in CHANNELS):
        raise ValueError(
            f"image_shape={shape} is not the shape of an image: give (height, width) or (height, width, 3)"
        )
    if np.prod(shape) != m:
        sides = " x ".join(map(str, shape))
        raise ValueError(f"image_shape={shape} does not fit: {sides} is {np.prod(shape)}, samples have {m} features")
    return shape[:2] if shape[2:] == (1,) else shape


def _pixels(images: Any, n: int, shape: tuple[int, ...] | None) -> tuple[Any, tuple[int, ...] | None]:
    """Rows of pixels and the shape of each."""
    if images is None:
        return None, None
    images = sparse.csr_array(images) if sparse.issparse(images) else np.asarray(images)
    if images.ndim not in (2, 3, 4) or (images.ndim == 4 and images.shape[3] not in CHANNELS):
        raise ValueError(
            f"images has shape {images.shape}: give n x height x width, n x height x width x 3, or n rows of pixels"
        )
    if images.shape[0] != n:
        raise ValueError(f"images holds {images.shape[0]} images for {n} samples: give one for each")
    if images.ndim == 2:
        if shape is None or np.prod(shape) != images.shape[1]:
            raise ValueError(
                f"images has {images.shape[1]} pixels in a row and image_shape={shape} does not say how they lie: "
                "give an array n x height x width"
            )
        return images, shape
    own = images.shape[1:3] if images.ndim == 3 or images.shape[3] == 1 else images.shape[1:]
    return images.reshape(n, -1), own


def _positions(positions: Any, n: int) -> Array | None:
    if positions is None:
        return None
    places = np.asarray(positions, dtype=np.float64)
    if places.ndim != 2 or places.shape[0] != n or places.shape[1] < 2:
        raise ValueError(f"positions has shape {places.shape} for {n} samples: give n x 2 places on the map")
    if not np.isfinite(places[:, :2]).all():
        raise ValueError("positions contains NaN or infinity: give every sample a place, or leave them out")
    return places[:, :2]


def _strings(name: str, values: Any, count: int, what: str) -> list[str] | None:
    if values is None:
        return None
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{name} must be a sequence of {count} strings, one for each of the {what}")
    strings = [readable(value) for value in values]
    if len(strings) != count:
        raise ValueError(f"{name} holds {len(strings)} strings for {count} {what}: give one for each")
    return strings


def readable(value: Any) -> str:
    """Any value as text that UTF-8 can hold: file names may hold bytes that are no characters."""
    return str(value).encode("utf-8", "replace").decode("utf-8")


def _classes(labels: Any, n: int) -> tuple[list[str] | None, Array | None]:
    if labels is None:
        return None, None
    values = np.asarray(labels)
    if values.shape != (n,):
        raise ValueError(f"labels has shape {values.shape} for {n} samples: give one label for each")
    # Of a list before NumPy makes texts of what stands beside texts: a NaN there is no class called "nan".
    known = labelled(labels if isinstance(labels, list | tuple) else values.tolist())
    if not known.any():
        return None, None
    # Numbers in the order of numbers, and all else in that of its text.
    numeric = np.issubdtype(values.dtype, np.number)
    kept = values[known] if numeric else np.array([readable(value) for value in values[known]])
    names, inverse = np.unique(kept, return_inverse=True)
    class_of = np.full(n, -1)
    class_of[known] = inverse
    return [_plain(name) for name in names.tolist()], class_of


def _plain(name: Any) -> str:
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)
