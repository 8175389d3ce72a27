"""From options to a model: its class, its parameters, its graph."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifact.cli import choices
from manifact.cli.model_defaults import filled_in, graph_builder, parameters
from manifact.utils.errors import BadValueError, Parameter, Sentence

if TYPE_CHECKING:
    from manifact.io import Samples
    from manifact.models.registry import Entry


#: Graphs that have a name: one that is chosen without labels, and the papers' nearest neighbours.
AUTO, KNN = "auto", "knn"


@dataclass(frozen=True)
class GraphRequest:
    """Which samples are neighbours."""

    #: `AUTO`, `KNN`, "obsp:name", or a file with an n x n affinity.
    given: str | None = None
    #: A file with another matrix of the same samples.
    built_on: Path | None = None
    #: Parameters of the builder that were asked for.
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> list[Parameter]:
        """The parameters whose options were given."""
        named = {"graph": self.given, "graph_from": self.built_on, **self.settings}
        return [Parameter(name) for name, value in named.items() if value]

    @property
    def affinity(self) -> str | None:
        """The affinity that is given, if one is."""
        return None if self.given in (None, AUTO, KNN) else self.given

    @property
    def described(self) -> list[Parameter]:
        """Parameters that say how neighbours are looked for, beyond their number."""
        return [Parameter(name) for name in self.settings if name != "n_neighbors"]

    @property
    def n_neighbors(self) -> Any:
        """A number, several to choose from, or "auto"."""
        return self.settings.get("n_neighbors", AUTO)

    def is_chosen(self, entry: Entry) -> bool:
        """Whether the graph is chosen without labels.

        Who describes a graph, or names the features to look for neighbours in, has chosen; a number of neighbours alone
        leaves the rest open.
        """
        if self.given is not None:
            return self.given == AUTO
        return filled_in(entry).get("graph") == AUTO and not self.described and self.built_on is None


def build(
    entry: Entry,
    asked: Mapping[str, Any],
    graph: GraphRequest,
    settings: Sequence[str],
    data: Path,
    samples: Samples,
    unit: bool,
    in_blocks: bool = False,
) -> Any:
    """An unfitted model; ``unit`` says that samples have length 1, ``in_blocks`` that they are not in memory."""
    own = parameters(entry)
    _check(entry, asked, graph, own, samples.n_samples)
    given = filled_in(entry) | dict(asked)
    if "graph" in own:
        landmarks = in_blocks and graph.given is None and graph.built_on is None
        given["graph"] = (
            _landmarks(entry, graph) if landmarks else graph_for(entry, graph, data, samples, unit, own | given)
        )
    made = entry.cls(**given)
    for name, value in map(_setting, settings):
        if name not in made.get_params():
            has = ", ".join(sorted(own))
            raise ValueError(f"--set {name} is no parameter of {entry.cls.__name__}: it has {has}")
        made.set_params(**{name: value})
    return made


def refuse_in_blocks(entry: Entry, graph: GraphRequest, remedy: Sentence) -> None:
    """Refuse, before any work, what samples in blocks of rows cannot have; ``remedy`` says how they come in one."""
    if not entry.cls._takes_blocks:
        takers = [name for name, other in choices.models().items() if other.cls._takes_blocks]
        raise BadValueError(
            "{model} {} looks at all samples at once, and these come in blocks of rows: choose {model} {} or {}, or {}",
            entry.name,
            ", ".join(takers[:-1]),
            takers[-1],
            remedy,
        )
    # A model without a graph says so itself, whatever graph it is given.
    has_graph, everywhere = "graph" in parameters(entry), "directions" not in graph.settings
    if has_graph and graph.given == KNN and graph.built_on is None and everywhere:
        raise BadValueError(
            "{graph} knn compares all features of all samples, and these come in blocks of rows: leave it out, so that "
            "samples are tied to landmarks ({n_landmarks} says how many), give {directions} 50 as well (affinity, "
            "gnmf), or {}",
            remedy,
        )


def _check(entry: Entry, asked: Mapping[str, Any], graph: GraphRequest, own: Mapping[str, Any], n_samples: int) -> None:
    """Refuse options that have no meaning for the model."""
    k = asked.get("n_components")
    if isinstance(k, int) and k > n_samples:
        raise BadValueError("{n_components} {} is more than the {} samples: choose fewer parts", k, n_samples)
    for name in asked:
        if name not in own:
            raise BadValueError("{} has no meaning for {model} {}: leave it out", Parameter(name), entry.name)
    if k == "auto" and entry.command_line.get("n_components") != "auto":
        takers = [name for name, other in choices.models().items() if other.command_line.get("n_components") == "auto"]
        raise BadValueError("{n_components} auto is for {model} {}: give a number", " or ".join(takers))
    if graph.asked and "graph" not in own:
        others = sorted(name for name, other in choices.models().items() if "graph" in parameters(other))
        raise BadValueError(
            "{} needs a model with a graph, {model} {} has none: choose one of {}",
            graph.asked[0],
            entry.name,
            ", ".join(others),
        )


def graph_for(
    entry: Entry, request: GraphRequest, data: Path, samples: Samples, unit: bool, asked: Mapping[str, Any]
) -> Any:
    """What the ``graph`` of a model with the parameters ``asked`` gets."""
    from manifact.io.readers import read_graph

    if request.affinity is not None:
        if len(request.asked) > 1:
            raise BadValueError("{graph}={!r} is a graph already: leave out {}", request.affinity, request.asked[1])
        return samples.rows_of(read_graph(request.affinity, data), square=True)
    if request.is_chosen(entry):
        builder = _automatic(request, asked)
    else:
        builder = _builder(entry, request, unit and request.built_on is None)
    return builder if request.built_on is None else builder.build(_other_matrix(request.built_on, samples))


def _other_matrix(path: Path, samples: Samples) -> Any:
    from manifact.io.readers import read_matrix

    E = samples.rows_of(read_matrix(path))
    if E.shape[0] != samples.n_samples:
        raise BadValueError(
            "{graph_from}={!r} has {} rows but the data have {} samples: give one row for each, in the same order",
            str(path),
            E.shape[0],
            samples.n_samples,
        )
    return E


def _automatic(request: GraphRequest, asked: Mapping[str, Any]) -> Any:
    from manifact.graphs import AutoGraph

    if request.described:
        raise BadValueError("{graph} auto chooses what {} says: leave one of them out", request.described[0])
    k = asked.get("n_components")
    # A model says for how many parts; what is built before there is one has to be told.
    compared_at = k if request.built_on is not None and isinstance(k, int) else None
    return AutoGraph(compared_at, request.n_neighbors, asked.get("random_state", 0))


def _builder(entry: Entry, request: GraphRequest, unit: bool) -> Any:
    """The model's own graph, as far as it is not described otherwise."""
    from manifact.graphs import KNNGraph, LandmarkGraph

    builder = graph_builder(entry)
    if request.given == KNN and not isinstance(builder, KNNGraph):
        builder = KNNGraph()
    # Only one graph has landmarks: who gives their number asks for it, as where samples are not in memory.
    if "n_landmarks" in request.settings and request.given is None:
        builder = builder if isinstance(builder, LandmarkGraph) else LandmarkGraph()
    known = builder.get_params()
    _check_settings(request, known, Sentence("the graph of {model} {}", entry.name))
    count = request.settings.get("n_neighbors", 1)
    if not isinstance(count, int):
        raise BadValueError("{n_neighbors} {} is for {graph} auto: give one number", listed(count))
    # Of unit length both metrics find the same neighbours; but an empty sample, which is no farther from any other
    # than these are from each other, would be everybody's neighbour, and by the cosine it is nobody's.
    if unit and "metric" in known:
        builder.set_params(metric="cosine")
    return builder.set_params(**request.settings)


def _landmarks(entry: Entry, request: GraphRequest) -> Any:
    """The graph of samples that are not in memory, where nobody names another."""
    from manifact.graphs import LandmarkGraph

    builder = graph_builder(entry)
    if not isinstance(builder, LandmarkGraph):
        builder = LandmarkGraph()
    _check_settings(request, builder.get_params(), Sentence("landmarks, the graph of data larger than memory"))
    return builder.set_params(**request.settings)


def _check_settings(request: GraphRequest, known: Mapping[str, Any], graph: Sentence) -> None:
    for name in request.settings:
        if name not in known:
            raise BadValueError("{} has no meaning for {}: leave it out", Parameter(name), graph)


def listed(numbers: Any) -> str:
    """A number, several or "auto" as they are typed.

    >>> listed([5, 30]), listed("auto")
    ('5,30', 'auto')
    """
    return ",".join(map(str, numbers)) if isinstance(numbers, list) else str(numbers)


def _setting(text: str) -> tuple[str, Any]:
    """``name=value``, the value as JSON where it is."""
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise ValueError(f"--set={text!r} must be NAME=VALUE, such as --set alpha_V=0.1")
    for read in (json.loads, float):
        try:
            return name.strip(), read(value)
        except ValueError:
            continue
    return name.strip(), value
