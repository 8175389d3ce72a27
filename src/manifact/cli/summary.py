"""What a fit came to, for people and for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from manifact.cli import json_output
from manifact.models.feature_names import feature_names, prepared

TOP_FEATURES = 10
#: Share of the samples in one cluster that is worth a word, unless there are few parts to share them out to.
CROWD, FEW_PARTS = 0.4, 5
#: Parts that a note lists.
LISTED = 10


@dataclass(frozen=True)
class Summary:
    """A fitted model in numbers and words."""

    model: str
    kind: str | None
    image_shape: tuple[int, ...] | None
    n_samples: int
    n_features: int
    n_components: int
    #: Other numbers that there is evidence for, where it was chosen.
    other_n_components: list[int]
    #: Of nearest neighbours: in which features, how many, and from how many graphs it was chosen (0: it was not).
    graph: dict[str, Any] | None
    #: What was done to the size of rows and columns, in words.
    scaling: str | None
    parameters: dict[str, Any]
    #: Where the arrays were worked on.
    device: str
    #: Of samples that were larger than memory: blocks of rows, bytes of X on disk, and the limit on memory.
    out_of_core: dict[str, int] | None
    solver: str
    n_iter: int
    converged: bool
    objective: float
    reconstruction_error: float
    smoothness: float | None
    #: Of the whole fit, and how much of that went into choosing what was left open (None where nothing was).
    seconds: float | None
    seconds_choosing: float | None
    #: Samples in the cluster of each part, those in none, and the features that tell most about each part (None where
    #: features have no names).
    cluster_sizes: list[int] | None
    unplaced: int | None
    top_features: list[list[str]] | None
    #: Of documents: whether the words above stand in the same documents (NPMI), and their distinct share.
    coherence: float | None
    diversity: float | None
    #: Beside known classes, where the data had some: they were not used.
    accuracy: float | None
    nmi: float | None
    files: dict[str, str]
    #: Files of a folder that could not be read or are no samples, and why.
    skipped: dict[str, str]
    notes: list[str]

    def json(self) -> str:
        """One JSON object."""
        return json_output.dumps(asdict(self), indent=2)

    def show(self) -> None:
        """A few lines and a table on standard output."""
        from manifact.graphs.description import Neighbours
        from manifact.utils.terminal_text import safe_console

        # Names of columns, files and classes may look like markup.
        console = safe_console(markup=False, highlight=False)
        console.print(self._headline())
        if self.scaling is not None and self.kind == "table":
            console.print(f"scaled    {self.scaling}")
        if self.graph is not None:
            console.print(f"graph     {Neighbours(**self.graph)}")
        if self.out_of_core is not None:
            console.print(self._in_blocks())
        console.print(self._outcome())
        if self.diversity is not None:
            console.print(self._words())
        if self.top_features is not None or self.cluster_sizes is not None:
            console.print(self._table())
        for note in self.notes:
            console.print(f"note      {note}")
        for name, path in self.files.items():
            console.print(f"{name:9} {path}", soft_wrap=True)

    def _headline(self) -> str:
        called = {"documents": ("documents", "words"), "cells": ("cells", "genes")}
        samples, features = called.get(self.kind or "", ("samples", "features"))
        size = f"{self.n_samples:,} {samples} × {self.n_features:,} {features}"
        if self.kind == "images" and self.image_shape is not None:
            size = f"{self.n_samples:,} images of {' × '.join(map(str, self.image_shape[:2]))} pixels"
        return f"{self.model} of {size} with {self.n_components} parts{self._chosen()}"

    def _chosen(self) -> str:
        """That nobody said how many parts, and what else there is evidence for."""
        if self.parameters.get("n_components") != "auto":
            return ""
        tried = f", as {' or '.join(map(str, self.other_n_components))}" if self.other_n_components else ""
        return f", a number that was chosen (-k sets another{tried}, and saves the time)"

    def _in_blocks(self) -> str:
        from manifact.utils.sizes import shown_size

        assert self.out_of_core is not None
        blocks, size, limit = (self.out_of_core[name] for name in ("blocks", "bytes", "memory"))
        many = "1 block" if blocks == 1 else f"{blocks:,} blocks"
        on_disk = f"{shown_size(size)} on disk while they were needed"
        return f"blocks    {many} of rows, {on_disk}: DATA take more than {shown_size(limit)} of memory"

    def _outcome(self) -> str:
        ended = "converged after" if self.converged else "stopped after"
        took, chose = "", ""
        if self.seconds is not None:
            took = f" in {self.seconds - (self.seconds_choosing or 0):.1f} s"
        if self.device != "cpu":
            took += f" on {self.device}"
        if self.seconds is not None and self.seconds_choosing is not None:
            chose = f"chose {self._left_open()} in {self.seconds_choosing:.1f} s, then "
        parts = [f"{chose}{ended} {self.n_iter} iterations of {self.solver}{took}", f"objective {self.objective:.6g}"]
        if self.smoothness is not None:
            parts.append(f"smoothness {self.smoothness:.3g}")
        if self.accuracy is not None:
            parts.append(f"against the known classes: accuracy {self.accuracy:.3f}, NMI {self.nmi:.3f}")
        return ", ".join(parts)

    def _left_open(self) -> str:
        """What there was to choose."""
        parts = self.parameters.get("n_components") == "auto"
        graph = self.graph is not None and self.graph["chosen_from"] > 0
        named = [f"{self.n_components} parts"] * parts + ["the graph"] * graph
        return " and ".join(named) or "settings"

    def _words(self) -> str:
        measures = [f"diversity {self.diversity:.3f}"]
        if self.coherence is not None:
            measures.insert(0, f"coherence {self.coherence:.3f} (NPMI within documents)")
        return f"words of parts: {', '.join(measures)}"

    def _table(self) -> Any:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        table = Table(box=SIMPLE_HEAD)
        table.add_column("", justify="right")
        sizes, words = self.cluster_sizes, self.top_features
        if sizes is not None:
            table.add_column("samples", justify="right")
        if words is not None:
            table.add_column("most telling of part", overflow="fold")
        for number in range(self.n_components):
            cells = [str(number)]
            if sizes is not None:
                cells.append(f"{sizes[number]:,}")
            if words is not None:
                cells.append(", ".join(words[number]))
            table.add_row(*map(Text, cells))
        return table


def of(
    model: Any, seconds: float | None, files: Mapping[str, Path], notes: Sequence[str] = (), X: Any = None
) -> Summary:
    """The summary of a fitted model; ``notes`` are about its data, X its training samples where they are at hand."""
    from manifact.graphs.description import neighbours

    labels = model.labels_
    source = getattr(model, "source_", {})
    accuracy, nmi = _agreement(source.get("labels"), labels)
    words = words_of_parts(model)
    coherence, diversity = _word_measures(model, words, X)
    return Summary(
        model=type(model).__name__,
        kind=prepared(model, "kind"),
        image_shape=prepared(model, "image_shape"),
        n_samples=len(model.representation_),
        n_features=model.n_features_in_,
        n_components=model._k,
        other_n_components=model.selection_.others if hasattr(model, "selection_") else [],
        graph=None if (found := neighbours(getattr(model, "graph_", None))) is None else found._asdict(),
        scaling=prepared(model, "scaling"),
        parameters=_plain(model.get_params()),
        device=getattr(model, "device_", "cpu"),
        out_of_core=source.get("out_of_core"),
        solver=model.solver_,
        n_iter=model.n_iter_,
        converged=model.converged_,
        objective=float(model.objective_[-1]),
        reconstruction_error=model.reconstruction_err_,
        smoothness=getattr(model, "smoothness_", None),
        seconds=_rounded(seconds),
        seconds_choosing=_rounded(getattr(getattr(model, "selection_", None), "seconds", None)),
        cluster_sizes=_sizes(model),
        unplaced=int((labels < 0).sum()),
        top_features=words,
        coherence=coherence,
        diversity=diversity,
        accuracy=accuracy,
        nmi=nmi,
        files={name: str(path) for name, path in files.items()},
        skipped=dict(source.get("skipped", {})),
        notes=[*notes, *_notes(model)],
    )


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _notes(model: Any) -> list[str]:
    """What a person should look at."""
    return [note for note in (_alike(model), _crowded(model), _deserted(model)) if note is not None]


def _alike(model: Any) -> str | None:
    from manifact.models.collapse import collapse

    found = collapse(model)
    return None if found is None else found.worded(lambda parameter: f"--{parameter.replace('_', '-')}")


def _crowded(model: Any) -> str | None:
    if model.assign == "kmeans" or model._k < FEW_PARTS:
        return None
    share = max(_sizes(model)) / len(model.labels_)
    if share <= CROWD:
        return None
    return (
        f"{share:.0%} of the samples are in one cluster: if that is not one group, use more parts (-k), or divide them "
        "by k-means (--assign kmeans)"
    )


def _deserted(model: Any) -> str | None:
    """Parts that nobody has."""
    found = [number for number, size in enumerate(_sizes(model)) if size == 0]
    if not found:
        return None
    listed = ", ".join(map(str, found[:LISTED])) + (", …" if len(found) > LISTED else "")
    which = f"part {listed} is the cluster" if len(found) == 1 else f"{len(found)} parts are the clusters"
    return f"{which} of no sample{'' if len(found) == 1 else f': {listed}'}"


def _sizes(model: Any) -> list[int]:
    """Samples in the cluster of each part."""
    import numpy as np

    labels = model.labels_
    sizes: list[int] = np.bincount(labels[labels >= 0], minlength=model._k).tolist()
    return sizes


def words_of_parts(model: Any) -> list[list[str]] | None:
    """What tells most about each part, as every command shows it; None where features have no names.

    Of columns that were scaled one by one, only those of which a part has more than all parts together: a table has few
    columns, and every part has something of each.
    """
    names = feature_names(model)
    if names is None or not hasattr(model, "components_"):
        return None
    words: list[list[str]] = model.top_features(TOP_FEATURES)
    if prepared(model, "columns") is None:
        return words
    from manifact.models.feature_relevance import is_signed, shares

    if is_signed(model.components_):
        return words
    found = shares(model.components_, model.representation_)
    above = [{str(names[i]) for i in (part > found.overall).nonzero()[0]} for part in found.given_part]
    return [[word for word in part if word in more] for part, more in zip(words, above, strict=True)]


def _word_measures(model: Any, words: list[list[str]] | None, X: Any) -> tuple[float | None, float | None]:
    """Coherence and diversity of the words of documents; of a model file the coherence that `fit` found."""
    if words is None or prepared(model, "kind") != "documents":
        return None, None
    from manifact.report.topic_measures import topic_measures

    near, distinct = topic_measures(model, X)
    return (getattr(model, "source_", {}).get("coherence") if X is None else near), distinct


def _agreement(known: Any, labels: Any) -> tuple[float | None, float | None]:
    if known is None or labels is None:
        return None, None
    from manifact.metrics import accuracy, nmi
    from manifact.utils.labels import labelled

    seen = labelled(known)
    return (accuracy(known[seen], labels[seen]), nmi(known[seen], labels[seen])) if seen.any() else (None, None)


def _plain(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters as JSON has them; what it has not, by its representation."""
    return {
        name: value if value is None or isinstance(value, bool | int | float | str) else _shown(value)
        for name, value in parameters.items()
    }


def _shown(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"{type(value).__name__} {shape}" if shape is not None else " ".join(repr(value).split())
