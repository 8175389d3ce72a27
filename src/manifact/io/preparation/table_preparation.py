"""Tables: columns in the order of the training samples, then scaled rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from manifact.io.preparation.base_preparation import Preparation, list_of_strings, shape_of
from manifact.io.raw_samples import Samples

#: Names that a refusal lists.
LISTED = 5


@dataclass(frozen=True)
class TablePreparation(Preparation):
    """Columns matched by name where both sides have names of their own; otherwise number and order must agree."""

    kind = "table"

    n_features: int = 0
    #: What each column is divided by: its largest absolute value among the training samples.
    largest: list[float] | None = None

    @staticmethod
    def learn(samples: Samples, scale: str, columns: str = "none") -> TablePreparation:
        """The columns of these samples."""
        names = None if samples.feature_names is None else list(samples.feature_names)
        largest = None if columns == "none" else _largest(samples.X)
        return TablePreparation(scale, names, samples.image_shape, samples.X.shape[1], largest)

    @property
    def read_options(self) -> dict[str, Any]:
        return {"kind": self.kind, "columns": self.feature_names}

    def _values(self, samples: Samples) -> Any:
        X = samples.X
        if self.feature_names is not None and samples.feature_names is not None:
            if samples.feature_names != self.feature_names:
                X = X[:, self._places(samples.source, samples.feature_names)]
        elif X.shape[1] != self.n_features:
            raise ValueError(
                f"{samples.source} has {X.shape[1]} columns and the model was fitted to {self.n_features}: "
                "give it the same columns"
            )
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        return X if self.largest is None else _divided(X, np.array(self.largest, dtype=X.dtype))

    def _places(self, source: str, given: list[str]) -> list[int]:
        """Where each column of the training samples is."""
        place = {name: number for number, name in enumerate(given)}
        missing = [name for name in self.feature_names or () if name not in place]
        if missing:
            names = ", ".join(map(repr, missing[:LISTED])) + (", …" if len(missing) > LISTED else "")
            raise ValueError(
                f"{source} lacks {len(missing)} of the model's {self.n_features} columns ({names}): add them, "
                "with zeros if they are known to be absent"
            )
        times = Counter(given) | Counter(self.feature_names)  # headers may be empty, above several columns
        repeated = next((name for name in self.feature_names or () if times[name] > 1), None)
        if repeated is not None:
            called = f"named {repeated!r}" if repeated else "without a name"
            raise ValueError(
                f"{source} has other columns than the model was fitted to, of which several are {called}: "
                "give each a name of its own, or keep their order"
            )
        return [place[name] for name in self.feature_names or ()]

    def _learnt(self) -> dict[str, Any]:
        return {"feature_names": self.feature_names, "n_features": self.n_features, "largest": self.largest}

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> TablePreparation:
        names = None if stored["feature_names"] is None else list_of_strings("feature_names", stored["feature_names"])
        n_features = int(stored["n_features"])
        if names is not None and len(names) != n_features:
            raise ValueError(f"{len(names)} names for {n_features} columns")
        largest = stored.get("largest")
        if largest is not None:
            largest = [float(value) for value in largest]
            if len(largest) != n_features or not all(value > 0 for value in largest):
                raise ValueError(f"{len(largest)} scales for {n_features} columns")
        return TablePreparation(stored["scale"], names, shape_of(stored), n_features, largest)


def _largest(X: Any) -> list[float]:
    """The largest absolute value of each column, 1 where there is none."""
    top = abs(X).max(axis=0)
    top = np.asarray(top.toarray() if sparse.issparse(top) else top, dtype=np.float64).ravel()
    return np.where(top > 0, top, 1.0).tolist()


def _divided(X: Any, largest: Any) -> Any:
    return sparse.csr_array(X / largest[None, :]) if sparse.issparse(X) else X / largest
