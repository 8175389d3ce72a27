"""``manifact fit``: from a file or folder to a model file, in one step."""

from __future__ import annotations

import shlex
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import cells_files, choices, data_notes, large_data, outputs, summary
from manifact.cli.data_options import MemoryLimit, Preparing, TrainingReading
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence, note
from manifact.cli.model_building import GraphRequest, build, refuse_in_blocks
from manifact.cli.option_groups import given, with_option_groups
from manifact.cli.options import (
    FitOutputs,
    GraphSettings,
    GraphSource,
    JsonOption,
    ModelOption,
    ModelParameters,
    QuietOption,
    SettingOption,
)
from manifact.cli.printed_lines import say
from manifact.cli.standard_input import check_there, is_dash, received
from manifact.cli.workers import at_work
from manifact.utils.errors import BadValueError
from manifact.utils.progress import showing
from manifact.utils.terminal_text import encodable

ENDING = ".safetensors"
DataArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help=(
            "A table (.npy .npz .csv .tsv .parquet .mtx .mat .h5ad .zarr, a folder of .npz or of .parquet), documents "
            "(.txt with one in each line, .jsonl, a folder of text files) or a folder of images; text may be "
            "compressed (.gz .bz2 .xz), and - is standard input."
        ),
    ),
]


@with_option_groups
def fit(
    *,
    context: typer.Context,
    data: DataArgument,
    model: ModelOption = "affinity",
    parameters: ModelParameters,
    settings: SettingOption = None,
    source: GraphSource,
    graph: GraphSettings,
    reading: TrainingReading,
    limit: MemoryLimit,
    preparing: Preparing,
    files: FitOutputs,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Factorise DATA: find parts and clusters, and write a model file."""
    with errors_in_one_sentence(context, *REFUSALS):
        check_there(data)
        request = Request(
            data=data,
            model=_model_name(model),
            parameters=given(parameters),
            settings=settings or (),
            graph=GraphRequest(source.graph, source.graph_from, given(graph)),
            reading=given(reading),
            preparing=given(preparing),
            limit=limit,
            files=files,
            quiet=quiet or json,
            json=json,
        )
        done = fitted(request)
        if json:
            say(done.json())
        elif not quiet:
            done.show()
            if files.report is None:
                say(f"explore   manifact report {done.files['model']}{_unless_near(data, Path(done.files['model']))}")


def _unless_near(data: Path, model: Path) -> str:
    """The data as an argument of `manifact report`, which reads what lies elsewhere only if it is told to."""
    from manifact.cli.training_samples import is_near

    return "" if is_dash(data) or is_near(data, model) else f" {shlex.quote(str(data))}"


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    data: Path
    model: str
    #: Parameters of the model that have options, and NAME=VALUE for others.
    parameters: Mapping[str, Any]
    settings: Sequence[str]
    graph: GraphRequest
    #: Options of `manifact.io.read` and of `manifact.io.learn` that were given.
    reading: Mapping[str, Any]
    preparing: Mapping[str, Any]
    files: FitOutputs
    quiet: bool
    limit: MemoryLimit = field(default_factory=MemoryLimit)
    json: bool = False


def fitted(request: Request) -> summary.Summary:
    """Fit, write the files, and say what came out."""
    from manifact.io import check
    from manifact.io.cell_matrices import check_signs
    from manifact.report.topic_measures import topic_measures
    from manifact.utils.locks import only_writer

    if is_dash(request.data):
        _checked_outputs(request)  # before a pipe is waited for
    path = received(request.data, request.reading)
    data = check(path, **request.reading)
    files, output, space = request.files, _output(request), request.limit.workspace
    _checked_outputs(request)
    remedy = large_data.in_blocks_unless(data, space, request.limit.cluster)
    if remedy is not None:
        refuse_in_blocks(choices.models()[request.model], request.graph, remedy)
    with (
        only_writer("output", output),
        showing(not request.quiet),
        at_work(request.limit.cluster, request.quiet) as workers,
    ):
        _checked_outputs(request)  # somebody may have written there since
        cells_files.check(request.data, data.reader.kind, files.write, files.key, files.overwrite)
        if files.report is not None:
            cells_files.map_of(request.data, files.map)  # refused now, and not after the work
        large_data.refuse_outputs(data, space, files.report, files.write)
        found = large_data.training_data(data, request.preparing, space)
        samples, X = found.samples, found.X
        in_blocks = found.in_blocks or workers is not None
        model = _model(request, path, found, in_blocks)
        check_signs(model, samples)
        large_data.refuse_negative(model, found)
        begun = time.perf_counter()
        fitted_to = X if workers is None else workers.holding(X)
        told = large_data.choose_on_some(model, fitted_to) if in_blocks else []

        def complete() -> None:
            """Give the fitted model what a file of it holds beside."""
            model.preparation_ = found.preparation
            model.source_ = _source(request, found) | large_data.facts(found, space)
            model.verbose = False

        with outputs.kept_if_interrupted(model, output, complete):
            _fit(model, fitted_to, files)
            seconds = time.perf_counter() - begun
            complete()
            if samples.kind == "documents":
                # `manifact info` has no documents to count in.
                model.source_["coherence"] = topic_measures(model, found.some)[0]
            output = outputs.write_model(model, output)
        _write_others(request, model, samples, X)
    if request.quiet and not request.json:  # the summary would say so
        for line in data_notes.skipped(samples, all_in="--json"):
            note(line)
    named = {"model": output, "clusters": files.clusters, "report": files.report, "cells": files.write}
    written = {name: path for name, path in named.items() if path is not None}
    notes = [*told, *large_data.notes(found, model.labels_)]
    # The coherence is known already: it takes long to count in many documents.
    return summary.of(model, seconds, written, notes, None if found.in_blocks else X)


def _model_name(typed: str) -> str:
    """The name that a model has now."""
    if typed in choices.names("model"):
        return typed
    formerly = choices.former_models()
    if typed in formerly:
        note(f"--model {typed} is now called {formerly[typed]}: the old name goes with version 1.0")
        return formerly[typed]
    return str(choices.known("model", typed))


def _output(request: Request) -> Path:
    """Where the model goes."""
    return request.files.output or outputs.named_after(request.data, ENDING)


def _checked_outputs(request: Request) -> None:
    """Refuse files that cannot be written, or are there already and not from the run that goes on."""
    from manifact.io.writers import TABLES, check_output
    from manifact.utils.files import check_place

    files, data = request.files, request.data
    if is_dash(data) and files.output is None:
        raise BadValueError("standard input has no name that the model could get: say with {output} where it goes")
    replace = files.overwrite or outputs.of_the_same_run(files.checkpoint, _output(request))
    outputs.free("--output", _output(request), replace, data, ending=ENDING)
    if files.clusters is not None:
        check_output(outputs.free("--clusters", files.clusters, replace, data), TABLES)
    if files.report is not None:
        outputs.free("--report", files.report, replace, data, ending=".html")
    if files.checkpoint is not None:
        others = (_output(request), files.clusters, files.report, files.write)
        if files.checkpoint.resolve() in [path.resolve() for path in (data, *others) if path is not None]:
            raise BadValueError(
                "{checkpoint}={!r} is another file of this command: name another", str(files.checkpoint)
            )
        check_place("--checkpoint", files.checkpoint)


def _model(request: Request, path: Path, found: large_data.TrainingData, in_blocks: bool) -> Any:
    parameters = {**request.parameters, "verbose": not request.quiet}
    entry, unit = choices.models()[request.model], found.preparation.scale == "unit"
    model = build(entry, parameters, request.graph, request.settings, path, found.samples, unit, in_blocks=in_blocks)
    if model.assign is None:
        note("--set assign=null has gone: clusters are made by k-means")
        model.set_params(assign="kmeans")
    return model


def _fit(model: Any, X: Any, files: FitOutputs) -> None:
    from manifact.models.collapse import CollapseWarning

    with warnings.catch_warnings():
        # The summary has it.
        warnings.simplefilter("ignore", CollapseWarning)
        model.fit(X, checkpoint=files.checkpoint, every=files.every)


def _source(request: Request, found: large_data.TrainingData) -> dict[str, Any]:
    """Where the samples are, how they were read, their names and what tells them: a report shows them again."""
    from manifact.io.sample_fingerprints import fingerprint

    samples = found.samples
    return {
        "path": encodable(str(request.data)),
        "reading": {
            name: encodable(value) if isinstance(value, str) else value
            for name, value in request.reading.items()
            if name != "strict"
        },
        "names": samples.names,
        "skipped": {**samples.skipped, **samples.other_files},
        "labels": samples.labels,
        **({} if samples.matrix is None else {"matrix": samples.matrix}),
        "left_out": _left_out(samples),
        "graph_from": request.graph.built_on is not None,
        "fingerprint": found.fingerprint if found.in_blocks else fingerprint(samples, found.X),
        **outputs.run_of(request.files.checkpoint),
    }


def _left_out(samples: Any) -> dict[str, Any]:
    """Rows of a table that are no samples, for their places in what is written."""
    left = samples.left_out
    return {} if left is None or not left.rows else {"rows": list(left.rows), "names": list(left.row_names)}


def _write_others(request: Request, model: Any, samples: Any, X: Any) -> None:
    files = request.files
    if files.clusters is not None:
        labels, names = outputs.of_all_rows(model.labels_, samples)
        outputs.write_clusters(files.clusters, labels, names, summary.words_of_parts(model))
    if files.report is not None:
        from manifact.cli.report import write_page

        write_page(model, samples, X, files.report, map_name=files.map)
    if files.write is not None:
        cells_files.write(request.data, files.write, files.key, model, samples)
