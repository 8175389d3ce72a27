"""Seconds of one iteration: rows are methods, columns are data sets, and what can be compared are their ratios."""

from __future__ import annotations

import numpy as np

from manifact.experiments.reproduce.comparison_page import Cell, Claim, Claims, Comparison, Page, Rows
from manifact.experiments.reproduce.experiment_files import Experiment, Value
from manifact.experiments.reproduce.job_runner import Runner, job

#: Method -> data set -> seconds of an iteration.
Seconds = dict[str, dict[str, float]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Time every method on every data set, one after the other, and set the ratios beside the paper's."""
    ours = run(experiment, runner)
    paper = {
        method: {data: value.mean for data, value in row.items() if value is not None}
        for method, row in experiment.printed["seconds"].items()
    }
    base, names = experiment["base"], list(experiment.named("sets"))
    ratios = {
        (method, data): Cell(_ratio(paper, method, base, data), _ratio(ours, method, base, data))
        for method in ours
        for data in names
        if method != base
    }
    seconds = {
        (method, data): Cell(_value(paper, method, data), _value(ours, method, data))
        for method in ours
        for data in names
    }
    rows = [method for method in ours if method != base]
    return Page(
        experiment.name,
        experiment.title,
        _intro(experiment),
        [
            Claims(_judge(experiment, ours, paper)),
            Comparison(f"Times {base}'s seconds", "method", rows, names, ratios, digits=2),
            Comparison("Seconds of an iteration", "method", list(ours), names, seconds, digits=4),
            Rows("Methods", [{"row": name, "what": each.get("what", "")} for name, each in experiment.methods.items()]),
        ],
    )


def run(experiment: Experiment, runner: Runner) -> Seconds:
    """Seconds of an iteration, the least of a few tries: what else the machine does can only add to it."""
    plan = [
        (
            method,
            data,
            job("iteration_time", {**where, **settings, "steps": experiment["steps"], "try": number}, alone=True),
        )
        for method, settings in experiment.methods.items()
        for data, where in experiment.named("sets").items()
        for number in range(experiment["tries"])
    ]
    found = runner.run(experiment.name, [one for *_, one in plan])
    tries: dict[str, dict[str, list[float]]] = {}
    for (method, data, _), result in zip(plan, found, strict=True):
        tries.setdefault(method, {}).setdefault(data, []).append(result["seconds"])
    return {method: {data: min(each) for data, each in sets.items()} for method, sets in tries.items()}


def _value(seconds: Seconds, method: str, data: str) -> Value | None:
    return Value(seconds[method][data]) if method in seconds else None


def _ratio(seconds: Seconds, method: str, base: str, data: str) -> Value | None:
    return Value(seconds[method][data] / seconds[base][data]) if method in seconds else None


def _intro(experiment: Experiment) -> str:
    return (
        f"{experiment['protocol']}\n\nMean over {experiment['steps']} iterations, the least of {experiment['tries']} "
        f"tries{', the quick run' if experiment.quick else ''}. A cell is the paper's number → **ours**, then the "
        "difference."
    )


def _judge(experiment: Experiment, ours: Seconds, paper: Seconds) -> list[Claim]:
    """``method`` costs at most ``times`` what ``than`` does, on average over the sets; and the paper's own factor."""
    found = []
    for claim in experiment.get("claims", ()):
        method, other = claim["method"], claim["than"]
        factor = float(np.mean([ours[method][data] / ours[other][data] for data in ours[method]]))
        printed = [paper[method][data] / paper[other][data] for data in ours[method]] if method in paper else []
        beside = f" (paper: {np.mean(printed):.2f} times)" if printed else ""
        found.append(
            Claim(
                f"An iteration of {method} takes at most {claim['times']} times as long as one of {other}, on average.",
                factor <= claim["times"],
                f"{factor:.2f} times{beside}.",
                claim.get("cause", ""),
            )
        )
    return found
