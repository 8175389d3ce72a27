"""``manifact predict``: the cluster of each sample in new data."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import data_notes, outputs
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence, note
from manifact.cli.new_samples import check_tie, graph_samples, read_for, refuse_if_nobody
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
from manifact.cli.summary import words_of_parts
from manifact.utils.progress import showing


@with_option_groups
def predict(
    *,
    context: typer.Context,
    model: ModelArgument,
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA", help="New data of the same kind. Default: the clusters of the training samples."
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
    """Find the cluster of each sample in new data, and the words of the part that it is the cluster of.

    A sample that cannot be placed, such as a document without a known word, is left blank: the exit code is then 1.
    """
    with errors_in_one_sentence(context, *REFUSALS):
        import manifact

        found = manifact.load(model)
        _check(model, data, output, overwrite)
        with showing(not (quiet or json)):
            labels, names, told = _clusters(found, model, data, given(reading), tie, graph_from)
        words = words_of_parts(found)
        if output is not None:
            outputs.write_clusters(output, labels, names, words)
    if json:
        _print_json(labels, outputs.sample_names(names, len(labels)), words)
    elif output is None:
        _print_table(labels, outputs.sample_names(names, len(labels)), words)
    elif not quiet:
        typer.echo(f"clusters  {output} ({len(labels):,} samples)")
    for line in told:
        note(line)
    if (labels < 0).any():
        raise typer.Exit(1)


def _check(path: Path, data: Path | None, output: Path | None, overwrite: bool) -> None:
    from manifact.io.writers import TABLES, check_output

    if output is not None:
        check_output(outputs.free("--output", output, overwrite, path, data), TABLES)


def _clusters(
    model: Any, path: Path, data: Path | None, reading: Mapping[str, Any], tie: bool | None, graph_from: Path | None
) -> tuple[Any, Any, list[str]]:
    """Labels and names of the new samples, or without data of the training samples; and who cannot be placed."""
    if data is None:
        names = getattr(model, "source_", {}).get("names")
        return model.labels_, names, data_notes.without_cluster(model.labels_, names)
    check_tie(model, tie is not False, graph_from)
    samples, X = read_for(model, path, data, reading)
    labels = model.predict(X, tie=tie, graph_X=graph_samples(graph_from))
    refuse_if_nobody(data, samples, labels)
    return labels, samples.names, data_notes.unplaced(samples, X, labels)


def _print_json(labels: Any, names: list[str], words: list[list[str]] | None) -> None:
    from json import dumps

    def told(sample: str, cluster: int) -> dict[str, Any]:
        placed = cluster >= 0
        known = words[cluster] if placed and words is not None else None
        return {"name": sample, "cluster": cluster if placed else None, "words": known}

    rows = [told(*row) for row in zip(names, labels.tolist(), strict=True)]
    typer.echo(dumps(rows, ensure_ascii=False))


def _print_table(labels: Any, names: list[str], words: list[list[str]] | None) -> None:
    from io import StringIO

    from manifact.io.writers import write_rows

    def cells(cluster: int) -> list[Any]:
        number = cluster if cluster >= 0 else ""
        return [number] if words is None else [number, ", ".join(words[cluster]) if cluster >= 0 else ""]

    table = StringIO()
    write_rows(table, ([name, *cells(label)] for name, label in zip(names, labels.tolist(), strict=True)), "\t")
    typer.echo(table.getvalue(), nl=False)
