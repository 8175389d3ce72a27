"""The objective against the iterations: how fast it falls, and whether it ever rises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from manifact.experiments.reproduce import svg_charts
from manifact.experiments.reproduce.comparison_page import Claim, Claims, Page, Picture, Rows
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner, job
from manifact.experiments.reproduce.kinds.parameter_sweep import panels_of, settings_of

#: A relative rise below this is rounding.
ROUNDING = {"float32": 1e-5, "float64": 1e-10}
#: Data set -> method -> what a run gives.
Results = dict[str, dict[str, dict[str, Any]]]


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Run every model once on every data set for the same number of iterations."""
    svg_charts.require()
    results = run(experiment, runner)
    picture = svg_charts.chart([_panel(experiment, name, found) for name, found in results.items()])
    caption = (
        "True objective after each iteration, one run a line, on a logarithmic axis: on a linear one every "
        f"curve looks flat after a few steps. The dotted line is at {experiment['within']} iterations."
    )
    rows = [_row(experiment, name, method, one) for name, found in results.items() for method, one in found.items()]
    note = (
        f"“after {experiment['within']}”: how much higher the objective is at that iteration than at the last. A rise "
        f"is an iteration after which the objective is higher by more than {_rounding(experiment):g} of itself."
    )
    lines = [{"line": name, "what": settings.get("what", "")} for name, settings in experiment.methods.items()]
    return Page(
        experiment.name,
        experiment.title,
        _intro(experiment),
        [
            Claims(list(_claims(experiment, results))),
            Picture("Objective", experiment.name, picture, caption),
            Rows("Numbers", rows, note),
            Rows("Lines", lines),
        ],
    )


def run(experiment: Experiment, runner: Runner) -> Results:
    """The traces of all models on all data sets."""
    plan = [(name, method) for name in panels_of(experiment) for method in experiment.methods]
    jobs = []
    for name, method in plan:
        settings = settings_of(experiment, name, method)
        parameters = settings.get("parameters", {}) | {"max_iter": experiment["iterations"], "tol": 0.0}
        jobs.append(job("objective_trace", {**settings, "parameters": parameters, "seed": 0}, part=method))
    results: Results = {}
    for (name, method), found in zip(plan, runner.run(experiment.name, jobs), strict=True):
        results.setdefault(name, {})[method] = found
    return results


def excess(trace: Sequence[float], iteration: int) -> float:
    """How much higher the objective is after that iteration than at the end, as a share of the end.

    >>> excess([9.0, 5.0, 4.0], 1)
    0.25
    """
    return trace[min(iteration, len(trace) - 1)] / trace[-1] - 1


def share_done(trace: Sequence[float], iteration: int) -> float:
    """The part of the whole fall that is done after that iteration.

    >>> share_done([9.0, 5.0, 4.0], 1)
    0.8
    """
    return (trace[0] - trace[min(iteration, len(trace) - 1)]) / (trace[0] - trace[-1])


def rises(trace: Sequence[float], rounding: float) -> list[float]:
    """The relative rises of the objective that are more than rounding.

    >>> rises([4.0, 2.0, 3.0], 1e-5)
    [0.5]
    """
    steps = [after / before - 1 for before, after in pairwise(trace)]
    return [step for step in steps if step > rounding]


def _rounding(experiment: Experiment) -> float:
    return ROUNDING[experiment.get("common", {}).get("precision", "float32")]


def _intro(experiment: Experiment) -> str:
    quick = " This is the quick run." if experiment.quick else ""
    return f"{experiment['protocol']}\n\n{experiment['iterations']} iterations of each rule.{quick}"


def _panel(experiment: Experiment, name: str, found: dict[str, dict[str, Any]]) -> svg_charts.Panel:
    lines = [
        svg_charts.Line(method, range(len(one["objective"])), one["objective"], colour, marked=False)
        for colour, (method, one) in enumerate(found.items())
    ]
    return svg_charts.Panel(name, "iteration", "objective", lines, log="y", at=experiment["within"])


def _row(experiment: Experiment, name: str, method: str, one: dict[str, Any]) -> dict[str, Any]:
    trace = one["objective"]
    up = rises(trace, _rounding(experiment))
    return {
        "data": name,
        "method": method,
        "start": trace[0],
        "end": trace[-1],
        f"after {experiment['within']}": f"{100 * excess(trace, experiment['within']):+.2f} %",
        "rises": len(up),
        "largest rise": f"{100 * max(up):.3g} %" if up else "none",
        "seconds an iteration": one["seconds"] / (len(trace) - 1),
    }


def _claims(experiment: Experiment, results: Results) -> Iterator[Claim]:
    for claim in experiment["claims"]:
        method = claim["method"]
        traces = {name: found[method]["objective"] for name, found in results.items()}
        yield _fast(experiment["within"], method, traces)
        yield _converged(experiment["within"], method, traces, claim)
        yield _monotone(method, traces, claim, _rounding(experiment))


def _fast(within: int, method: str, traces: dict[str, list[float]]) -> Claim:
    done = {name: 100 * share_done(trace, within) for name, trace in traces.items()}
    return Claim(
        f"{method} converges fast, as a linear axis shows it: {within} iterations do more than 99 % of the whole fall.",
        all(share > 99 for share in done.values()),
        ", ".join(f"{name} {share:.3f} %" for name, share in done.items()) + ".",
    )


def _converged(within: int, method: str, traces: dict[str, list[float]], claim: dict[str, Any]) -> Claim:
    left = {name: 100 * excess(trace, within) for name, trace in traces.items()}
    last = max(len(trace) for trace in traces.values()) - 1
    return Claim(
        f"{method} has converged after {within} iterations: less than 1 % above its objective after {last}.",
        all(share < 1 for share in left.values()),
        ", ".join(f"{name} {share:+.2f} %" for name, share in left.items()) + ".",
        claim.get("slow", ""),
    )


def _monotone(method: str, traces: dict[str, list[float]], claim: dict[str, Any], rounding: float) -> Claim:
    found = {name: rises(trace, rounding) for name, trace in traces.items()}
    words = [
        f"{name} {len(up)} rises" + (f", largest {100 * max(up):.2g} %" if up else "") for name, up in found.items()
    ]
    return Claim(f"{method}'s objective never rises.", not any(found.values()), "; ".join(words) + ".",
                 claim.get("rising", ""))  # fmt: skip
