"""Basis vectors among the points of the plane, and how far they are from the centres of the clusters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.datasets import Dataset
from manifact.experiments.reproduce import svg_charts
from manifact.experiments.reproduce.comparison_page import Claim, Claims, Page, Picture, Rows
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.experiment_samples import dataset
from manifact.experiments.reproduce.job_runner import Runner, job

#: Method -> for each draw of the data: distances of the basis, of its rays, and AC.
Results = dict[str, list[dict[str, Any]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Learn a basis from every draw of the data; show the first, measure all."""
    svg_charts.require()
    results = run(experiment, runner)
    panels = [_panel(experiment, method, runs[0]) for method, runs in results.items()]
    caption = "The first draw; diamonds are basis vectors."
    note = (
        "Distance of a basis vector to the nearest cluster's mean, and of a mean to the nearest ray through a basis "
        "vector: the length of NMF's vectors is arbitrary, their direction is not. AC (%): k-means on V. Means over "
        "the draws; the clusters' standard deviation is 0.35."
    )
    rows = [
        {
            "method": method,
            "what": experiment.methods[method].get("what", ""),
            "to the nearest mean": _mean(runs, "distance"),
            "from a mean to the nearest ray": _mean(runs, "ray"),
            "AC": 100 * _mean(runs, "AC"),
        }
        for method, runs in results.items()
    ]
    quick = " This is the quick run." if experiment.quick else ""
    return Page(
        experiment.name,
        experiment.title,
        f"{experiment['protocol']}\n\nDraws of the data: {experiment['draws']}.{quick}",
        [
            Claims(list(_claims(experiment, results))),
            Picture("Bases", experiment.name, svg_charts.chart(panels, 2, 2.8), caption),
            Rows("Numbers", rows, note),
        ],
    )


def run(experiment: Experiment, runner: Runner) -> Results:
    """The measures of all methods on all draws."""
    plan = [(method, number) for method in experiment.methods for number in range(experiment["draws"])]
    jobs = [
        job(task, {**experiment.methods[method], "data": f"{experiment['data']} {number}", "seed": number})
        for task in ("learned_basis", "clustering_scores")
        for method, number in plan
    ]
    found = runner.run(experiment.name, jobs)
    results: Results = {}
    for (method, number), basis, clusters in zip(plan, found, found[len(plan) :], strict=False):
        centres = class_means(dataset(f"{experiment['data']} {number}"))
        U = np.array(basis["basis"])
        results.setdefault(method, []).append(
            {"basis": U, "distance": _to_nearest(U, centres), "ray": _to_rays(U, centres), "AC": clusters["AC"][0]}
        )
    return results


def class_means(data: Dataset) -> Array:
    """The mean of each class."""
    return np.array([data.X[data.y == number].mean(axis=0) for number in np.unique(data.y)])


def _to_nearest(U: Array, centres: Array) -> float:
    """The mean distance of the rows of U to the nearest centre."""
    return float(np.linalg.norm(U[:, None] - centres, axis=2).min(axis=1).mean())


def _to_rays(U: Array, centres: Array) -> float:
    """The mean distance of the centres to the nearest ray through a row of U."""
    directions = U / np.maximum(np.linalg.norm(U, axis=1, keepdims=True), np.finfo(float).tiny)
    along = np.maximum(centres @ directions.T, 0)
    return float(np.linalg.norm(centres[:, None] - along[:, :, None] * directions, axis=2).min(axis=1).mean())


def _mean(runs: Sequence[Mapping[str, Any]], measure: str) -> float:
    return float(np.mean([one[measure] for one in runs]))


def _panel(experiment: Experiment, method: str, first: Mapping[str, Any]) -> svg_charts.Panel:
    data = dataset(f"{experiment['data']} 0")
    clouds = [
        svg_charts.Points("", data.X[data.y == number, 0].tolist(), data.X[data.y == number, 1].tolist(), number + 1)
        for number in np.unique(data.y).tolist()
    ]
    diamonds = svg_charts.Points("", first["basis"][:, 0].tolist(), first["basis"][:, 1].tolist(), 0, diamonds=True)
    return svg_charts.Panel(method, "", "", points=[*clouds, diamonds])


def _claims(experiment: Experiment, results: Results) -> Iterator[Claim]:
    for claim in experiment["claims"]:
        distances = {method: _mean(results[method], "distance") for method in results}
        scores = {method: 100 * _mean(results[method], "AC") for method in results}
        ours, other, cause = claim["method"], claim["than"], claim.get("cause", "")
        yield Claim(
            f"{ours}'s basis vectors reside in the cluster centres (nearer than {claim['within']}).",
            distances[ours] < claim["within"],
            f"Mean distance {distances[ours]:.3f}.",
            cause,
        )
        yield Claim(
            f"{other}'s are farther away.",
            distances[other] > distances[ours],
            f"Mean distance {distances[other]:.3f}; from a mean to the nearest ray {_mean(results[other], 'ray'):.3f}.",
        )
        yield Claim(
            f"{ours} clusters better than {other}.",
            scores[ours] > scores[other],
            f"AC {scores[ours]:.1f} against {scores[other]:.1f}.",
            claim.get("tie", ""),
        )
