"""What all preparations share: a kind, names of features, a scale, and a dictionary of JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import Any, ClassVar

from manifact.io.raw_samples import KINDS, Samples
from manifact.utils import checks
from manifact.utils.errors import BadValueError, Parameter

SCALES = ("unit", "sum", "none")
#: Of the dictionaries that are read; a larger number is from a later version. What the first version would read as
#: well is written as 1.
VERSION = 2
#: Where the preparation of each kind of samples is.
CLASSES = {
    "table": ("table_preparation", "TablePreparation"),
    "documents": ("document_preparation", "DocumentPreparation"),
    "images": ("image_preparation", "ImagePreparation"),
    "cells": ("cell_preparation", "CellPreparation"),
}


@dataclass(frozen=True)
class Preparation:
    """How samples become X, learnt from the training samples.

    Attributes
    ----------
    scale : {"unit", "sum", "none"}
        Rows get Euclidean length 1, or sum 1, or stay; rows without entries stay zero.
    feature_names : list of str, or None
        One for each column of X.
    image_shape : tuple, or None
        (height, width) or (height, width, 3) if rows are images.
    kind : {"table", "documents", "images", "cells"}
        The samples that it takes.
    """

    kind: ClassVar[str]

    scale: str
    feature_names: list[str] | None = None
    image_shape: tuple[int, ...] | None = None

    @property
    def read_options(self) -> dict[str, Any]:
        """What `manifact.io.read` needs to be told to read new samples as the training samples were."""
        return {"kind": self.kind}

    @property
    def scaling(self) -> str | None:
        """What is done to the size of rows and columns, in words; None if nothing is."""
        return {"unit": "each row to length 1", "sum": "each row to sum 1"}.get(self.scale)

    def apply(self, samples: Samples) -> Any:
        """X of these samples, with the columns of the training samples."""
        if samples.kind != self.kind:
            raise ValueError(
                f"{samples.source} holds {spoken(samples.kind)} and the model was fitted to {spoken(self.kind)}: "
                f"give it {spoken(self.kind)}"
            )
        return scaled(self._values(samples), self.scale)

    def to_dict(self) -> dict[str, Any]:
        """The preparation as JSON values."""
        shape = None if self.image_shape is None else list(self.image_shape)
        common = {"kind": self.kind, "version": self._version, "scale": self.scale, "image_shape": shape}
        return {**common, **self._learnt()}

    @staticmethod
    def from_dict(stored: dict[str, Any]) -> Preparation:
        """The preparation that `to_dict` wrote, or one sentence that says why it cannot be had."""
        kind, version = stored.get("kind"), stored.get("version")
        if kind not in KINDS or not isinstance(version, int) or version > VERSION:
            raise ValueError(
                f"the model's preparation is of kind {kind!r}, version {version!r}, which this manifact does not know: "
                "update manifact, or fit the model again"
            )
        try:
            checks.option("scale", stored["scale"], SCALES)
            return _class(kind)._restored(stored)
        except (KeyError, TypeError, ValueError, AttributeError) as problem:
            raise ValueError(
                f"the model's preparation is damaged ({type(problem).__name__} {problem}): fit the model again"
            ) from problem

    @property
    def _version(self) -> int:
        """The first version that reads what `to_dict` writes."""
        return 1

    def _values(self, samples: Samples) -> Any:
        """X before it is scaled."""
        raise NotImplementedError

    def _learnt(self) -> dict[str, Any]:
        """What this kind adds to the dictionary."""
        raise NotImplementedError

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> Preparation:
        raise NotImplementedError


def scaled(X: Any, scale: str) -> Any:
    """X with rows of Euclidean length 1 ("unit"), of sum 1 ("sum": of absolute values), or as they are ("none")."""
    from sklearn.preprocessing import normalize

    return X if scale == "none" else normalize(X, norm="l2" if scale == "unit" else "l1", copy=True)


def shape_of(stored: dict[str, Any]) -> tuple[int, ...] | None:
    """The image shape in a dictionary."""
    shape = stored["image_shape"]
    return None if shape is None else tuple(int(length) for length in shape)


def _class(kind: str) -> type[Preparation]:
    module, name = CLASSES[kind]
    found: type[Preparation] = getattr(import_module(f"manifact.io.preparation.{module}"), name)
    return found


def list_of_strings(name: str, given: Any) -> list[str]:
    """The list, if all it holds are strings."""
    if not isinstance(given, list) or not all(isinstance(text, str) for text in given):
        raise BadValueError("{}=… must be a list of strings", Parameter(name))
    return given


def spoken(kind: str) -> str:
    """A kind of samples within a sentence."""
    return "a table" if kind == "table" else kind
