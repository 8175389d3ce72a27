"""Clustering of classes drawn at random: rows are numbers of classes, columns are methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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
from manifact.experiments.reproduce.experiment_files import Experiment, Value
from manifact.experiments.reproduce.job_runner import Runner, job

#: What the tables call a score -> what a run calls it.
SCORES = {"AC": "AC", "NMI": "NMI max", "NMI sqrt": "NMI sqrt", "best AC": "best AC", "best NMI": "best NMI max"}
AVERAGE = "Avg."

#: Method -> number of classes -> draw -> score of a run -> values.
Results = dict[str, dict[int, list[dict[str, Any]]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Run every method on every draw and set the averages beside the paper's."""
    results = run(experiment, runner)
    blocks: list[Block] = [_comparison(experiment, results, score) for score in experiment["scores"]]
    judged = list(_claims(experiment, results))
    if judged:
        blocks.insert(0, Claims(judged))
    blocks.append(_methods(experiment, results))
    return Page(experiment.name, experiment.title, intro(experiment), blocks)


def run(experiment: Experiment, runner: Runner) -> Results:
    """The results of every run."""
    plan = [
        (
            method,
            classes,
            job("clustering_scores", {**settings, "classes": classes, "draw": draw, "seed": draw}),
        )
        for method, settings in experiment.methods.items()
        for classes in experiment["classes"]
        for draw in range(_draws(experiment, settings, classes))
    ]
    found = runner.run(experiment.name, [one for *_, one in plan])
    results: Results = {}
    for (method, classes, _), result in zip(plan, found, strict=True):
        results.setdefault(method, {}).setdefault(classes, []).append(result)
    return results


def intro(experiment: Experiment) -> str:
    """What the paper did, what we do, and how to read a cell."""
    draws = experiment["repeats"]
    extent = (
        f"This is the quick run ({draws} draws a row); without `--quick` there are more."
        if experiment.quick
        else f"{draws} draws of classes a row, the same for every method."
    )
    whole = f" The row of all classes has {experiment['whole']} seeds." if "whole" in experiment.content else ""
    return f"{experiment['protocol']}\n\n{extent}{whole} {MARKS_EXPLAINED}"


def values(results: Results, method: str, classes: int, score: str) -> list[float]:
    """A score of every run."""
    return [float(np.mean(result[SCORES[score]])) for result in results[method][classes]]


def averages(experiment: Experiment, results: Results, score: str) -> dict[str, float]:
    """The mean over rows of each method, in percent: the paper's last line."""
    rows = experiment["classes"]
    return {
        method: 100 * float(np.mean([np.mean(values(results, method, classes, score)) for classes in rows]))
        for method in results
    }


def _draws(experiment: Experiment, settings: Mapping[str, Any], classes: int) -> int:
    """How many there are of a row; a method may ask for the first few alone."""
    whole = classes >= experiment.get("largest_row", np.inf)
    return min(int(experiment["whole" if whole else "repeats"]), int(settings.get("repeats", experiment["repeats"])))


def _on_common_draws(results: Results, methods: Sequence[str]) -> Results:
    """The results of some methods on the draws that all of them have."""
    fewest = {classes: min(len(results[method][classes]) for method in methods) for classes in results[methods[0]]}
    return {method: {row: runs[: fewest[row]] for row, runs in results[method].items()} for method in methods}


def paper_averages(experiment: Experiment, score: str) -> dict[str, Value]:
    """The paper's averages over the rows that were run; its own last line if those are all."""
    printed = experiment.paper(score)
    rows = [str(classes) for classes in experiment["classes"]]
    if AVERAGE in printed and set(printed) - {AVERAGE} == set(rows):
        return {method: value for method, value in printed[AVERAGE].items() if value is not None}
    found: dict[str, list[float]] = {}
    for row in rows:
        for method, value in printed.get(row, {}).items():
            if value is not None:
                found.setdefault(method, []).append(value.mean)
    return {method: Value(float(np.mean(means))) for method, means in found.items() if len(means) == len(rows)}


def _means(printed: Mapping[str, Value]) -> dict[str, float]:
    return {method: value.mean for method, value in printed.items()}


def _comparison(experiment: Experiment, results: Results, score: str) -> Comparison:
    printed = experiment.paper(score)
    cells: dict[tuple[str, str], Cell] = {}
    for method in results:
        for classes in experiment["classes"]:
            paper = printed.get(str(classes), {}).get(method)
            cells[str(classes), method] = Cell(paper, summary(values(results, method, classes, score)))
    printed_averages = paper_averages(experiment, score)
    for method, mean in averages(experiment, results, score).items():
        cells[AVERAGE, method] = Cell(printed_averages.get(method), Value(mean))
    rows = [*map(str, experiment["classes"]), AVERAGE]
    return Comparison(experiment.score_title(score), "K", rows, list(results), cells)


def _claims(experiment: Experiment, results: Results) -> list[Claim]:
    found = []
    for claim in experiment.get("claims", ()):
        compared = _on_common_draws(results, [claim["method"], *claim.get("than", ())])
        for score in claim.get("scores", experiment["scores"]):
            ours, paper = averages(experiment, compared, score), _means(paper_averages(experiment, score))
            found.append(claims.judge(claim, score, ours, _runs(compared, score), paper))
    return found


def _runs(results: Results, score: str) -> dict[str, list[float]]:
    return {
        method: [100 * value for classes in rows for value in values(results, method, classes, score)]
        for method, rows in results.items()
    }


def _methods(experiment: Experiment, results: Results) -> Rows:
    """What each column is, and what it costs."""
    rows = []
    for method, settings in experiment.methods.items():
        seconds = [result["seconds"] for runs in results[method].values() for result in runs]
        rows.append({"column": method, "what": settings.get("what", ""), "median seconds": float(np.median(seconds))})
    return Rows("Methods", rows, "Seconds of one representation on one core, other jobs beside it, without k-means.")
