"""``manifact fit``: from a file or folder to a model file, in one step."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import cells_files, choices, data_notes, outputs, summary
from manifact.cli.data_options import Preparing, TrainingReading
from manifact.cli.exit_codes import REFUSALS, errors_in_one_sentence, note
from manifact.cli.model_building import GraphRequest, build
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
from manifact.cli.standard_input import check_there, is_dash, received
from manifact.utils.errors import BadValueError
from manifact.utils.progress import showing

ENDING = ".safetensors"
DataArgument = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help=(
            "A table (.npy .npz .csv .tsv .parquet .mtx .mat .h5ad), documents (.txt with one in each line, "
            ".jsonl, a folder of text files) or a folder of images; text may be compressed (.gz .bz2 .xz), and - is "
            "standard input."
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
            files=files,
            quiet=quiet or json,
            json=json,
        )
        done = fitted(request)
        if json:
            typer.echo(done.json())
        elif not quiet:
            done.show()
            if files.report is None:
                typer.echo(f"explore   manifact report {done.files['model']}")


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
    json: bool = False


def fitted(request: Request) -> summary.Summary:
    """Fit, write the files, and say what came out."""
    import manifact
    from manifact.io import check, learn_and_apply
    from manifact.io.cell_matrices import check_signs
    from manifact.report.topic_measures import topic_measures

    if is_dash(request.data):
        _checked_outputs(request)  # before a pipe is waited for
    path = received(request.data, request.reading)
    data = check(path, **request.reading)
    output = _checked_outputs(request)
    files = request.files
    cells_files.check(request.data, data.reader.kind, files.write, files.key, files.overwrite)
    if files.report is not None:
        cells_files.map_of(request.data, files.map)  # refused now, and not after the work
    with showing(not request.quiet):
        samples = data.read()
        preparation, X = learn_and_apply(samples, **request.preparing)
        model = _model(request, path, samples, preparation.scale == "unit")
        check_signs(model, samples)
        data_notes.refuse_negative(model, samples, preparation, X)
        begun = time.perf_counter()
        interrupt = _interrupt_of_fit(model, X)
        seconds = time.perf_counter() - begun
        model.preparation_ = preparation
        model.source_ = _source(request, samples, X)
        if samples.kind == "documents" and interrupt is None:
            # `manifact info` has no documents to count in.
            model.source_["coherence"] = topic_measures(model, X)[0]
        model.verbose = False
        # Somebody who interrupts does not wait for k-means: the first who asks for clusters does.
        manifact.save(model, output, clusters=interrupt is None)
        if interrupt is not None:
            raise KeyboardInterrupt(f"{interrupt}, and {output} has it")
        _write_others(request, model, samples, X)
    if request.quiet and not request.json:  # the summary would say so
        for line in data_notes.skipped(samples, all_in="--json"):
            note(line)
    named = {"model": output, "clusters": files.clusters, "report": files.report, "cells": files.write}
    written = {name: path for name, path in named.items() if path is not None}
    return summary.of(model, seconds, written, data_notes.notes(samples, preparation, X, model.labels_), X)


def _model_name(typed: str) -> str:
    """The name that a model has now."""
    if typed in choices.names("model"):
        return typed
    formerly = choices.former_models()
    if typed in formerly:
        note(f"--model {typed} is now called {formerly[typed]}: the old name goes with version 1.0")
        return formerly[typed]
    return str(choices.known("model", typed))


def _checked_outputs(request: Request) -> Path:
    """Where the model goes, if all files can be written."""
    from manifact.io.writers import TABLES, check_output

    files, data = request.files, request.data
    if is_dash(data) and files.output is None:
        raise BadValueError("standard input has no name that the model could get: say with {output} where it goes")
    named = files.output or outputs.named_after(data, ENDING)
    output = outputs.free("--output", named, files.overwrite, data, ending=ENDING)
    if files.clusters is not None:
        check_output(outputs.free("--clusters", files.clusters, files.overwrite, data), TABLES)
    if files.report is not None:
        outputs.free("--report", files.report, files.overwrite, data, ending=".html")
    return output


def _model(request: Request, path: Path, samples: Any, unit: bool) -> Any:
    parameters = {**request.parameters, "verbose": not request.quiet}
    entry = choices.models()[request.model]
    model = build(entry, parameters, request.graph, request.settings, path, samples, unit)
    if model.assign is None:
        note("--set assign=null has gone: clusters are made by k-means")
        model.set_params(assign="kmeans")
    return model


def _interrupt_of_fit(model: Any, X: Any) -> KeyboardInterrupt | None:
    """Fit; an interrupt that left a model behind is returned, so that it can be saved."""
    from manifact.models.collapse import CollapseWarning

    try:
        with warnings.catch_warnings():
            # The summary has it.
            warnings.simplefilter("ignore", CollapseWarning)
            model.fit(X)
    except KeyboardInterrupt as interrupt:
        if not hasattr(model, "n_iter_"):
            raise
        return interrupt
    return None


def _source(request: Request, samples: Any, X: Any) -> dict[str, Any]:
    """Where the samples are, how they were read, their names and what tells them: a report shows them again."""
    from manifact.io.sample_fingerprints import fingerprint

    return {
        "path": str(request.data),
        "reading": {name: value for name, value in request.reading.items() if name != "strict"},
        "names": samples.names,
        "skipped": {**samples.skipped, **samples.other_files},
        "labels": samples.labels,
        **({} if samples.matrix is None else {"matrix": samples.matrix}),
        "left_out": _left_out(samples),
        "graph_from": request.graph.built_on is not None,
        "fingerprint": fingerprint(samples, X),
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
