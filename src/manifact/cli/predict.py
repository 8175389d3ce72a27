"""``manifact predict``: the cluster of each sample in new data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import cells_files, data_notes, json_output, large_data, outputs, training_samples
from manifact.cli.data_options import MemoryLimit, Reading
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence, note
from manifact.cli.help_headings import OUT
from manifact.cli.new_samples import check_tie, checked_for, put_on, refuse_if_nobody
from manifact.cli.option_groups import given, with_option_groups
from manifact.cli.options import (
    DeviceOption,
    GraphFromOption,
    JsonOption,
    KeyOption,
    ModelArgument,
    OverwriteOption,
    QuietOption,
    TieOption,
    WriteOption,
)
from manifact.cli.printed_lines import hand_over, say
from manifact.cli.standard_input import check_there, is_dash
from manifact.cli.summary import words_of_parts
from manifact.cli.workers import at_work
from manifact.models.feature_names import prepared
from manifact.utils.errors import BadValueError
from manifact.utils.progress import showing


@with_option_groups
def predict(
    *,
    context: typer.Context,
    model: ModelArgument,
    data: Annotated[
        Path | None,
        typer.Argument(
            metavar="DATA",
            help="New data of the same kind, - for standard input. Default: the clusters of the training samples.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="A table: .csv .tsv .parquet .jsonl .npy. Default: standard output (-).",
            rich_help_panel=OUT,
        ),
    ] = None,
    tie: TieOption = None,
    graph_from: GraphFromOption = None,
    device: DeviceOption = None,
    write: WriteOption = None,
    key: KeyOption = "manifact",
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
    reading: Reading,
    limit: MemoryLimit,
) -> None:
    """Find the cluster of each sample in new data, and the words of the part that it is the cluster of.

    A sample that cannot be placed, such as a document without a known word, is left blank, and a file that cannot be
    read is left out: the exit code is then 1.
    """
    with errors_in_one_sentence(context, *REFUSALS):
        check_there(data, model=model)
        import manifact

        found = manifact.load(model)
        put_on(found, device)
        output = None if is_dash(output) else output
        _check(model, data, output, overwrite)
        cells = _cells_file(found, model, data, write, key, overwrite)
        with showing(not (quiet or json)):
            labels, names, told, skipped = _clusters(
                found, model, data, given(reading), limit, tie, graph_from, cells, quiet
            )
        words = words_of_parts(found)
        if output is not None:
            outputs.write_clusters(output, labels, names, words)
    if json:
        _print_json(labels, outputs.sample_names(names, len(labels)), words)
    elif output is None and write is None:
        _print_table(labels, outputs.sample_names(names, len(labels)), words)
    elif not quiet:
        for name, file in (("clusters", output), ("cells", write)):
            if file is not None:
                say(f"{name:9} {file} ({len(labels):,} samples)")
    for line in told:
        note(line)
    if skipped or (labels < 0).any():
        raise typer.Exit(1)


def _check(path: Path, data: Path | None, output: Path | None, overwrite: bool) -> None:
    from manifact.io.writers import TABLES, check_output

    if output is not None:
        check_output(outputs.free("--output", output, overwrite, path, data), TABLES)


def _cells_file(
    model: Any, path: Path, data: Path | None, target: Path | None, key: str, overwrite: bool
) -> Callable[..., None] | None:
    """What writes results into the cells' file, if that is wanted and can be done."""
    if target is None:
        return None
    if data is None and Path(getattr(model, "source_", {}).get("path", "")).suffix.lower() != cells_files.ENDING:
        raise BadValueError("{write} needs cells and {} does not say where they are: name DATA", path)
    source = training_samples.place(model, path) if data is None else data
    if data is None and source.exists() and not training_samples.is_near(source, path):
        raise ValueError(f"{source} is where {path} says that its cells are: name it as DATA if it is yours")
    if not source.exists():
        raise ValueError(f"{source} does not exist: check the path, or name DATA")
    cells_files.check(source, prepared(model, "kind") or "table", target, key, overwrite)
    return partial(cells_files.write, source, target, key)


def _clusters(
    model: Any,
    path: Path,
    data: Path | None,
    reading: Mapping[str, Any],
    limit: MemoryLimit,
    tie: bool | None,
    graph_from: Path | None,
    cells: Callable[..., None] | None = None,
    quiet: bool = False,
) -> tuple[Any, Any, list[str], bool]:
    """Labels and names of the new samples, or without data of the training samples.

    Also what to say of those that cannot be placed or read, and whether some could not be read. ``cells`` writes the
    results into the cells' file. ``quiet`` leaves out what is harmless.
    """
    if data is None:
        source = getattr(model, "source_", {})
        names, left = source.get("names"), source.get("left_out") or {"rows": (), "names": ()}
        if cells is not None:
            cells(model, training_samples.read_again(model, path, None, reading)[0])
        told = [*data_notes.rows_left_out(left["rows"]), *data_notes.without_cluster(model.labels_, names)]
        return *outputs.with_left_out(model.labels_, names, left["rows"], left["names"]), told, False
    check_tie(model, tie is not False, graph_from)
    checked = checked_for(model, path, data, reading)
    with at_work(limit.cluster, quiet) as workers:
        placed = large_data.placed(model, checked, limit.workspace, tie, graph_from, clusters=True, workers=workers)
    samples, labels = placed.samples, placed.labels
    refuse_if_nobody(data, samples, labels)
    if cells is not None:
        cells(model, samples, placed.V, labels)
    told = [
        *data_notes.skipped(samples),
        *([] if quiet else data_notes.blank_lines(samples)),
        *data_notes.of_new_samples(model, samples, placed.below),
        *([] if quiet else large_data.unnamed(samples)),
        *data_notes.unplaced(samples, placed.empty, labels),
    ]
    return *outputs.of_all_rows(labels, samples), told, bool(samples.skipped)


def _print_json(labels: Any, names: list[str], words: list[list[str]] | None) -> None:
    def told(sample: str, cluster: int) -> dict[str, Any]:
        placed = cluster >= 0
        known = words[cluster] if placed and words is not None else None
        return {"name": sample, "cluster": cluster if placed else None, "words": known}

    rows = [told(*row) for row in zip(names, labels.tolist(), strict=True)]
    say(json_output.dumps(rows))


def _print_table(labels: Any, names: list[str], words: list[list[str]] | None) -> None:
    from io import StringIO

    from manifact.io.writers import write_rows

    def cells(cluster: int) -> list[Any]:
        number = cluster if cluster >= 0 else ""
        return [number] if words is None else [number, ", ".join(words[cluster]) if cluster >= 0 else ""]

    table = StringIO()
    write_rows(table, ([name, *cells(label)] for name, label in zip(names, labels.tolist(), strict=True)), "\t")
    hand_over(table.getvalue())
