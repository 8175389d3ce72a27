"""Running time over the number of classes: the graph and the iterations, on classes drawn at random."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.experiments.reproduce import svg_charts
from manifact.experiments.reproduce.comparison_page import Claim, Claims, Page, Picture, Rows
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner, job

#: Method -> number of classes -> runs.
Results = dict[str, dict[int, list[dict[str, Any]]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Time every method on every draw, one after the other, and draw the means."""
    svg_charts.require()
    results = run(experiment, runner)
    picture = svg_charts.chart([_panel(experiment, results)], height=3.2)
    return Page(
        experiment.name,
        experiment.title,
        _intro(experiment),
        [
            Claims([_judge(claim, results) for claim in experiment.get("claims", ())]),
            Picture("Running time", experiment.name, picture, "Graph and iterations together, mean over draws."),
            _table(results),
            Rows("Methods", [{"method": name, "what": each["what"]} for name, each in experiment.methods.items()]),
        ],
    )


def run(experiment: Experiment, runner: Runner) -> Results:
    """The seconds of every run."""
    plan = [
        (method, classes, job("fit_time", {**settings, "classes": classes, "draw": number, "seed": number}, alone=True))
        for method, settings in experiment.methods.items()
        for classes in experiment["classes"]
        for number in range(experiment["repeats"])
    ]
    found = runner.run(experiment.name, [one for *_, one in plan])
    results: Results = {}
    for (method, classes, _), result in zip(plan, found, strict=True):
        results.setdefault(method, {}).setdefault(classes, []).append(result)
    return results


def seconds(results: Results, method: str, classes: int) -> float:
    """Graph and iterations together, mean over draws."""
    return float(np.mean([each["graph"] + each["fit"] for each in results[method][classes]]))


def _intro(experiment: Experiment) -> str:
    size = "quick run" if experiment.quick else "run"
    return f"{experiment['protocol']}\n\nDraws for each number of classes in this {size}: {experiment['repeats']}."


def _panel(experiment: Experiment, results: Results) -> svg_charts.Panel:
    lines = [
        svg_charts.Line(method, list(each), [seconds(results, method, classes) for classes in each], colour)
        for colour, (method, each) in enumerate(results.items())
    ]
    return svg_charts.Panel("Running time", "number of classes", "seconds", lines, ticks=experiment["classes"])


def _table(results: Results) -> Rows:
    rows = []
    for classes in next(iter(results.values())):
        row: dict[str, Any] = {"classes": classes}
        for method, each in results.items():
            row["samples"] = float(np.mean([run["samples"] for run in each[classes]]))
            row[f"{method}: graph"] = float(np.mean([run["graph"] for run in each[classes]]))
            row[f"{method}: iterations"] = float(np.mean([run["fit"] for run in each[classes]]))
        rows.append(row)
    return Rows("Seconds", rows)


def _judge(claim: dict[str, Any], results: Results) -> Claim:
    """``method`` takes less time than ``than``, at every number of classes or ``at`` one."""
    method, other = claim["method"], claim["than"]
    where = [claim["at"]] if "at" in claim else list(results[method])
    where = [classes for classes in where if classes in results[method]] or list(results[method])[-1:]
    pairs = {classes: (seconds(results, method, classes), seconds(results, other, classes)) for classes in where}
    place = f"with {where[0]} classes" if len(where) == 1 else "at every number of classes"
    return Claim(
        f"{method} takes less time than {other} {place}.",
        all(mine < theirs for mine, theirs in pairs.values()),
        "; ".join(f"{classes}: {mine:.2f} s against {theirs:.2f} s" for classes, (mine, theirs) in pairs.items()) + ".",
        claim.get("cause", ""),
    )
