"""From options to a model: its class, its parameters, its graph."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manifact.commands.wording import option

#: Where a model's defaults in Python are not what a single run should do: λ = 100 belongs to the published rule and
#: its early stop, and concepts that start from random samples are far from settled when the iterations end.
DEFAULTS: dict[str, dict[str, Any]] = {
    "gnmf": {"solver": "mu"},
    "lpnmf": {"solver": "mu"},
    "alpnmf": {"solver": "mu"},
    "cf": {"init": "kmeans"},
    "lccf": {"init": "kmeans"},
    "lcf": {"init": "kmeans"},
}
#: Models whose class has another name.
CLASSES = {"affinity": "AffinityNMF"}
WITH_GRAPH = ("affinity", "gnmf", "lpnmf", "alpnmf", "spnmf", "lccf")


@dataclass(frozen=True)
class GraphChoice:
    """Which samples are neighbours."""

    #: "obsp:name", or a file with an n x n affinity.
    given: str | None = None
    #: A file with another matrix of the same samples.
    built_on: Path | None = None
    #: Parameters of the builder that were asked for.
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def asked(self) -> list[str]:
        """The options that were given, as they are written."""
        named = {"--graph": self.given, "--graph-from": self.built_on}
        return [option for option, value in named.items() if value] + [option(name) for name in self.settings]


def model(
    name: str,
    parameters: Mapping[str, Any],
    graph: GraphChoice,
    extra: Sequence[str],
    data: Path,
    n_samples: int,
    unit: bool,
) -> Any:
    """An unfitted model; ``unit`` says that samples have length 1."""
    from manifact import models

    k = parameters.get("n_components")
    if isinstance(k, int) and k > n_samples:
        raise ValueError(f"-k {k} is more than the {n_samples} samples: choose fewer parts")
    cls = getattr(models, CLASSES.get(name, name.upper()))
    own = cls().get_params(deep=False)
    given = _defaults(name) | {key: value for key, value in parameters.items() if value is not None}
    for key in given:
        if key not in own:
            raise ValueError(f"{option(key)} has no meaning for --model {name}: leave it out")
    for key in ("n_components", "tau"):
        if given.get(key) == "auto" and name != "affinity":
            raise ValueError(f"{option(key)} auto is for --model affinity: give a number")
    if graph.settings.get("n_neighbors") == "auto":
        given["n_neighbors"] = _auto_neighbors(name, graph)
    elif name in WITH_GRAPH:
        given["graph"] = _graph(name, graph, data, n_samples, unit)
    elif graph.asked:
        raise ValueError(
            f"{graph.asked[0]} needs a model with a graph, --model {name} has none: choose one of "
            f"{', '.join(WITH_GRAPH)}"
        )
    made = cls(**given)
    for name_, value in map(_setting, extra):
        if name_ not in made.get_params():
            raise ValueError(f"--set {name_} is no parameter of {cls.__name__}: it has {', '.join(sorted(own))}")
        made.set_params(**{name_: value})
    return made


def _auto_neighbors(name: str, graph: GraphChoice) -> str:
    others = [option for option in graph.asked if option != "--neighbors"]
    if name != "affinity" or others:
        problem = f"not with {others[0]}" if name == "affinity" else "for --model affinity"
        raise ValueError(f"--neighbors auto is {problem}: give a number")
    return "auto"


def _defaults(name: str) -> dict[str, Any]:
    return DEFAULTS.get(name, {}) | ({"n_components": "auto"} if name == "affinity" else {"assign": "kmeans"})


def _graph(name: str, choice: GraphChoice, data: Path, n_samples: int, unit: bool) -> Any:
    """What the model's ``graph`` gets."""
    from manifact.io.readers import read_graph, read_matrix

    if choice.given is not None:
        if len(choice.asked) > 1:
            raise ValueError(f"--graph={choice.given!r} is a graph already: leave out {choice.asked[1]}")
        return read_graph(choice.given, data)
    builder = _builder(name, choice.settings, unit and choice.built_on is None)
    if choice.built_on is None:
        return builder
    E = read_matrix(choice.built_on)
    if E.shape[0] != n_samples:
        raise ValueError(
            f"--graph-from={str(choice.built_on)!r} has {E.shape[0]} rows but the data have {n_samples} samples: "
            "give one row for each, in the same order"
        )
    return builder.build(E)


def _builder(name: str, settings: Mapping[str, Any], unit: bool) -> Any:
    from manifact.graphs import KNNGraph, LandmarkGraph

    # Of unit length both metrics find the same neighbours; but an empty sample, which is no farther from any other
    # than these are from each other, would be everybody's neighbour, and by the cosine it is nobody's.
    metric = "cosine" if unit else "euclidean"
    knn = KNNGraph(weight="heat" if name == "spnmf" else "binary", metric=metric)
    builder: Any = LandmarkGraph() if name == "alpnmf" else knn
    for key in settings:
        if key not in builder.get_params():
            raise ValueError(f"{option(key)} has no meaning for the graph of --model {name}: leave it out")
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
