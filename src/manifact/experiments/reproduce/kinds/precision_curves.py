"""Precision of the nearest neighbour over the number of dimensions, settings fixed: a panel for each data set."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.experiments.reproduce import svg_charts
from manifact.experiments.reproduce.claims import paired
from manifact.experiments.reproduce.comparison_page import Block, Claim, Claims, Page, Picture, Rows
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.kinds.precision_table import precision_job

#: Data set -> method -> number of dimensions -> precision of every test, in percent.
Curves = dict[str, dict[str, dict[int, list[float]]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Test every method with every number of dimensions and draw the means."""
    svg_charts.require()
    curves = run(experiment, runner)
    picture = svg_charts.chart([_panel(name, methods) for name, methods in curves.items()], columns=2)
    blocks: list[Block] = [
        Claims(_judge(experiment, curves)),
        Picture("Precision over dimensions", experiment.name, picture, "Means over tests, in percent."),
        *(_table(name, methods) for name, methods in curves.items()),
        Rows("Methods", [{"method": name, "what": each.get("what", "")} for name, each in experiment.methods.items()]),
    ]
    return Page(experiment.name, experiment.title, _intro(experiment), blocks)


def run(experiment: Experiment, runner: Runner) -> Curves:
    """The precision of every test."""
    plan = [
        (data, method, precision_job({**where, **settings}, where["train"], "test", repeat))
        for data, where in experiment.named("sets").items()
        for method, settings in experiment.methods.items()
        for repeat in range(experiment["tests"])
    ]
    found = runner.run(experiment.name, [one for *_, one in plan])
    curves: Curves = {}
    for (data, method, _), result in zip(plan, found, strict=True):
        curve = curves.setdefault(data, {}).setdefault(method, {})
        for size, value in zip(result["dimensions"], result["precision"], strict=True):
            curve.setdefault(size, []).append(100 * value)
    return curves


def _intro(experiment: Experiment) -> str:
    size = "This is the quick run: few dimensions and " if experiment.quick else ""
    return f"{experiment['protocol']}\n\n{size}{experiment['tests']} tests, the same training sets for every method."


def _panel(name: str, methods: dict[str, dict[int, list[float]]]) -> svg_charts.Panel:
    lines = [
        svg_charts.Line(method, list(curve), [float(np.mean(values)) for values in curve.values()], colour)
        for colour, (method, curve) in enumerate(methods.items())
    ]
    return svg_charts.Panel(name, "dimensions", "precision (%)", lines)


def _table(name: str, methods: dict[str, dict[int, list[float]]]) -> Rows:
    sizes = sorted({size for curve in methods.values() for size in curve})
    rows: list[dict[str, Any]] = []
    for size in sizes:
        means = {method: f"{np.mean(curve[size]):.1f}" if size in curve else "" for method, curve in methods.items()}
        rows.append({"dimensions": size, **means})
    return Rows(f"{name}: precision (%)", rows)


def _judge(experiment: Experiment, curves: Curves) -> list[Claim]:
    return [
        _above(claim, curves) if "than" in claim else _inner(claim["method"], claim.get("cause", ""), curves)
        for claim in experiment.get("claims", ())
    ]


def _above(claim: dict[str, Any], curves: Curves) -> Claim:
    """``method`` is above ``than`` on average over the dimensions that both have, on at least ``sets`` data sets."""
    method, other = claim["method"], claim["than"]
    needed = min(claim.get("sets", len(curves)), len(curves))
    won, evidence = 0, []
    for name, methods in curves.items():
        shared = [size for size in methods[method] if size in methods[other]]
        # One training set at several dimensions is no independent run: each counts once, with its mean.
        mine, theirs = (np.mean([methods[who][size] for size in shared], axis=0) for who in (method, other))
        won += np.mean(mine) > np.mean(theirs)
        evidence.append(f"{name} {np.mean(mine):.1f} against {np.mean(theirs):.1f} ({paired(mine, theirs)})")
    return Claim(
        f"{method} is above {other}, on average over dimensions, on at least {needed} of {len(curves)} sets.",
        bool(won >= needed),
        f"On {won}: {'; '.join(evidence)}.",
        claim.get("cause", ""),
    )


def _inner(method: str, cause: str, curves: Curves) -> Claim:
    """The best number of dimensions is neither the smallest nor the largest."""
    best = {name: _best(methods[method]) for name, methods in curves.items()}
    ends = {name: (min(methods[method]), max(methods[method])) for name, methods in curves.items()}
    return Claim(
        f"{method} is best at a number of dimensions between the ends of the range, on every set.",
        all(best[name] not in ends[name] for name in curves),
        ", ".join(f"{name}: {size}" for name, size in best.items()) + ".",
        cause,
    )


def _best(curve: dict[int, list[float]]) -> int:
    return max(curve, key=lambda size: float(np.mean(curve[size])))
