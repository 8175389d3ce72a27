"""Which models have a parameter, and what it is where nobody sets it: read off the models, for the help page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from manifact.cli import choices

if TYPE_CHECKING:
    from manifact.models.registry import Entry


def filled_in(entry: Entry) -> dict[str, Any]:
    """Parameters that the command line sets where the user does not.

    What the model asks for; and a graph of neighbours is chosen.
    """
    from manifact.graphs import KNNGraph

    chosen = {"graph": "auto"} if isinstance(graph_builder(entry), KNNGraph) else {}
    return chosen | dict(entry.command_line)


def parameters(entry: Entry) -> dict[str, Any]:
    """The model's own parameters and their values in Python."""
    found: dict[str, Any] = entry.cls().get_params(deep=False)
    return found


def graph_builder(entry: Entry) -> Any:
    """The builder of the graph that a model's options describe, its paper's; None for models without a graph."""
    from manifact.graphs import AutoGraph, KNNGraph

    if "graph" not in parameters(entry):
        return None
    made = getattr(entry.cls(), "default_graph", KNNGraph)()
    return KNNGraph() if isinstance(made, AutoGraph) else made


def described(parameter: str) -> str:
    """For the help: who has a parameter of models, if not all of them, and its values.

    >>> described("locality_reg"), described("n_components")
    ('For lcf. Default: 0.3.', 'Default: 10 (affinity: auto).')
    """
    models = {name: parameters(entry) | filled_in(entry) for name, entry in choices.models().items()}
    return _described(parameter, models)


def described_of_graph(parameter: str, *only: str) -> str:
    """The same for a parameter of graphs, of all models or of some.

    >>> described_of_graph("weight"), described_of_graph("n_neighbors")
    ('For affinity, gnmf, lccf, lpnmf, spnmf. Default: binary (spnmf: heat).', 'Default: auto (alpnmf: 5).')
    >>> described_of_graph("weight", "affinity")
    'Default: binary.'
    """
    from manifact.graphs import AutoGraph, LandmarkGraph

    builders = {name: graph_builder(entry) for name, entry in choices.models().items()}
    # Whoever names a number of landmarks asks for a graph through them, of any model.
    landmarks = {"n_landmarks": LandmarkGraph().n_landmarks}
    known = {name: landmarks | made.get_params() for name, made in builders.items() if made is not None}
    for name, entry in choices.models().items():
        # What a chosen graph takes is left to the choice; the rest describes another graph.
        if filled_in(entry).get("graph") == "auto":
            known[name] |= {"n_neighbors": AutoGraph().n_neighbors}
    return _described(parameter, {name: values for name, values in known.items() if not only or name in only})


def _described(parameter: str, models: dict[str, dict[str, Any]]) -> str:
    values = {name: found[parameter] for name, found in sorted(models.items()) if parameter in found}
    who = f"For {', '.join(values)}. " if len(values) < len(models) else ""
    shown = {name: _shown(value) for name, value in values.items() if value is not None}
    if not shown:
        return who.strip()
    usual = Counter(shown.values()).most_common(1)[0][0]
    others = "; ".join(
        f"{', '.join(name for name in shown if shown[name] == value)}: {value}"
        for value in _distinct(shown.values())
        if value != usual
    )
    return f"{who}Default: {usual}{f' ({others})' if others else ''}."


def _shown(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _distinct(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))
