"""Cells: counts brought to one depth and logged, of the genes that tell cells apart, then scaled rows."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import Array
from manifact.io.cell_matrices import SPOKEN, kind_of_values
from manifact.io.preparation.base_preparation import Preparation, list_of_strings
from manifact.io.preparation.cell_statistics import CellStatistics, log_normalized, totals
from manifact.io.preparation.variable_genes import most_dispersed
from manifact.io.raw_samples import Samples
from manifact.utils import checks, memory
from manifact.utils.errors import BadValueError
from manifact.utils.terminal_text import printable

WEIGHTINGS = ("log", "counts")
#: Which genes are kept, beside a number of them.
GENES = ("auto", "all", "highly_variable")
#: The most variable genes that are kept where the file marks none, and cells that must have a gene, as scanpy's
#: tutorials have them; of fewer cells every gene counts.
MOST_VARIABLE, MIN_CELLS, MANY = 2000, 3, 100
#: With fewer of its genes than this, a model says little about a cell.
KNOWN_SHARE = 0.5
#: Names that a sentence lists.
LISTED = 5


@dataclass(frozen=True)
class CellPreparation(Preparation):
    """Cells x genes: log1p of counts at one depth, genes matched by name; log-normalised values stay as they are.

    Genes of the model that new cells lack count as not seen. Sparse data stay sparse.
    """

    kind = "cells"

    weighting: str = "log"
    #: The number of counts that cells are brought to: the median of the training cells.
    depth: float = 1.0
    #: What the training cells' values were.
    values: str = "counts"
    #: Genes that the training cells had before some were left out, and how they were chosen, in words.
    n_genes: int = 0
    chosen: str = ""

    @staticmethod
    def learn(
        samples: Samples,
        scale: str,
        weighting: str = "log",
        genes: str | int = "auto",
        min_cells: int | None = None,
    ) -> CellPreparation:
        """The genes and the depth of these cells."""
        seen = CellStatistics(lambda: [samples.X], samples.X.shape[1], _values_of(samples))
        return CellPreparation.learn_genes(samples, seen, scale, weighting, genes, min_cells)

    @staticmethod
    def learn_genes(
        samples: Samples,
        statistics: CellStatistics,
        scale: str,
        weighting: str = "log",
        genes: str | int = "auto",
        min_cells: int | None = None,
    ) -> CellPreparation:
        """The same of cells that may come in blocks."""
        checks.option("weighting", weighting, WEIGHTINGS)
        _check_genes(samples, genes)
        values, m = statistics.values, statistics.n_genes
        if weighting == "counts" and values in ("log", "scaled"):
            raise BadValueError(
                "{weighting}='counts' needs counts and {} has {}: choose another {layer}=…, or leave it out",
                samples.source,
                samples.matrix or SPOKEN[values],
            )
        depth = statistics.depth
        names = samples.feature_names
        if names is None:
            # New cells are matched by the order of their genes, so that all must stay.
            return CellPreparation(scale, None, None, weighting, depth, values, m, "")
        least = (MIN_CELLS if samples.n_samples > MANY else 1) if min_cells is None else min_cells
        checks.integer("min_cells", least, 0)
        seen = statistics.cells_with >= least
        if not seen.any():
            raise BadValueError(
                "{} has no gene that {min_cells}={} cells have: lower {min_cells}=…", samples.source, least
            )
        told = f"{seen.sum():,} in at least {least} {'cell' if least == 1 else 'cells'}" if not seen.all() else ""
        kept, how = _chosen_genes(samples, statistics, genes, seen, depth)
        words = "; ".join(part for part in (told, how) if part)
        return CellPreparation(
            scale, [names[i] for i in np.flatnonzero(kept)], None, weighting, depth, values, m, words
        )

    @property
    def n_features(self) -> int:
        """Columns of X."""
        return self.n_genes if self.feature_names is None else len(self.feature_names)

    @property
    def read_options(self) -> dict[str, Any]:
        return {"kind": self.kind, "expects": "log" if self.values == "log" else "counts"}

    @property
    def described(self) -> str:
        """What is done to cells, in words."""
        if self.weighting == "counts":
            done = "as they are"
        elif self.values in ("counts", "linear"):
            done = f"brought to the median depth of {self.depth:,.0f} and log1p"
        else:
            done = "as they are"
        few = self.n_features < self.n_genes
        genes = f", {self.n_features:,} of {self.n_genes:,} genes" if few else f", all {self.n_genes:,} genes"
        return f"{done}{genes}{f' ({self.chosen})' if few and self.chosen else ''}"

    def _values(self, samples: Samples) -> Any:
        X, values = samples.X, _values_of(samples)
        if self.weighting == "counts" and values in ("log", "scaled"):
            raise ValueError(
                f"{samples.source} has {samples.matrix or SPOKEN[values]} and the model was fitted to counts: give it "
                "counts"
            )
        if self.values != "scaled" and values == "scaled":
            raise ValueError(
                f"{samples.source} has {samples.matrix or 'scaled values'} and the model was fitted to "
                f"{SPOKEN[self.values]}: give it such values"
            )
        memory.require(2 * _size(X), samples.source, "use fewer cells")
        depths = totals(X) if self.weighting == "log" and values in ("counts", "linear") else None
        X = self._matched(samples)
        X = X if X.dtype in (np.float32, np.float64) else X.astype(np.float32)
        return X if depths is None else log_normalized(X, depths, self.depth)

    def _matched(self, samples: Samples) -> Any:
        """The columns of the model's genes."""
        X, given = samples.X, samples.feature_names
        if self.feature_names is None or given is None:
            if X.shape[1] != self.n_features:
                raise ValueError(
                    f"{samples.source} has {X.shape[1]} genes and the model was fitted to {self.n_features}: give it "
                    "the same genes, or names of genes on both sides"
                )
            return X
        if given == self.feature_names:
            return X
        place = {name: number for number, name in enumerate(given)}
        there = [number for number, name in enumerate(self.feature_names) if name in place]
        if len(there) < len(self.feature_names):
            self._tell_missing(samples.source, given, there)
        found = X[:, [place[self.feature_names[number]] for number in there]]
        return found if len(there) == self.n_features else _spread(found, np.array(there), self.n_features)

    def _tell_missing(self, source: str, given: Sequence[str], there: Sequence[int]) -> None:
        own = self.feature_names or []
        missing = sorted(set(range(len(own))) - set(there))
        names = ", ".join(own[number] for number in missing[:LISTED]) + (", …" if len(missing) > LISTED else "")
        lacks = printable(f"{source} lacks {len(missing):,} of the model's {len(own):,} genes ({names})")
        if len(there) < KNOWN_SHARE * len(own):
            raise ValueError(
                f"{lacks}; its genes are called {printable(', '.join(given[:3]))}: give it the genes of the model, "
                "under the same names"
            )
        warnings.warn(f"{lacks}: they count as not seen", stacklevel=2)

    def _learnt(self) -> dict[str, Any]:
        return {
            "feature_names": self.feature_names,
            "weighting": self.weighting,
            "depth": self.depth,
            "values": self.values,
            "n_genes": self.n_genes,
            "chosen": self.chosen,
        }

    @classmethod
    def _restored(cls, stored: dict[str, Any]) -> CellPreparation:
        names = None if stored["feature_names"] is None else list_of_strings("feature_names", stored["feature_names"])
        checks.option("weighting", stored["weighting"], WEIGHTINGS)
        checks.option("values", stored["values"], tuple(SPOKEN))
        depth, n_genes = float(stored["depth"]), int(stored["n_genes"])
        if not 0 < depth < np.inf or n_genes < len(names or ()):
            raise ValueError(f"a depth of {depth} and {n_genes} genes")
        return cls(
            stored["scale"], names, None, stored["weighting"], depth, stored["values"], n_genes, str(stored["chosen"])
        )


def _check_genes(samples: Samples, genes: str | int) -> None:
    if isinstance(genes, str):
        checks.option("genes", genes, GENES)
    else:
        checks.integer("genes", genes, 1)
    if genes == "highly_variable" and (samples.highly_variable is None or not samples.highly_variable.any()):
        raise BadValueError(
            "{genes}='highly_variable' needs var['highly_variable'] and {} has none: leave it out, or give a number of "
            "genes",
            samples.source,
        )


def _chosen_genes(
    samples: Samples, statistics: CellStatistics, genes: str | int, seen: Array, depth: float
) -> tuple[Array, str]:
    """Which genes are kept, and how they were chosen."""
    marked = samples.highly_variable
    if genes in ("auto", "highly_variable") and marked is not None and (seen & marked).any():
        return seen & marked, "those that var['highly_variable'] marks"
    number = MOST_VARIABLE if genes == "auto" else genes
    # Of scaled values, which are all as variable, nothing can be chosen.
    if not isinstance(number, int) or statistics.values == "scaled" or seen.sum() <= number:
        return seen, ""
    places = np.flatnonzero(seen)
    kept = np.zeros(len(seen), dtype=bool)
    kept[places[most_dispersed(*statistics.moments(places, depth), number)]] = True
    return kept, f"the {kept.sum():,} most variable"


def _values_of(samples: Samples) -> str:
    return kind_of_values(samples.X) if samples.values is None else samples.values


def _spread(X: Any, places: Array, m: int) -> Any:
    """The columns of X at these places among m, zeros elsewhere."""
    if sparse.issparse(X):
        return sparse.csr_array((X.data, places[X.indices].astype(X.indices.dtype), X.indptr), shape=(X.shape[0], m))
    whole = np.zeros((X.shape[0], m), dtype=X.dtype)
    whole[:, places] = X
    return whole


def _size(X: Any) -> int:
    return int(X.data.nbytes + X.indices.nbytes) if sparse.issparse(X) else int(X.nbytes)
