"""What a paper says of its curves, asked of ours: how flat they are, where they fall, where they are best."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from manifact.experiments.reproduce.claims import LEVEL, p_value, paired
from manifact.experiments.reproduce.comparison_page import Claim


@dataclass(frozen=True)
class Curve:
    """Averages in percent over the values of a runner, and the runs behind each, in one order for all methods."""

    x: Sequence[float]
    means: Sequence[float]
    runs: Sequence[Sequence[float]]

    def between(self, low: float, high: float) -> dict[float, float]:
        """The averages of a part of the range."""
        return {x: mean for x, mean in zip(self.x, self.means, strict=True) if low <= x <= high}

    @property
    def best(self) -> float:
        """Where the average is highest."""
        return self.x[int(np.argmax(self.means))]

    @property
    def spread(self) -> float:
        """The highest average less the lowest."""
        return float(np.ptp(self.means))


#: Percentages that differ by less are shown alike.
SHOWN = 0.05
#: Data set -> method -> curve.
Curves = Mapping[str, Mapping[str, Curve]]
#: Whether a data set shows what is claimed, the numbers, and whether a paired test says so (None where there is none).
Finding = tuple[bool, str, bool | None]


def judge(claim: Mapping[str, Any], score: str, symbol: str, curves: Curves) -> Claim:
    """A claim about one score over a runner: it holds if it does on every data set that it names."""
    rule = RULES[claim["rule"]]
    sets = {name: curves[name] for name in claim.get("sets", curves)}
    findings = {name: rule.find(claim, methods) for name, methods in sets.items()}
    evidence = " ".join(f"{name}: {words}." for name, (_, words, _) in findings.items())
    holds = all(found for found, _, _ in findings.values())
    words = {key: ", ".join(value) if isinstance(value, list) else value for key, value in claim.items()}
    text = rule.text.format(**{"score": score, "symbol": symbol, **_ends(claim, curves), **words})
    return Claim(text, holds, evidence, claim.get("cause", ""), _sure(holds, list(findings.values())))


def _sure(holds: bool, findings: Sequence[Finding]) -> bool | None:
    """What holds has to be sure on every data set, what fails on one of those where it does."""
    tests = [sure for found, _, sure in findings if found == holds]
    if any(sure is None for sure in tests):
        return None
    return all(tests) if holds else any(tests)


def judge_best_differ(score: str, symbol: str, method: str, curves: Curves) -> Claim:
    """The best value of a setting is not the same on all data sets."""
    best = {name: methods[method].best for name, methods in curves.items()}
    return Claim(
        f"{method}: the {symbol} with the best {score} differs between data sets.",
        len(set(best.values())) > 1,
        "Best at " + ", ".join(f"{value:g} ({name})" for name, value in best.items()) + ".",
    )


def judge_sensitivity(score: str, method: str, most: str, curves: Mapping[str, Curves], cause: str = "") -> Claim:
    """One setting moves the score more than the others do; ``curves`` by the symbol of the setting."""
    spreads = {
        symbol: {name: methods[method].spread for name, methods in found.items() if method in methods}
        for symbol, found in curves.items()
    }
    others = [symbol for symbol in spreads if symbol != most]
    holds = all(spreads[most][name] > spreads[other][name] for other in others for name in spreads[most])
    words = [
        f"{name}: " + ", ".join(f"{symbol} moves it by {spreads[symbol][name]:.1f}" for symbol in spreads)
        for name in spreads[most]
    ]
    return Claim(f"{method}'s {score} depends more on {most} than on {' or '.join(others)}.", holds,
                 "; ".join(words) + " points.", cause)  # fmt: skip


def _ends(claim: Mapping[str, Any], curves: Curves) -> dict[str, Any]:
    """The range that a claim is about: its own, or all of it."""
    curve = next(iter(next(iter(curves.values())).values()))
    return {"low": claim.get("low", min(curve.x)), "high": claim.get("high", max(curve.x))}


def _range(claim: Mapping[str, Any], curve: Curve) -> tuple[float, float]:
    return claim.get("low", min(curve.x)), claim.get("high", max(curve.x))


def _stable(claim: Mapping[str, Any], methods: Mapping[str, Curve]) -> Finding:
    curve = methods[claim["method"]]
    means = curve.between(*_range(claim, curve)).values()
    return max(means) - min(means) <= claim["points"], f"{min(means):.1f} to {max(means):.1f}", None


def _above(claim: Mapping[str, Any], methods: Mapping[str, Curve]) -> Finding:
    curve = methods[claim["method"]]
    low, high = _range(claim, curve)
    least = {
        other: min(mean - methods[other].between(x, x)[x] for x, mean in curve.between(low, high).items())
        for other in claim["than"]
    }
    words = ", ".join(f"{margin:+.1f} to {other}" for other, margin in least.items())
    return all(margin > 0 for margin in least.values()), f"smallest margin {words}", None


def _better(claim: Mapping[str, Any], methods: Mapping[str, Curve]) -> Finding:
    curve, other = methods[claim["method"]], methods[claim["than"]]
    low, high = _range(claim, curve)
    inside = [index for index, x in enumerate(curve.x) if low <= x <= high]
    ours, theirs = (float(np.mean([c.means[index] for index in inside])) for c in (curve, other))
    # The runs of one draw at several points are no independent runs: each draw counts once, with its mean.
    runs = [np.mean([c.runs[index] for index in inside], axis=0) for c in (curve, other)]
    return ours > theirs, f"{ours:.1f} against {theirs:.1f} ({paired(*runs)})", p_value(*runs) < LEVEL


def _falls(claim: Mapping[str, Any], methods: Mapping[str, Curve]) -> Finding:
    curve = methods[claim["method"]]
    low, high = _range(claim, curve)
    first, last = list(curve.x).index(low), list(curve.x).index(high)
    fall = curve.means[first] - curve.means[last]
    words = f"{curve.means[first]:.1f} at {low:g}, {curve.means[last]:.1f} at {high:g}"
    runs = curve.runs[last], curve.runs[first]
    # The test is of any change at all; of a fall by more than so many points there is none.
    sure = p_value(*runs) < LEVEL if "points" not in claim else None
    return fall > claim.get("points", 0), f"{words} ({paired(*runs)})", sure


def _keeps(claim: Mapping[str, Any], methods: Mapping[str, Curve]) -> Finding:
    _, words, _ = _falls(claim, methods)
    curve = methods[claim["method"]]
    low, high = _range(claim, curve)
    means = curve.between(low, high)
    return means[low] - means[high] <= claim["points"], words, None


def _best_at(claim: Mapping[str, Any], methods: Mapping[str, Curve]) -> Finding:
    curve = methods[claim["method"]]
    at = curve.between(claim["value"], claim["value"])[claim["value"]]
    words = f"best {max(curve.means):.1f} at {curve.best:g}, {at:.1f} at {claim['value']:g}"
    # Several values may have the best, to the digit that is shown.
    return max(curve.means) - at < SHOWN, words, None


def _best_inside(claim: Mapping[str, Any], methods: Mapping[str, Curve]) -> Finding:
    curve = methods[claim["method"]]
    words = f"best {max(curve.means):.1f} at {curve.best:g}; {curve.means[0]:.1f} and {curve.means[-1]:.1f} at the ends"
    return curve.best not in (curve.x[0], curve.x[-1]), words, None


@dataclass(frozen=True)
class Rule:
    """What is claimed, in words with holes for the settings, and how to find out."""

    text: str
    find: Callable[[Mapping[str, Any], Mapping[str, Curve]], Finding]


RULES: dict[str, Rule] = {
    "stable": Rule("{method}'s {score} stays within {points} points for {symbol} from {low:g} to {high:g}.", _stable),
    "above": Rule("{method} is above {than} in {score} at every {symbol} from {low:g} to {high:g}.", _above),
    "better": Rule("{method} is above {than} in average {score} over {symbol} from {low:g} to {high:g}.", _better),
    "falls": Rule("{method}'s {score} falls from {symbol} = {low:g} to {high:g}.", _falls),
    "falls by": Rule(
        "{method}'s {score} falls by more than {points} points from {symbol} = {low:g} to {high:g}.", _falls
    ),
    "keeps": Rule("{method}'s {score} loses at most {points} points from {symbol} = {low:g} to {high:g}.", _keeps),
    "best at": Rule("{method}'s {score} is best at {symbol} = {value:g}.", _best_at),
    "best inside": Rule(
        "{method}'s {score} is best neither at the smallest nor at the largest {symbol}.", _best_inside
    ),
}
