"""Clustering against one setting at a time: a curve for each method, a panel for each data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.experiments.reproduce import svg_charts, trends
from manifact.experiments.reproduce.comparison_page import Block, Claim, Claims, Page, Picture, Rows, seeds
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.experiment_samples import dataset
from manifact.experiments.reproduce.job_runner import Runner, job
from manifact.experiments.reproduce.jobs import Job
from manifact.experiments.reproduce.kinds.clustering_table import SCORES
from manifact.experiments.reproduce.parameter_grids import put
from manifact.experiments.reproduce.trends import Curve, Curves

#: Number of classes (0: the whole set) -> what a run gives.
Runs = dict[int, list[dict[str, Any]]]
#: (symbol of the sweep, data set, method, number of the value) -> runs.
Results = dict[tuple[str, str, str, int], Runs]


@dataclass(frozen=True)
class Sweep:
    """A setting and its values."""

    symbol: str
    #: Where the value goes: "parameters.graph_reg"; more than one take the same value.
    settings: Sequence[str]
    values: Sequence[float]
    methods: Sequence[str]
    log: bool = False
    #: What is set at each value, where that depends on the data set.
    steps: Mapping[str, Sequence[Any]] | None = None

    def apply(self, settings: Mapping[str, Any], panel: str, number: int) -> dict[str, Any]:
        """The settings with the value of that number in them."""
        changed = deepcopy(dict(settings))
        for place in self.settings:
            put(changed, place, self.steps[panel][number] if self.steps else self.values[number])
        return changed


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Run every method at every value, draw the averages, and ask them what the paper says."""
    svg_charts.require()
    results = run(experiment, runner)
    blocks: list[Block] = []
    for score in experiment["scores"]:
        curves = {sweep.symbol: curves_of(experiment, sweep, results, score) for sweep in sweeps(experiment)}
        blocks.append(_picture(experiment, curves, score))
        blocks += [_numbers(sweep, curves[sweep.symbol], score) for sweep in sweeps(experiment)]
    judged = list(_claims(experiment, results))
    if judged:
        blocks.insert(0, Claims(judged))
    blocks.append(_methods(experiment, results))
    return Page(experiment.name, experiment.title, _intro(experiment), blocks)


def sweeps(experiment: Experiment) -> list[Sweep]:
    """The sweeps of the page."""
    every = list(experiment.methods)
    return [Sweep(**{"methods": every, **sweep}) for sweep in experiment["sweeps"]]


def run(experiment: Experiment, runner: Runner) -> Results:
    """The results of every run; a method that the setting does not change has the same at every value."""
    plan = [
        ((sweep.symbol, panel, method, number), classes, one)
        for sweep in sweeps(experiment)
        for panel in panels_of(experiment)
        for method in sweep.methods
        for number in range(len(sweep.values))
        for classes, one in _jobs(experiment, sweep, panel, method, number)
    ]
    found = runner.run(experiment.name, [one for *_, one in plan])
    results: Results = {}
    for (place, classes, _), result in zip(plan, found, strict=True):
        results.setdefault(place, {}).setdefault(classes, []).append(result)
    return results


def settings_of(experiment: Experiment, panel: str, method: str) -> dict[str, Any]:
    """What a method is run with on a data set.

    A panel adds its plain settings to every method, and its tables (``graph``, ``parameters``) to those methods that
    have such a table.
    """
    own = {key: value for key, value in experiment.methods[method].items() if key != "varied"}
    for key, value in panels_of(experiment)[panel].items():
        if not isinstance(value, dict):
            own.setdefault(key, value)
        elif key in own:
            own[key] = {**value, **own[key]}
    return own


def average(runs: Runs, score: str) -> float:
    """The mean over numbers of classes of the means over draws, in percent."""
    return float(np.mean([np.mean(list(_values({classes: found}, score))) for classes, found in runs.items()]))


def curves_of(experiment: Experiment, sweep: Sweep, results: Results, score: str) -> Curves:
    """A curve for each data set and method."""
    return {
        panel: {method: _curve(sweep, panel, method, results, score) for method in sweep.methods}
        for panel in panels_of(experiment)
    }


def _curve(sweep: Sweep, panel: str, method: str, results: Results, score: str) -> Curve:
    runs = [results[sweep.symbol, panel, method, number] for number in range(len(sweep.values))]
    return Curve(sweep.values, [average(one, score) for one in runs], [list(_values(one, score)) for one in runs])


def _values(runs: Runs, score: str) -> Iterator[float]:
    for found in runs.values():
        yield from (100 * float(np.mean(result[SCORES[score]])) for result in found)


def panels_of(experiment: Experiment) -> dict[str, dict[str, Any]]:
    """The data sets of the page by the names it has for them."""
    return experiment.named("panels")


def _jobs(experiment: Experiment, sweep: Sweep, panel: str, method: str, number: int) -> Iterable[tuple[int, Job]]:
    settings = settings_of(experiment, panel, method)
    if experiment.methods[method].get("varied", True):
        settings = sweep.apply(settings, panel, number)
    rows = experiment.get("classes", {}).get(panel, [])
    if not rows:
        return [
            (0, job("clustering_scores", {**settings, "seed": seed}, part=method))
            for seed in range(experiment["draws"])
        ]
    # The same jobs as those of the tables: what is done there is not done again.
    return [
        (classes, job("clustering_scores", {**settings, "classes": classes, "draw": seed, "seed": seed}))
        for classes in rows
        for seed in range(experiment["whole" if _is_whole(settings, classes) else "draws"])
    ]


def _is_whole(settings: Mapping[str, Any], classes: int) -> bool:
    return bool(classes >= min(settings.get("largest") or np.inf, dataset(settings["data"]).n_classes))


def _has_whole(experiment: Experiment) -> bool:
    panels = panels_of(experiment)
    rows = experiment.get("classes", {})
    return any(_is_whole(panels[name], classes) for name in panels for classes in rows.get(name, ()))


def _intro(experiment: Experiment) -> str:
    rows = experiment.get("classes", {})
    if rows:
        subsets = "; ".join(f"{panel}: {', '.join(map(str, classes))}" for panel, classes in rows.items())
        extent = f"{experiment['draws']} draws of classes for each number of classes ({subsets}), averaged"
        extent += f"; {seeds(experiment['whole'])} with all classes." if _has_whole(experiment) else "."
    else:
        extent = f"{seeds(experiment['draws'])} on the whole of each data set."
    quick = " This is the quick run; without `--quick` there are more." if experiment.quick else ""
    return f"{experiment['protocol']}\n\n{extent}{quick}"


def _picture(experiment: Experiment, curves: Mapping[str, Curves], score: str) -> Picture:
    panels = [
        _panel(experiment, sweep, name, methods, score)
        for sweep in sweeps(experiment)
        for name, methods in curves[sweep.symbol].items()
    ]
    name = (
        experiment.name if score == experiment["scores"][0] else f"{experiment.name}-{score.lower().replace(' ', '-')}"
    )
    columns = 2 if len(panels) > 3 else 1
    return Picture(f"{score} (%)", name, svg_charts.chart(panels, columns), experiment.get("caption", ""))


def _panel(
    experiment: Experiment, sweep: Sweep, name: str, methods: Mapping[str, Curve], score: str
) -> svg_charts.Panel:
    lines = []
    for method, curve in methods.items():
        varied = experiment.methods[method].get("varied", True)
        colour = list(experiment.methods).index(method)
        lines.append(svg_charts.Line(method, curve.x, curve.means, colour, dashed=not varied, marked=varied))
    return svg_charts.Panel(
        name, sweep.symbol, f"{score} (%)", lines, log="x" if sweep.log else "", ticks=_ticks(sweep)
    )


def _ticks(sweep: Sweep) -> Sequence[float]:
    return () if sweep.log else sweep.values if len(sweep.values) < 7 else sweep.values[::2]


def _numbers(sweep: Sweep, curves: Curves, score: str) -> Rows:
    rows = [
        {"data": panel, "method": method}
        | {f"{sweep.symbol} = {x:g}": f"{mean:.1f}" for x, mean in zip(curve.x, curve.means, strict=True)}
        for panel, methods in curves.items()
        for method, curve in methods.items()
    ]
    return Rows(f"{score} (%) against {sweep.symbol}", rows)


def _claims(experiment: Experiment, results: Results) -> Iterator[Claim]:
    known = {sweep.symbol: sweep for sweep in sweeps(experiment)}
    for claim in experiment.get("claims", ()):
        for score in claim.get("scores", experiment["scores"]):
            curves = {symbol: curves_of(experiment, sweep, results, score) for symbol, sweep in known.items()}
            symbol = claim.get("sweep", next(iter(known)))
            if claim["rule"] == "best differs":
                yield trends.judge_best_differ(score, symbol, claim["method"], curves[symbol])
            elif claim["rule"] == "sensitive":
                yield trends.judge_sensitivity(score, claim["method"], symbol, curves, claim.get("cause", ""))
            else:
                yield trends.judge(claim, score, symbol, curves[symbol])


def _methods(experiment: Experiment, results: Results) -> Rows:
    """What each line is, and what it costs."""
    seconds: dict[str, list[float]] = {}
    for (_, _, method, _), runs in results.items():
        seconds.setdefault(method, []).extend(result["seconds"] for found in runs.values() for result in found)
    rows = [
        {"line": method, "what": settings.get("what", ""), "median seconds": float(np.median(seconds[method]))}
        for method, settings in experiment.methods.items()
        if method in seconds
    ]
    return Rows("Lines", rows, "Seconds of one representation on one core, other jobs beside it, without k-means.")
