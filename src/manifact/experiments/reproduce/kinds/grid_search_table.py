"""Clustering of whole data sets over grids of settings: rows are methods, columns are data sets.

As in the paper a method's number is the best mean over its grid, and so is chosen with the classes: an upper bound of
what one gets without them. Methods without a grid are not chosen at all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import ttest_ind

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
    Text,
    summary,
)
from manifact.experiments.reproduce.experiment_files import Experiment, Value, row_means
from manifact.experiments.reproduce.job_runner import Runner, job
from manifact.experiments.reproduce.kinds.clustering_table import SCORES
from manifact.experiments.reproduce.parameter_grids import choices

#: What differences are called significant at, as in the paper.
LEVEL = 0.05


@dataclass(frozen=True)
class Tried:
    """A point of a grid on one data set, with the results of its runs."""

    name: str
    runs: Sequence[Mapping[str, Any]]

    def values(self, score: str) -> list[float]:
        """A score of every clustering of every run, in percent."""
        return [100 * value for run in self.runs for value in run[SCORES[score]]]


#: Method -> data set -> its grid.
Results = dict[str, dict[str, list[Tried]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Run every method with every setting on every data set, and set the best means beside the paper's."""
    results = run(experiment, runner)
    blocks: list[Block] = [Claims(judge(experiment, results))]
    blocks += [_comparison(experiment, results, score) for score in experiment["scores"]]
    blocks += [_chosen(experiment, results, score) for score in experiment["scores"]]
    blocks += [Text(text["title"], text["text"]) for text in experiment.get("texts", ())]
    blocks.append(_methods(experiment, results))
    return Page(experiment.name, experiment.title, _intro(experiment), blocks)


def run(experiment: Experiment, runner: Runner) -> Results:
    """The results of every run."""
    plan = [
        (method, data, choice.name, job("clustering_scores", {**choice.settings, "seed": seed}, part=method))
        for method, settings in experiment.methods.items()
        for data, where in experiment.named("sets").items()
        for choice in choices({**where, **settings})
        for seed in range(experiment["seeds"])
    ]
    found = runner.run(experiment.name, [one for *_, one in plan])
    runs: dict[str, dict[str, dict[str, list[Mapping[str, Any]]]]] = {}
    for (method, data, name, _), result in zip(plan, found, strict=True):
        runs.setdefault(method, {}).setdefault(data, {}).setdefault(name, []).append(result)
    return {
        method: {data: [Tried(name, each) for name, each in tried.items()] for data, tried in sets.items()}
        for method, sets in runs.items()
    }


def best(tried: Sequence[Tried], score: str) -> Tried:
    """The point of the grid with the highest mean; the first of equals."""
    return max(tried, key=lambda one: float(np.mean(one.values(score))))


def judge(experiment: Experiment, results: Results) -> list[Claim]:
    """The experiment's claims: on how many data sets a method is above others, or how near its average is."""
    found = []
    for claim in experiment.get("claims", ()):
        for score in claim.get("scores", experiment["scores"]):
            if "than" in claim:
                found.append((_level if "points" in claim else _above)(claim, score, results))
            else:
                means = {method: _average(sets, score) for method, sets in results.items()}
                found.append(
                    claims.near(claim, score, means, row_means(experiment.paper(score), list(experiment.named("sets"))))
                )
    return found


def _above(claim: Mapping[str, Any], score: str, results: Results) -> Claim:
    method, others = claim["method"], list(claim["than"])
    sets = list(results[method])
    needed = claim.get("sets", len(sets))
    won, significant, evidence = 0, 0, []
    for data in sets:
        mine = best(results[method][data], score).values(score)
        rivals = {other: best(results[other][data], score).values(score) for other in others}
        rival = max(rivals, key=lambda other: float(np.mean(rivals[other])))
        won += np.mean(mine) > np.mean(rivals[rival])
        significant += np.mean(mine) > np.mean(rivals[rival]) and _differ(mine, rivals[rival])
        evidence.append(f"{data} {np.mean(mine):.1f} ({rival} {np.mean(rivals[rival]):.1f})")
    listed = others[0] if len(others) == 1 else f"each of {', '.join(others)}"
    return Claim(
        f"{method} is above {listed} in {score} on at least {needed} of {len(sets)} sets.",
        bool(won >= needed),
        f"On {won}, {significant} of them significant: {', '.join(evidence)}.",
        claim.get("cause", ""),
    )


def _level(claim: Mapping[str, Any], score: str, results: Results) -> Claim:
    """``method`` is at most ``points`` below each of ``than``, on every data set."""
    method, others, points = claim["method"], list(claim["than"]), claim["points"]
    behind, evidence = 0.0, []
    for data in results[method]:
        mine = float(np.mean(best(results[method][data], score).values(score)))
        rivals = {other: float(np.mean(best(results[other][data], score).values(score))) for other in others}
        behind = max(behind, *(rival - mine for rival in rivals.values()))
        evidence.append(f"{data} {mine:.1f} ({', '.join(f'{other} {rival:.1f}' for other, rival in rivals.items())})")
    return Claim(
        f"{method} is within {points} points of {', '.join(others)} in {score} or above.",
        behind <= points,
        f"{', '.join(evidence)}.",
        claim.get("cause", ""),
    )


def _differ(first: Sequence[float], second: Sequence[float]) -> bool:
    """Whether Welch's t-test tells the clusterings apart; never where one has no spread to judge by."""
    if min(len(first), len(second)) < 2 or not (np.ptp(first) or np.ptp(second)):
        return False
    return bool(ttest_ind(first, second, equal_var=False).pvalue < LEVEL)


def _average(sets: Mapping[str, Sequence[Tried]], score: str) -> float:
    return float(np.mean([np.mean(best(tried, score).values(score)) for tried in sets.values()]))


def _intro(experiment: Experiment) -> str:
    extent = (
        "This is the quick run: smaller grids than without `--quick`."
        if experiment.quick
        else "Grids are thinner than the paper's where the last table says so."
    )
    return (
        f"{experiment['protocol']}\n\n{extent} {MARKS_EXPLAINED} Significance is "
        "Welch's t-test over the clusterings at 0.05, against the best of the others: it knows nothing of the choice "
        "by labels, nor that clusterings of one factorisation belong together."
    )


def _comparison(experiment: Experiment, results: Results, score: str) -> Comparison:
    printed = experiment.paper(score)
    names = list(experiment.named("sets"))
    cells: dict[tuple[str, str], Cell] = {}
    for method, sets in results.items():
        for data in names:
            ours: Value | None = summary(best(sets[data], score).values(score), scale=1.0)
            cells[method, data] = Cell(printed.get(method, {}).get(data), ours)
    return Comparison(experiment.score_title(score), "method", list(results), names, cells)


def _chosen(experiment: Experiment, results: Results, score: str) -> Rows:
    rows = [
        {"method": method, **{data: best(tried, score).name for data, tried in sets.items()}}
        for method, sets in results.items()
        if any(len(tried) > 1 for tried in sets.values())
    ]
    return Rows(f"Settings chosen with the classes, by {experiment.score_title(score)}", rows)


def _methods(experiment: Experiment, results: Results) -> Rows:
    """What each row is, how much was tried and what it costs."""
    rows = []
    for method, settings in experiment.methods.items():
        sets = results[method]
        seconds = [run["seconds"] for tried in sets.values() for one in tried for run in one.runs]
        rows.append(
            {
                "row": method,
                "what": settings.get("what", ""),
                "grid": grid_words(settings),
                "settings tried": max(map(len, sets.values())),
                "median seconds": float(np.median(seconds)),
            }
        )
    return Rows("Methods", rows, "Seconds of one representation on one core, other jobs beside it, without k-means.")


def grid_words(settings: Mapping[str, Any]) -> str:
    """The axes of a method's grid, in words."""
    axes = settings.get("grid", [])
    return "; ".join(f"{axis['name']}: {', '.join(f'{value:g}' for value in axis['values'])}" for axis in axes)
