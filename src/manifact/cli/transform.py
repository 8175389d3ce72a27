"""``manifact transform``: how much of each part the samples of new data have."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Annotated, Any, cast

import typer

from manifact.cli import json_output, large_data, outputs
from manifact.cli.data_options import MemoryLimit, Reading
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence, note
from manifact.cli.help_headings import OUT
from manifact.cli.new_samples import check_tie, checked_for, put_on, warn_of_empty, warn_of_reading
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
from manifact.cli.printed_lines import HandedOver, say
from manifact.cli.standard_input import check_there, is_dash
from manifact.cli.workers import at_work
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
    limit: MemoryLimit,
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
        with showing(not (quiet or json)), at_work(limit.cluster, quiet or json) as workers:
            checked = checked_for(found, model, data, given(reading))
            placed = large_data.placed(
                found, checked, limit.workspace, tie, graph_from, clusters=False, workers=workers
            )
            samples = placed.samples
            warn_of_empty(samples, placed.empty, quiet)
            warn_of_reading(found, samples, placed.below)
            for line in [] if quiet else large_data.unnamed(samples):
                note(line)
        V, names = outputs.of_all_rows(placed.V, samples)
        names = outputs.sample_names(names, len(V))
        if output is not None:
            write_matrix(output, V, names=names)
    if json:
        _print_json(V, names)
    elif output is None:
        write_matrix_as_csv(cast("IO[str]", HandedOver()), V, names)
    elif not quiet:
        n, k = V.shape
        say(f"V         {output} ({n:,} samples, {k} parts)")
    if samples.skipped or not V.any(axis=1).all():
        raise typer.Exit(1)


def _print_json(V: Any, names: list[str]) -> None:
    rows = [{"name": name, "parts": row} for name, row in zip(names, V.tolist(), strict=True)]
    say(json_output.dumps(rows))
