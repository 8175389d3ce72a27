"""What a paper claims of its averages, asked of ours: with paired t-tests over the same subsets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import ttest_rel

from manifact.experiments.reproduce.comparison_page import Claim

#: What is called significant, as in the SPNMF paper.
LEVEL = 0.05
#: Scores of one method in all runs, in percent, in the same order for every method.
Scores = Mapping[str, Sequence[float]]


def judge(
    claim: Mapping[str, Any], score: str, ours: Mapping[str, float], runs: Scores, paper: Mapping[str, float]
) -> Claim:
    """A claim about averages: above others or level with them, the paper's number or as good as that."""
    if "than" not in claim:
        return (equal if "equals" in claim else near)(claim, score, ours, paper)
    return (level if "points" in claim else above)(claim, score, ours, runs)


def above(claim: Mapping[str, Any], score: str, ours: Mapping[str, float], runs: Scores) -> Claim:
    """``method`` has a higher average than each of ``than``."""
    method, others = claim["method"], list(claim["than"])
    behind = [other for other in others if ours[method] <= ours[other]]
    chances = {other: p_value(runs[method], runs[other]) for other in others}
    evidence = "; ".join(f"{other} {ours[other]:.1f} ({paired(runs[method], runs[other])})" for other in others)
    return Claim(
        f"{method} is above {', '.join(others)} in average {score}.",
        not behind,
        f"{method} {ours[method]:.1f}; {evidence}.",
        claim.get("cause", ""),
        # What holds has to be sure against every other; what fails does so for sure against a single one.
        any(chances[other] < LEVEL for other in behind) if behind else all(p < LEVEL for p in chances.values()),
    )


def near(claim: Mapping[str, Any], score: str, ours: Mapping[str, float], paper: Mapping[str, float]) -> Claim:
    """``method`` is at most ``points`` below the paper's average: that of the method which ``of`` names, if it does."""
    method, points = claim["method"], claim["points"]
    printed = paper[claim.get("of", method)]
    return Claim(
        f"{method}'s average {score} is within {points} points of the paper's or above it.",
        ours[method] >= printed - points,
        f"Paper {printed:.1f}, ours {ours[method]:.1f} ({ours[method] - printed:+.1f}).",
        claim.get("cause", ""),
    )


def equal(claim: Mapping[str, Any], score: str, ours: Mapping[str, float], paper: Mapping[str, float]) -> Claim:
    """``method`` has the paper's average, give or take ``equals`` points."""
    method, points = claim["method"], claim["equals"]
    difference = ours[method] - paper[method]
    return Claim(
        f"{method}'s average {score} is within {points} points of the paper's.",
        abs(difference) <= points,
        f"Paper {paper[method]:.1f}, ours {ours[method]:.1f} ({difference:+.1f}).",
        claim.get("cause", ""),
    )


def level(claim: Mapping[str, Any], score: str, ours: Mapping[str, float], runs: Scores) -> Claim:
    """``method`` is at most ``points`` below each of ``than``."""
    method, others, points = claim["method"], list(claim["than"]), claim["points"]
    evidence = "; ".join(f"{other} {ours[other]:.1f} ({paired(runs[method], runs[other])})" for other in others)
    return Claim(
        f"{method}'s average {score} is within {points} points of {', '.join(others)} or above.",
        all(ours[method] >= ours[other] - points for other in others),
        f"{method} {ours[method]:.1f}; {evidence}.",
        claim.get("cause", ""),
    )


def paired(first: Sequence[float], second: Sequence[float]) -> str:
    """The paired t-test of two methods over the same runs, in words."""
    difference = np.subtract(first, second)
    if len(difference) < 2 or not np.ptp(difference):
        return f"{difference.mean():+.1f} in every run"
    p = p_value(first, second)
    return f"{difference.mean():+.1f} a run, {f'p = {p:.2g}' if p >= 1e-4 else 'p < 0.0001'}, {len(difference)} runs"


def p_value(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of the paired t-test; 1 for a single run or no difference, 0 for the same one in every run."""
    difference = np.subtract(first, second)
    if len(difference) < 2 or not np.any(difference):
        return 1.0
    return float(ttest_rel(first, second).pvalue) if np.ptp(difference) else 0.0
