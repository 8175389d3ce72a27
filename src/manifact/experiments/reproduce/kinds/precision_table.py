"""Classification by the nearest neighbour: rows are methods, columns are numbers of training samples of each class.

Settings and dimensions are chosen on the validation set (stage one), and judged on samples that were no part of it
(stage two), with the same training sets for every method.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from manifact.experiments.reproduce import claims
from manifact.experiments.reproduce.comparison_page import (
    MARKS_EXPLAINED,
    Block,
    Cell,
    Claim,
    Claims,
    Comparison,
    Page,
    Rows,
    summary,
)
from manifact.experiments.reproduce.experiment_files import Experiment, row_means
from manifact.experiments.reproduce.job_runner import Runner, job
from manifact.experiments.reproduce.jobs import Job
from manifact.experiments.reproduce.kinds.grid_search_table import grid_words
from manifact.experiments.reproduce.parameter_grids import Choice, choices

SCORE = "precision"


@dataclass(frozen=True)
class Chosen:
    """The setting and the number of dimensions with the highest mean precision on the validation set."""

    choice: Choice
    size: int
    validation: float


#: Method -> training samples of each class -> what was chosen, or the precisions of the tests.
Choices = dict[str, dict[int, Chosen]]
Tests = dict[str, dict[int, list[float]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Choose on the validation set, test, and set the means beside the paper's."""
    chosen, seconds = choose(experiment, runner)
    tests = test(experiment, runner, chosen)
    blocks: list[Block] = [
        Claims(_judge(experiment, tests)),
        _comparison(experiment, chosen, tests),
        _chosen(chosen),
        _methods(experiment, seconds),
    ]
    return Page(experiment.name, experiment.title, _intro(experiment), blocks)


def choose(experiment: Experiment, runner: Runner) -> tuple[Choices, dict[str, float]]:
    """For every method and number of training samples the best on the validation set; and seconds of a run."""
    plan = [
        (method, train, choice, precision_job(choice.settings, train, "validation", repeat))
        for method, settings in experiment.methods.items()
        for train in experiment["train"]
        for choice in choices(settings)
        for repeat in range(experiment["validations"])
    ]
    found = runner.run(f"{experiment.name}: choosing", [one for *_, one in plan])
    means: dict[tuple[str, int], dict[tuple[str, int], list[float]]] = {}
    points: dict[tuple[str, str], Choice] = {}
    seconds: dict[str, list[float]] = {}
    for (method, train, choice, _), result in zip(plan, found, strict=True):
        points[method, choice.name] = choice
        seconds.setdefault(method, []).append(result["seconds"] / len(result["dimensions"]))
        for size, value in zip(result["dimensions"], result["precision"], strict=True):
            means.setdefault((method, train), {}).setdefault((choice.name, size), []).append(value)
    chosen: Choices = {}
    for (method, train), tried in means.items():
        name, size = max(tried, key=lambda point: float(np.mean(tried[point])))
        best = Chosen(points[method, name], size, 100 * float(np.mean(tried[name, size])))
        chosen.setdefault(method, {})[train] = best
    return chosen, {method: float(np.median(each)) for method, each in seconds.items()}


def test(experiment: Experiment, runner: Runner, chosen: Choices) -> Tests:
    """The precisions of what was chosen, on samples that are neither training samples nor in the validation set."""
    plan = [
        (method, train, precision_job({**best.choice.settings, "dimensions": [best.size]}, train, "test", repeat))
        for method, each in chosen.items()
        for train, best in each.items()
        for repeat in range(experiment["tests"])
    ]
    found = runner.run(f"{experiment.name}: testing", [one for *_, one in plan])
    tests: Tests = {}
    for (method, train, _), result in zip(plan, found, strict=True):
        tests.setdefault(method, {}).setdefault(train, []).append(100 * result["precision"][-1])
    return tests


def precision_job(settings: Mapping[str, Any], train: int, stage: str, repeat: int) -> Job:
    """A job of the precision task; those with the same training samples run in one process."""
    whole = {**settings, "train": train, "stage": stage, "repeat": repeat}
    return job("nearest_precision", whole, part=f"{train} {stage} {repeat}")


def _judge(experiment: Experiment, tests: Tests) -> list[Claim]:
    """The experiment's claims, on averages over the columns, paired over training sets."""
    means = {method: float(np.mean([np.mean(runs) for runs in each.values()])) for method, each in tests.items()}
    runs = {method: [value for each in columns.values() for value in each] for method, columns in tests.items()}
    paper = row_means(experiment.paper(SCORE), [str(train) for train in experiment["train"]])
    return [claims.judge(claim, SCORE, means, runs, paper) for claim in experiment.get("claims", ())]


def _intro(experiment: Experiment) -> str:
    extent = f"{experiment['validations']} training sets to choose by, {experiment['tests']} to test"
    quick = "This is the quick run, with thin grids" if experiment.quick else "Grids are as the last table says"
    return (
        f"{experiment['protocol']}\n\n{quick}: {extent}. {MARKS_EXPLAINED} The number of dimensions is in "
        "brackets. Tests are paired t-tests over the same training sets."
    )


def _comparison(experiment: Experiment, chosen: Choices, tests: Tests) -> Comparison:
    printed = experiment.printed.get(SCORE, {})
    cells: dict[tuple[str, str], Cell] = {}
    for method, columns in tests.items():
        for train, values in columns.items():
            ours = summary(values, scale=1.0)
            assert ours is not None
            paper = printed.get(method, {}).get(str(train))
            cells[method, str(train)] = Cell(paper, replace(ours, size=chosen[method][train].size))
    columns_ = [str(train) for train in experiment["train"]]
    note = "Columns: training samples of each class."
    return Comparison("Precision (%)", "method", list(tests), columns_, cells, note)


def _chosen(chosen: Choices) -> Rows:
    rows = [
        {"method": method}
        | {
            str(train): ", ".join(filter(None, (best.choice.name, f"p = {best.size}"))) + f" ({best.validation:.1f})"
            for train, best in each.items()
        }
        for method, each in chosen.items()
    ]
    return Rows("Settings chosen on the validation set", rows, "In brackets: mean precision on the validation set.")


def _methods(experiment: Experiment, seconds: Mapping[str, float]) -> Rows:
    """What each row is, what was tried and what it costs."""
    rows = [
        {
            "row": method,
            "what": settings.get("what", ""),
            "grid": grid_words(settings),
            "dimensions": ", ".join(map(str, settings["dimensions"])),
            "seconds": seconds[method],
        }
        for method, settings in experiment.methods.items()
    ]
    note = (
        "Dimensions are tried as far as a method can have them, and the most it can have. Seconds: median of one "
        "projection with its classification, on one core, other jobs beside it."
    )
    return Rows("Methods", rows, note)
