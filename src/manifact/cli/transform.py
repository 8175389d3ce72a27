"""``manifact transform``: how much of each part the samples of new data have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manifact.cli import outputs
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence
from manifact.cli.new_samples import check_tie, graph_samples, read_for, warn_of_empty, warn_of_reading
from manifact.cli.option_groups import given, with_option_groups
from manifact.cli.options import (
    OUT,
    GraphFromOption,
    ModelArgument,
    OverwriteOption,
    QuietOption,
    Reading,
    TieOption,
)
from manifact.utils.progress import showing


@with_option_groups
def transform(
    *,
    context: typer.Context,
    model: ModelArgument,
    data: Annotated[Path, typer.Argument(metavar="DATA", help="New data of the same kind.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="V: .npy .npz .csv .tsv .parquet.", rich_help_panel=OUT),
    ],
    tie: TieOption = None,
    graph_from: GraphFromOption = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    reading: Reading,
) -> None:
    """Say how much of each part the samples of new data have."""
    with errors_in_one_sentence(context, *REFUSALS):
        import manifact
        from manifact.io.writers import check_output, write_matrix

        found = manifact.load(model)
        check_output(outputs.free("--output", output, overwrite, model, data))
        check_tie(found, tie is not False, graph_from)
        with showing(not quiet):
            samples, X = read_for(found, model, data, given(reading))
            warn_of_empty(samples, X)
            warn_of_reading(found, samples)
            V = found.transform(X, tie=tie, graph_X=graph_samples(graph_from, samples))
        V, names = outputs.of_all_rows(V, samples)
        write_matrix(output, V, names=outputs.sample_names(names, len(V)))
    if not quiet:
        n, k = V.shape
        typer.echo(f"V         {output} ({n:,} samples, {k} parts)")
    if not V.any(axis=1).all():
        raise typer.Exit(1)
