"""From options to a model: its class, its parameters, its graph."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from manifact.cli import choices
from manifact.cli.model_defaults import filled_in, graph_builder, parameters
from manifact.utils.errors import BadValueError, Parameter

if TYPE_CHECKING:
    from manifact.io import Samples
    from manifact.models.registry import Entry


@dataclass(frozen=True)
class GraphRequest:
    """Which samples are neighbours."""

    #: "obsp:name", or a file with an n x n affinity.
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


def build(
    entry: Entry,
    asked: Mapping[str, Any],
    graph: GraphRequest,
    settings: Sequence[str],
    data: Path,
    samples: Samples,
    unit: bool,
) -> Any:
    """An unfitted model; ``unit`` says that samples have length 1."""
    own = parameters(entry)
    _check(entry, asked, graph, own, samples.n_samples)
    given = filled_in(entry) | dict(asked)
    if graph.settings.get("n_neighbors") == "auto":
        given["n_neighbors"] = "auto"
    elif "graph" in own:
        given["graph"] = _graph(entry, graph, data, samples, unit)
    made = entry.cls(**given)
    for name, value in map(_setting, settings):
        if name not in made.get_params():
            has = ", ".join(sorted(own))
            raise ValueError(f"--set {name} is no parameter of {entry.cls.__name__}: it has {has}")
        made.set_params(**{name: value})
    return made


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
    if graph.settings.get("n_neighbors") == "auto":
        _check_auto_neighbors(graph, own)
    elif graph.asked and "graph" not in own:
        others = sorted(name for name, other in choices.models().items() if "graph" in parameters(other))
        raise BadValueError(
            "{} needs a model with a graph, {model} {} has none: choose one of {}",
            graph.asked[0],
            entry.name,
            ", ".join(others),
        )


def _check_auto_neighbors(graph: GraphRequest, own: Mapping[str, Any]) -> None:
    """A model that has the number as a parameter of its own can choose it."""
    if "n_neighbors" not in own:
        takers = [name for name, other in choices.models().items() if "n_neighbors" in parameters(other)]
        raise BadValueError("{n_neighbors} auto is for {model} {}: give a number", " or ".join(takers))
    others = [name for name in graph.asked if name != "n_neighbors"]
    if others:
        raise BadValueError("{n_neighbors} auto is not with {}: give a number", others[0])


def _graph(entry: Entry, request: GraphRequest, data: Path, samples: Samples, unit: bool) -> Any:
    """What the model's ``graph`` gets."""
    from manifact.io.readers import read_graph, read_matrix

    if request.given is not None:
        if len(request.asked) > 1:
            raise BadValueError("{graph}={!r} is a graph already: leave out {}", request.given, request.asked[1])
        return samples.rows_of(read_graph(request.given, data), square=True)
    builder = _builder(entry, request.settings, unit and request.built_on is None)
    if request.built_on is None:
        return builder
    E = samples.rows_of(read_matrix(request.built_on))
    if E.shape[0] != samples.n_samples:
        raise BadValueError(
            "{graph_from}={!r} has {} rows but the data have {} samples: give one row for each, in the same order",
            str(request.built_on),
            E.shape[0],
            samples.n_samples,
        )
    return builder.build(E)


def _builder(entry: Entry, settings: Mapping[str, Any], unit: bool) -> Any:
    builder = graph_builder(entry)
    known = builder.get_params()
    for name in settings:
        if name not in known:
            raise BadValueError(
                "{} has no meaning for the graph of {model} {}: leave it out", Parameter(name), entry.name
            )
    # Of unit length both metrics find the same neighbours; but an empty sample, which is no farther from any other
    # than these are from each other, would be everybody's neighbour, and by the cosine it is nobody's.
    if unit and "metric" in known:
        builder.set_params(metric="cosine")
    return builder.set_params(**settings)


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
