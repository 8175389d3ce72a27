"""``manifact predict``: the cluster of each sample in new data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import outputs
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence
from manifact.cli.new_samples import check_tie, graph_samples, read_for
from manifact.cli.option_groups import given, with_option_groups
from manifact.cli.options import (
    OUT,
    GraphFromOption,
    JsonOption,
    ModelArgument,
    OverwriteOption,
    QuietOption,
    Reading,
    TieOption,
)
from manifact.utils.progress import showing


@with_option_groups
def predict(
    *,
    context: typer.Context,
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
    tie: TieOption = None,
    graph_from: GraphFromOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
    reading: Reading,
) -> None:
    """Find the cluster of each sample in new data."""
    with errors_in_one_sentence(context, *REFUSALS):
        import manifact

        found = manifact.load(model)
        _check(found, model, data, output, overwrite)
        with showing(not (quiet or json)):
            labels, names = _clusters(found, model, data, given(reading), tie, graph_from)
        if output is not None:
            outputs.write_clusters(output, labels, names)
    rows = list(zip(outputs.sample_names(names, len(labels)), labels.tolist(), strict=True))
    if json:
        _print_json(rows)
    elif output is None:
        _print_table(rows)
    elif not quiet:
        typer.echo(f"clusters  {output} ({len(rows):,} samples)")


def _check(model: Any, path: Path, data: Path | None, output: Path | None, overwrite: bool) -> None:
    from manifact.io.writers import TABLES, check_output

    if output is not None:
        check_output(outputs.free("--output", output, overwrite, path, data), TABLES)
    if model.assign is None or not hasattr(model, "labels_"):
        raise ValueError(f"{path} holds a model without clusters: fit again with --assign kmeans, to the end")


def _clusters(
    model: Any, path: Path, data: Path | None, reading: Mapping[str, Any], tie: bool | None, graph_from: Path | None
) -> tuple[Any, Any]:
    """Labels and names of the new samples, or without data of the training samples."""
    if data is None:
        return model.labels_, getattr(model, "source_", {}).get("names")
    check_tie(model, tie is not False, graph_from)
    samples, X = read_for(model, path, data, reading)
    return model.predict(X, tie=tie, graph_X=graph_samples(graph_from)), samples.names


def _print_json(rows: list[tuple[str, int]]) -> None:
    from json import dumps

    typer.echo(dumps([{"name": sample, "cluster": cluster} for sample, cluster in rows], ensure_ascii=False))


def _print_table(rows: list[tuple[str, int]]) -> None:
    from io import StringIO

    from manifact.io.writers import write_rows

    table = StringIO()
    write_rows(table, rows, "\t")
    typer.echo(table.getvalue(), nl=False)
