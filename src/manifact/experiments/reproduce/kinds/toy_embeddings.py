"""Toy data on a line: where each method puts the samples, and whether the classes stay apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from manifact.experiments.reproduce import svg_charts
from manifact.experiments.reproduce.comparison_page import Claim, Claims, Page, Picture, Rows, summary
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.experiment_samples import dataset
from manifact.experiments.reproduce.job_runner import Runner, job
from manifact.experiments.reproduce.kinds.parameter_sweep import panels_of, settings_of

#: What is measured -> what it is called.
MEASURES = {"overlap": "overlap", "threshold": "best threshold", "AC": "k-means AC"}
#: Toy set -> method -> what the run on each draw gives.
Results = dict[str, dict[str, list[dict[str, Any]]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Embed every draw of every toy set by every method; show the first draw, measure all."""
    svg_charts.require()
    results = run(experiment, runner)
    pictures = [_picture(experiment, name, found) for name, found in results.items()]
    note = (
        "Overlap: the part of the two classes' histograms that coincides (40 bins, 0 is apart). Best threshold: the "
        "accuracy of the best cut of the line. k-means AC: the accuracy of two clusters found by k-means. In percent, "
        "mean ± standard deviation over the draws of the data."
    )
    rows = [
        {"data": name, "method": method, **{title: _cell(runs, key) for key, title in MEASURES.items()}}
        for name, found in results.items()
        for method, runs in found.items()
    ]
    lines = [{"method": name, "what": settings.get("what", "")} for name, settings in experiment.methods.items()]
    return Page(
        experiment.name,
        experiment.title,
        _intro(experiment),
        [Claims(list(_claims(experiment, results))), *pictures, Rows("Numbers", rows, note), Rows("Methods", lines)],
    )


def run(experiment: Experiment, runner: Runner) -> Results:
    """The embeddings of all draws."""
    plan = [
        (name, method, number)
        for name in panels_of(experiment)
        for method in experiment.methods
        for number in range(experiment["draws"])
    ]
    jobs = []
    for name, method, number in plan:
        settings = settings_of(experiment, name, method)
        jobs.append(job("line_embedding", {**settings, "data": f"{settings['data']} {number}", "seed": number}))
    results: Results = {}
    for (name, method, _), found in zip(plan, runner.run(experiment.name, jobs), strict=True):
        results.setdefault(name, {}).setdefault(method, []).append(found)
    return results


def _mean(runs: Sequence[Mapping[str, Any]], measure: str) -> float:
    return 100 * float(np.mean([one[measure] for one in runs]))


def _cell(runs: Sequence[Mapping[str, Any]], measure: str) -> str:
    found = summary(one[measure] for one in runs)
    assert found is not None
    return f"{found.mean:.1f}" + ("" if found.sd is None else f"±{found.sd:.1f}")


def _intro(experiment: Experiment) -> str:
    quick = " This is the quick run." if experiment.quick else ""
    return f"{experiment['protocol']}\n\nDraws of the data: {experiment['draws']}.{quick}"


def _picture(experiment: Experiment, name: str, found: Mapping[str, Sequence[Mapping[str, Any]]]) -> Picture:
    data = dataset(f"{panels_of(experiment)[name]['data']} 0")
    labels = experiment["labels"][name]
    plane = [
        svg_charts.Points(label, data.X[data.y == number, 0].tolist(), data.X[data.y == number, 1].tolist(), number + 1)
        for number, label in enumerate(labels)
    ]
    panels = [svg_charts.Panel("the data", "", "", points=plane, equal=True)]
    for method, runs in found.items():
        line, classes = np.array(runs[0]["line"]), np.array(runs[0]["classes"])
        points = [
            svg_charts.Points(
                label, np.flatnonzero(classes == number).tolist(), line[classes == number].tolist(), number + 1
            )
            for number, label in enumerate(labels)
        ]
        panels.append(svg_charts.Panel(method, "sample", "", points=points))
    caption = "The first draw: the data, then the one coordinate that each method gives to each sample."
    return Picture(name, f"{experiment.name}-{name.replace(' ', '-')}", svg_charts.chart(panels, 2, 2.0), caption)


def _claims(experiment: Experiment, results: Results) -> Iterator[Claim]:
    for claim in experiment["claims"]:
        if "printed" in claim:
            yield _near(claim, results)
        elif "without" in claim:
            yield _matters(claim, results)
        else:
            yield _apart(claim, results)


def _apart(claim: Mapping[str, Any], results: Results) -> Claim:
    """``method`` has less overlap than each of ``than``, on every toy set."""
    method, others = claim["method"], claim["than"]
    found = {name: {one: _mean(runs[one], "overlap") for one in (method, *others)} for name, runs in results.items()}
    holds = all(overlaps[method] < overlaps[other] for overlaps in found.values() for other in others)
    evidence = " ".join(
        f"{name}: " + ", ".join(f"{one} {value:.1f}" for one, value in overlaps.items()) + "."
        for name, overlaps in found.items()
    )
    return Claim(f"{method} has less overlap than {', '.join(others)}.", holds, evidence, claim.get("cause", ""))


def _near(claim: Mapping[str, Any], results: Results) -> Claim:
    """The clustering accuracy is at most 5 points below what the paper prints."""
    ours = _mean(results[claim["set"]][claim["method"]], "AC")
    return Claim(
        f"{claim['method']}'s clustering accuracy on {claim['set']} is within 5 points of the paper's or above it.",
        ours >= claim["printed"] - 5,
        f"Paper {claim['printed']:.1f}, ours {ours:.1f}.",
        claim.get("cause", ""),
    )


def _matters(claim: Mapping[str, Any], results: Results) -> Claim:
    """Leaving out one term changes the overlap more than leaving out another."""
    (more, less), whole = claim["without"], claim["method"]
    found = next(iter(results.values()))
    change = {one: abs(_mean(found[one], "overlap") - _mean(found[whole], "overlap")) for one in (more, less)}
    return Claim(
        f"The terms differ in importance: {more} changes the overlap more than {less}.",
        change[more] > change[less],
        f"{change[more]:.1f} against {change[less]:.1f} points.",
        claim.get("cause", ""),
    )
