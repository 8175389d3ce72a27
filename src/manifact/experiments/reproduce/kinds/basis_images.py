"""Basis vectors as images, and how sparse they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from manifact.backends import Array
from manifact.experiments.reproduce import svg_charts
from manifact.experiments.reproduce.comparison_page import Claim, Claims, Page, Picture, Rows, seeds
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.experiment_samples import dataset
from manifact.experiments.reproduce.job_runner import Runner, job

#: Method -> what the run of each seed gives.
Results = dict[str, list[dict[str, Any]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Learn the basis of every method from several starts; show the first, measure all."""
    svg_charts.require()
    results = run(experiment, runner)
    shape = dataset(experiment["common"]["data"]).image_shape
    assert shape is not None
    groups = [(method, _images(runs[0]["basis"], shape)) for method, runs in results.items()]
    caption = "White is 0; each image has its own darkest value. Heaviest parts first, from the first seed."
    rows = [
        {"method": method, "what": settings.get("what", ""), **_summary(results[method])}
        for method, settings in experiment.methods.items()
    ]
    note = (
        "Hoyer's sparseness of a basis vector: 0 where all pixels are equal, 1 where a single one is not zero. Over "
        "the vectors of all seeds."
    )
    return Page(
        experiment.name,
        experiment.title,
        _intro(experiment),
        [
            Claims(list(_claims(experiment, results))),
            Picture("Basis vectors", experiment.name, svg_charts.tiles(groups), caption),
            Rows("Sparseness", rows, note),
        ],
    )


def run(experiment: Experiment, runner: Runner) -> Results:
    """The bases of all methods from all seeds."""
    plan = [(method, seed) for method in experiment.methods for seed in range(experiment["seeds"])]
    jobs = [
        job("learned_basis", {**experiment.methods[method], "shown": experiment["shown"], "seed": seed}, part=method)
        for method, seed in plan
    ]
    results: Results = {}
    for (method, _), found in zip(plan, runner.run(experiment.name, jobs), strict=True):
        results.setdefault(method, []).append(found)
    return results


def _images(basis: Sequence[Sequence[float]], shape: tuple[int, int]) -> list[Array]:
    return [np.reshape(part, shape) for part in basis]


def _means(runs: Sequence[Mapping[str, Any]]) -> list[float]:
    """The mean sparseness of each seed."""
    return [float(np.mean(one["sparseness"])) for one in runs]


def _summary(runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    every = np.concatenate([one["sparseness"] for one in runs])
    return {
        "mean": float(every.mean()),
        "sd": float(every.std(ddof=1)),
        "lowest": float(every.min()),
        "highest": float(every.max()),
        "vectors": len(every),
    }


def _intro(experiment: Experiment) -> str:
    quick = " This is the quick run; without `--quick` there are more seeds." if experiment.quick else ""
    return f"{experiment['protocol']}\n\n{seeds(experiment['seeds'])}.{quick}"


def _claims(experiment: Experiment, results: Results) -> Iterator[Claim]:
    """The basis of ``method`` is sparser than that of ``than``."""
    for claim in experiment["claims"]:
        ours, other = (np.array(_means(results[claim[which]])) for which in ("method", "than"))
        evidence = (
            f"Mean sparseness {ours.mean():.3f} against {other.mean():.3f}; higher from {np.sum(ours > other)} of "
            f"{len(ours)} seeds."
        )
        text = f"{claim['method']}: basis vectors are sparser than with {claim['than']}."
        yield Claim(text, bool(ours.mean() > other.mean()), evidence, claim.get("cause", ""))
