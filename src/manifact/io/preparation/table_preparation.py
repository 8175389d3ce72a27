"""Tables: columns in the order of the training samples, missing values filled in, columns or rows scaled."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from manifact.io.preparation.base_preparation import Preparation, list_of_strings, shape_of
from manifact.io.preparation.column_scales import ColumnScales, settled
from manifact.io.preparation.column_statistics import Columns
from manifact.io.raw_samples import Samples
from manifact.utils.errors import BadValueError

#: Names that a refusal lists.
LISTED = 5
COLUMNS_IN_WORDS = {
    "range": "each column from its smallest value ({low:g}) to its largest ({high:g})",
    "std": "each column from its smallest value ({low:g}) up, in standard deviations",
    "max": "each column by its largest value",
}


@dataclass(frozen=True)
class TablePreparation(Preparation):
    """Columns matched by name where both sides have names of their own; otherwise number and order must agree.

    Missing values get the mean that their column has among the training samples, then columns are scaled, then rows.
    """

    kind = "table"

    n_features: int = 0
    #: How columns are scaled, if they are.
    columns: ColumnScales | None = None
    #: The mean of each column among the training samples, for missing values; only for tables that may have some.
    means: list[float] | None = None
    #: How new samples are read: what is done about missing values, the header of the ids that name them, and where
    #: columns have no names the numbers (from 1) of those that are left out; what precedes decimals, if that was said.
    missing: str | None = None
    id_column: str | None = None
    left_out: tuple[int, ...] = ()
    decimal: str | None = None
    #: The numbers (from 1) that columns without names have in the file.
    places: tuple[int, ...] = ()

    @staticmethod
    def learn(samples: Samples, scale: str = "auto", columns: str = "auto") -> TablePreparation:
        """The columns of these samples."""
        return TablePreparation.learn_columns(samples, Columns.of(samples.X), scale, columns)

    @staticmethod
    def learn_columns(samples: Samples, X: Columns, scale: str = "auto", columns: str = "auto") -> TablePreparation:
        """The same of samples whose rows may come in blocks."""
        names, left = samples.feature_names, samples.left_out
        own_columns = left is not None and samples.image_shape is None
        columns, scale = settled(columns, scale, X, own_columns)
        # New samples may lack what these have.
        means: Any = None if left is None else X.statistics.mean.tolist()
        return TablePreparation(
            scale,
            None if names is None else list(names),
            samples.image_shape,
            X.width,
            None if columns == "none" else ColumnScales.learn(X, columns),
            means,
            None if left is None else left.missing,
            None if left is None else left.id_column,
            () if left is None or names is not None else left.columns,
            None if left is None else left.decimal,
            () if left is None else left.places,
        )

    @property
    def read_options(self) -> dict[str, Any]:
        remembered = {
            "missing": self.missing,
            "id": self.id_column,
            "drop": list(self.left_out) or None,
            "decimal": self.decimal,
        }
        told = {name: value for name, value in remembered.items() if value is not None}
        return {"kind": self.kind, "columns": self.feature_names, **told}

    @property
    def scaling(self) -> str | None:
        scales, how = self.columns, None
        if scales is not None:
            how = COLUMNS_IN_WORDS[scales.how].format(low=scales.margin, high=1 + scales.margin)
        told = [text for text in (how, super().scaling) if text is not None]
        return ", then ".join(told) or None

    def in_own_units(self, X: Any) -> Any:
        """Samples as the model sees them, such as what ``inverse_transform`` gives, in the units of their columns."""
        if self.scale != "none":
            raise ValueError(
                f"rows were brought to {'length' if self.scale == 'unit' else 'sum'} 1, and how large they were is not "
                "kept: fit with scale='none'"
            )
        return X if self.columns is None else self.columns.undone(X)

    def below(self, samples: Samples) -> int:
        """Cells of new samples that are below all training samples, in columns that are scaled from their smallest."""
        return 0 if self.columns is None else self.columns.below(self._matched(samples))

    def ignored(self, samples: Samples) -> list[str]:
        """Columns of new samples that the model does not know."""
        unread = () if samples.left_out is None else samples.left_out.ignored
        if self.feature_names is None or samples.feature_names is None:
            return list(unread)
        known = set(self.feature_names)
        return [*(name for name in samples.feature_names if name not in known), *unread]

    def _matched(self, samples: Samples) -> Any:
        """The columns of the training samples, in their order."""
        X = samples.X
        if self.feature_names is not None and samples.feature_names is not None:
            if samples.feature_names != self.feature_names:
                X = X[:, self._places(samples.source, samples.feature_names)]
        elif X.shape[1] != self.n_features:
            raise ValueError(
                f"{samples.source} has {X.shape[1]} columns and the model was fitted to {self.n_features}: "
                "give it the same columns"
            )
        return X

    def _values(self, samples: Samples) -> Any:
        X = self._matched(samples)
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)
        X = self._filled(samples, X)
        return X if self.columns is None else self.columns.apply(X)

    def _filled(self, samples: Samples, X: Any) -> Any:
        """X with the means of columns where a value is missing."""
        if samples.left_out is None or samples.left_out.missing != "mean":
            return X
        absent = np.isnan(X)
        if not absent.any():
            return X
        if self.means is None:
            raise BadValueError(
                "{} has missing values, and the model knows no means of its columns: leave their rows out with "
                "{missing}='drop'",
                samples.source,
            )
        return np.where(absent, np.array(self.means, dtype=X.dtype), X)

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

    @property
    def _version(self) -> int:
        plain = self.columns is None or self.columns.how == "max"
        return 1 if plain and self.missing is None and not self.left_out and self.decimal is None else 2

    def _learnt(self) -> dict[str, Any]:
        own = {"feature_names": self.feature_names, "n_features": self.n_features}
        # An earlier version reads the largest values under this name.
        largest = self.columns.width if self.columns is not None and self.columns.how == "max" else None
        stored: dict[str, Any] = {**own, "largest": largest, "means": self.means, "id_column": self.id_column}
        if self.columns is not None and largest is None:
            stored["columns"] = asdict(self.columns)
        reading = {"missing": self.missing, "left_out": list(self.left_out), "decimal": self.decimal}
        return {**stored, **reading, "places": list(self.places)}

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> TablePreparation:
        names = None if stored["feature_names"] is None else list_of_strings("feature_names", stored["feature_names"])
        n_features = int(stored["n_features"])
        if names is not None and len(names) != n_features:
            raise ValueError(f"{len(names)} names for {n_features} columns")
        places = tuple(int(number) for number in stored.get("places", ()))
        if places and len(places) != n_features:
            raise ValueError(f"{len(places)} numbers for {n_features} columns")
        means = stored.get("means")
        return TablePreparation(
            stored["scale"],
            names,
            shape_of(stored),
            n_features,
            _scales(stored, n_features),
            None if means is None else _numbers("means", means, n_features),
            stored.get("missing"),
            stored.get("id_column"),
            tuple(int(number) for number in stored.get("left_out", ())),
            stored.get("decimal"),
            places,
        )


def _scales(stored: dict[str, Any], m: int) -> ColumnScales | None:
    """The scales of columns in a dictionary."""
    if stored.get("largest") is not None:
        largest = _numbers("scales", stored["largest"], m)
        if not all(value > 0 for value in largest):
            raise ValueError(f"{len(largest)} scales for {m} columns")
        return ColumnScales("max", [0.0] * m, largest)
    found = stored.get("columns")
    if found is None:
        return None
    if found["how"] not in COLUMNS_IN_WORDS:
        raise ValueError(f"columns are scaled by {found['how']!r}")
    width = _numbers("widths", found["width"], m)
    if not all(value >= 0 for value in width):
        raise ValueError("a width below zero")
    (margin,) = _numbers("margins", [found["margin"]], 1)
    return ColumnScales(found["how"], _numbers("lowest values", found["lowest"], m), width, margin)


def _numbers(what: str, given: Any, m: int) -> list[float]:
    values = [float(value) for value in given]
    if len(values) != m or not np.isfinite(values).all():
        raise ValueError(f"{len(values)} {what} for {m} columns")
    return values
