"""Commands for a model that is there: look at it, use it on new data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manifact.cli.options import (
    GRAPH,
    OUT,
    GraphFromOption,
    JsonOption,
    KindOption,
    LayerOption,
    ModelArgument,
    NameOption,
    OverwriteOption,
    QuietOption,
    TextOption,
    VariableOption,
    given,
)
from manifact.cli.telling import REFUSALS, told


def report(
    model: ModelArgument,
    data: Annotated[
        Path | None,
        typer.Argument(metavar="[DATA]", help="What the model was fitted on. Default: where it was then."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Default: NAME.html here.", rich_help_panel=OUT),
    ] = None,
    title: Annotated[str | None, typer.Option(help="Heading of the page.", rich_help_panel=OUT)] = None,
    browse: Annotated[bool, typer.Option("--open", help="Show it in the browser.", rich_help_panel=OUT)] = False,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    kind: KindOption = None,
    layer: LayerOption = None,
    text: TextOption = None,
    name: NameOption = None,
    variable: VariableOption = None,
) -> None:
    """Write one HTML page to explore a model in: parts, samples, their map and neighbours."""
    from manifact.commands.report import report as run

    reading = given(kind=kind, layer=layer, text=text, name=name, variable=variable)
    with told(*REFUSALS):
        page, lacking = run(model, data, reading, output, title, overwrite, quiet)
    if lacking:
        typer.echo(f"note: {lacking}", err=True)
    if not quiet:
        typer.echo(f"report    {page}")
    if browse:
        typer.launch(page.resolve().as_uri())


def predict(
    model: ModelArgument,
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="[DATA]", help="New data of the same kind. Default: the clusters of the training samples."
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A table: .csv .tsv .parquet .jsonl .npy. Default: standard output.",
            rich_help_panel=OUT,
        ),
    ] = None,
    tie: Annotated[
        bool | None,
        typer.Option(
            "--tie/--no-tie",
            help="Hold new samples near their training neighbours. Default: where the graph can find them.",
            rich_help_panel=GRAPH,
        ),
    ] = None,
    graph_from: GraphFromOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
    kind: KindOption = None,
    layer: LayerOption = None,
    text: TextOption = None,
    name: NameOption = None,
    variable: VariableOption = None,
) -> None:
    """Find the cluster of each sample in new data."""
    from io import StringIO
    from json import dumps

    from manifact.commands.apply import predict as run
    from manifact.io.writers import write_rows

    reading = given(kind=kind, layer=layer, text=text, name=name, variable=variable)
    with told(*REFUSALS):
        rows = run(model, data, reading, output, graph_from, tie, overwrite, quiet or json)
    if json:
        typer.echo(dumps([{"name": sample, "cluster": cluster} for sample, cluster in rows], ensure_ascii=False))
    elif output is None:
        table = StringIO()
        write_rows(table, rows, "\t")
        typer.echo(table.getvalue(), nl=False)
    elif not quiet:
        typer.echo(f"clusters  {output} ({len(rows):,} samples)")


def transform(
    model: ModelArgument,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="New data of the same kind.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="V: .npy .npz .csv .tsv .parquet.", rich_help_panel=OUT),
    ],
    tie: Annotated[
        bool,
        typer.Option("--tie/--no-tie", help="Hold new samples near their training neighbours.", rich_help_panel=GRAPH),
    ] = False,
    graph_from: GraphFromOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    kind: KindOption = None,
    layer: LayerOption = None,
    text: TextOption = None,
    name: NameOption = None,
    variable: VariableOption = None,
) -> None:
    """Say how much of each part the samples of new data have."""
    from manifact.commands.apply import transform as run

    reading = given(kind=kind, layer=layer, text=text, name=name, variable=variable)
    with told(*REFUSALS):
        n, k = run(model, data, reading, output, graph_from, tie, overwrite, quiet)
    if not quiet:
        typer.echo(f"V         {output} ({n:,} samples, {k} parts)")


def info(model: ModelArgument, json: JsonOption = False) -> None:
    """Show what a model file holds."""
    from manifact.commands import summary

    with told(*REFUSALS):
        import manifact

        found = summary.of(manifact.load(model), None, {"model": model})
    typer.echo(found.json()) if json else found.show()


def demo() -> None:
    """Cluster handwritten digits and Python's own documentation with every model; needs no network."""
    from manifact.cli.demo import run

    run()
