"""``manifact fit``: from a file or folder to a model file, in one step."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from manifact.commands import choosing, looks, outputs, summary
from manifact.commands.choosing import GraphChoice
from manifact.utils.progress import showing

ENDING = ".safetensors"


@dataclass(frozen=True)
class Request:
    """What was asked for."""

    data: Path
    model: str
    #: Options of `manifact.io.read` and of `manifact.io.learn` that were given.
    reading: Mapping[str, Any] = field(default_factory=dict)
    preparing: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    extra: Sequence[str] = ()
    graph: GraphChoice = field(default_factory=GraphChoice)
    output: Path | None = None
    clusters: Path | None = None
    page: Path | None = None
    overwrite: bool = False
    quiet: bool = False


def fit(request: Request) -> summary.Summary:
    """Fit, write the files, and say what came out."""
    from manifact.io import check, learn_and_apply

    data = check(request.data, **request.reading)
    named = request.output or outputs.named_after(request.data, ENDING)
    output = outputs.free("--output", named, request.overwrite, request.data, ending=ENDING)
    _check_others(request)
    with showing(not request.quiet):
        samples = data.read()
        preparation, X = learn_and_apply(samples, **request.preparing)
        model = choosing.model(
            request.model,
            {**request.parameters, "verbose": not request.quiet},
            request.graph,
            request.extra,
            request.data,
            samples.n_samples,
            preparation.scale == "unit",
        )
        if request.clusters is not None and model.assign is None:
            raise ValueError("--clusters needs clusters: leave out --set assign=null")
        begun = time.perf_counter()
        interrupt = _fitted(model, X)
        seconds = time.perf_counter() - begun
        model.preparation_ = preparation
        model.source_ = _source(request, samples)
        model.verbose = False
        model.save(output)
        if interrupt is not None:
            raise KeyboardInterrupt(f"{interrupt}, and {output} has it")
        if request.clusters is not None:
            from manifact.commands.apply import write_clusters

            write_clusters(request.clusters, model.labels_, samples.names)
        if request.page is not None:
            from manifact.commands.report import page

            page(model, samples, X, request.page)
    files = {"model": output, "clusters": request.clusters, "report": request.page}
    written = {name: path for name, path in files.items() if path is not None}
    return summary.of(model, seconds, written, looks.notes(samples, preparation, X))


def _check_others(request: Request) -> None:
    from manifact.io.writers import TABLES, check_output

    if request.clusters is not None:
        check_output(outputs.free("--clusters", request.clusters, request.overwrite, request.data), TABLES)
    if request.page is not None:
        outputs.free("--report", request.page, request.overwrite, request.data, ending=".html")


def _fitted(model: Any, X: Any) -> KeyboardInterrupt | None:
    """Fit; an interrupt that left a model behind is returned, so that it can be saved."""
    try:
        model.fit(X)
    except KeyboardInterrupt as interrupt:
        if not hasattr(model, "n_iter_"):
            raise
        return interrupt
    return None


def _source(request: Request, samples: Any) -> dict[str, Any]:
    """Where the samples are, how they were read and what they are called: a report shows them again."""
    return {
        "path": str(request.data),
        "reading": dict(request.reading),
        "names": samples.names,
        "labels": samples.labels,
        "graph_from": request.graph.built_on is not None,
    }
