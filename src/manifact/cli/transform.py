"""``manifact transform``: how much of each part the samples of new data have."""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import json_output, outputs
from manifact.cli.data_options import Reading
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence
from manifact.cli.help_headings import OUT
from manifact.cli.new_samples import check_tie, graph_samples, put_on, read_for, warn_of_empty, warn_of_reading
from manifact.cli.option_groups import given, with_option_groups
from manifact.cli.options import (
    DeviceOption,
    GraphFromOption,
    JsonOption,
    ModelArgument,
    OverwriteOption,
    QuietOption,
    TieOption,
)
from manifact.cli.standard_input import check_there, is_dash
from manifact.utils.progress import showing


@with_option_groups
def transform(
    *,
    context: typer.Context,
    model: ModelArgument,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="New data of the same kind, - for standard input.")],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="V: .npy .npz .csv .tsv .parquet. Default: CSV on standard output (-).",
            rich_help_panel=OUT,
        ),
    ] = None,
    tie: TieOption = None,
    graph_from: GraphFromOption = None,
    device: DeviceOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
    reading: Reading,
) -> None:
    """Say how much of each part the samples of new data have.

    A sample that has nothing of any part is a row of zeros, and a file that cannot be read is left out: the exit code
    is then 1.
    """
    with errors_in_one_sentence(context, *REFUSALS):
        check_there(data, model=model)
        import manifact
        from manifact.io.writers import check_output, write_matrix, write_matrix_as_csv

        found = manifact.load(model)
        put_on(found, device)
        output = None if is_dash(output) else output
        if output is not None:
            check_output(outputs.free("--output", output, overwrite, model, data))
        check_tie(found, tie is not False, graph_from)
        with showing(not (quiet or json)):
            samples, X = read_for(found, model, data, given(reading))
            warn_of_empty(samples, X, quiet)
            warn_of_reading(found, samples)
            V = found.transform(X, tie=tie, graph_X=graph_samples(graph_from, samples))
        V, names = outputs.of_all_rows(V, samples)
        names = outputs.sample_names(names, len(V))
        if output is not None:
            write_matrix(output, V, names=names)
    if json:
        _print_json(V, names)
    elif output is None:
        write_matrix_as_csv(table := StringIO(), V, names)
        typer.echo(table.getvalue(), nl=False)
    elif not quiet:
        n, k = V.shape
        typer.echo(f"V         {output} ({n:,} samples, {k} parts)")
    if samples.skipped or not V.any(axis=1).all():
        raise typer.Exit(1)


def _print_json(V: Any, names: list[str]) -> None:
    rows = [{"name": name, "parts": row} for name, row in zip(names, V.tolist(), strict=True)]
    typer.echo(json_output.dumps(rows))
