"""``manifact select``: the graph and the number of parts chosen without labels, and what speaks for them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from manifact.cli import choices, data_notes, json_output, outputs, parsing
from manifact.cli.data_options import Preparing, TrainingReading
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence, note
from manifact.cli.fit import DataArgument
from manifact.cli.help_headings import OUT
from manifact.cli.model_building import KNN, GraphRequest, graph_for
from manifact.cli.option_groups import given, with_option_groups
from manifact.cli.options import DeviceOption, GraphSource, JsonOption, NeighborSettings, OverwriteOption, QuietOption
from manifact.cli.printed_lines import say
from manifact.cli.standard_input import check_there, received
from manifact.utils.progress import showing

if TYPE_CHECKING:
    from manifact.selection import Selection

#: The model whose graph and number of parts are chosen.
MODEL = "affinity"
#: Formats of figures.
FIGURES = (".png", ".svg", ".pdf")


@dataclass(frozen=True)
class Candidates:
    """What to choose from."""

    n_components: Annotated[
        str | None,
        typer.Option(
            "-k",
            "--components",
            metavar="N|N,N|auto",
            help="Number of parts, several to choose from, or auto: 2 to 100. Default: auto.",
        ),
        parsing.counts,
    ] = None
    device: DeviceOption = None
    random_state: Annotated[
        int, typer.Option("--seed", help="Which samples, features and edges are looked at together.")
    ] = 0


@with_option_groups
def select(
    *,
    context: typer.Context,
    data: DataArgument,
    candidates: Candidates,
    source: GraphSource,
    graph: NeighborSettings,
    reading: TrainingReading,
    preparing: Preparing,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also draw it: .png .svg .pdf (needs matplotlib).", rich_help_panel=OUT),
    ] = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Choose graph and number of parts of DATA without labels, and show what speaks for them."""
    with errors_in_one_sentence(context, *REFUSALS):
        check_there(data)
        asked, request = given(candidates), GraphRequest(source.graph, source.graph_from, given(graph))
        if plot is not None:
            _check_figure(plot, overwrite, data)
        found = _selection(data, asked, request, given(reading), given(preparing), quiet or json)
        following = _fit(context, data, found)
        if plot is not None:
            _draw(found, plot)
        if json:
            say(_as_json(found, following, plot))
        elif not quiet:
            found.show()
            if plot is not None:
                say(f"plot      {plot}")
            say(f"fit it    {following}")


def _selection(
    data: Path,
    asked: Mapping[str, Any],
    request: GraphRequest,
    reading: Mapping[str, Any],
    preparing: Mapping[str, Any],
    quiet: bool,
) -> Selection:
    """What `manifact.select` finds in the data as `manifact fit` reads and prepares them."""
    import manifact
    from manifact.io import check, learn_and_apply
    from manifact.io.cell_matrices import check_signs

    entry = choices.models()[MODEL]
    path = received(data, reading)
    readable = check(path, **reading)
    with showing(not quiet):
        samples = readable.read()
        preparation, X = learn_and_apply(samples, **preparing)
        check_signs(entry.cls(), samples)
        data_notes.refuse_negative(entry.cls(), samples, preparation, X)
        for line in data_notes.skipped(samples):
            note(line)
        one, counts = _without_several_counts(request, request.is_chosen(entry))
        return manifact.select(
            X,
            n_components=asked.get("n_components", "auto"),
            n_neighbors=counts,
            graph=graph_for(entry, one, path, samples, preparation.scale == "unit", asked),
            random_state=asked["random_state"],
            device=asked.get("device", "cpu"),
            verbose=not quiet,
        )


def _without_several_counts(request: GraphRequest, chosen: bool) -> tuple[GraphRequest, Any]:
    """The graph, and numbers of neighbours to choose from where its features are given."""
    counts = request.n_neighbors
    if chosen or request.built_on is not None or request.affinity is not None or not isinstance(counts, list):
        return request, "auto"
    return replace(request, settings={**request.settings, "n_neighbors": counts[0]}), counts


def _check_figure(path: Path, overwrite: bool, data: Path) -> None:
    """Before any work is done."""
    if path.suffix.lower() not in FIGURES:
        raise ValueError(f"--plot={str(path)!r} must end in one of {', '.join(FIGURES)}: that is what is drawn")
    outputs.free("--plot", path, overwrite, data)
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise ImportError("--plot needs matplotlib: pip install matplotlib") from error


def _draw(found: Selection, path: Path) -> None:
    import matplotlib

    from manifact.utils.files import written

    matplotlib.use("Agg")
    figure: Any = found.plot().figure
    with written(path) as temporary:
        figure.savefig(temporary, format=path.suffix[1:].lower())


def _as_json(found: Selection, following: str, plot: Path | None) -> str:
    best = {name: value for name, value in found.best.items() if name != "tau"}
    files = {} if plot is None else {"plot": str(plot)}
    told = {"criterion": found.criterion, "seconds": round(found.seconds or 0.0, 3), "fit": following, "files": files}
    return json_output.dumps({**best, "candidates": found.candidates, **told}, indent=2)


def _fit(context: typer.Context, data: Path, found: Selection) -> str:
    """The command that fits what was chosen: the data as they were read here, and no need to choose again."""
    own = {field.name for group in (TrainingReading, Preparing) for field in fields(group)} | {"random_state", "device"}
    builder = found.graph if "features" in found.best else None
    # A graph that was given is given again; one that was chosen is described.
    own |= {"graph", "graph_from", *(field.name for field in fields(NeighborSettings))} if builder is None else set()
    words = ["manifact", "fit", str(data), *_typed(context, own), "-k", str(found.best["n_components"])]
    return shlex.join([*words, *([] if builder is None else _described(context, builder))])


def _typed(context: typer.Context, names: set[str]) -> list[str]:
    """The options of these names that were typed, as words."""
    words: list[str] = []
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if parameter.name not in names or source is None or source.name != "COMMANDLINE":
            continue
        values = context.params[parameter.name]
        for value in values if isinstance(values, list | tuple) else [values]:
            words += [parameter.opts[0], *([] if value is True else [str(value)])]
    return words


def _described(context: typer.Context, builder: Any) -> list[str]:
    """The options that give this `KNNGraph`."""
    from manifact.graphs import KNNGraph

    options = {str(parameter.name): parameter.opts[0] for parameter in context.command.params}
    usual = KNNGraph().get_params()
    words: list[str] = []
    for name in (field.name for field in fields(NeighborSettings)):
        value = getattr(builder, name)
        if value == usual[name] or name == "n_neighbors" or (name == "metric" and builder.at_unit_length):
            continue
        shown = f"{value:g}" if isinstance(value, float) else str(value)
        words += [options[name], *([] if value is True else [shown])]
    # A number of neighbours alone would leave the rest open.
    return [options["n_neighbors"], str(builder.n_neighbors), *(words or [options["graph"], KNN])]
