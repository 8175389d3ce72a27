"""A V that hardly tells samples apart: what it looks like, and what to change."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from manifact.backends import on_host
from manifact.utils.errors import ParameterError, Sentence

#: ‖V − its mean row‖ / ‖V‖ below this means that V is almost the same for every sample.
SPREAD = 0.1
#: Share of the samples whose largest part is the same one, and of those that have the next: groups may be unequal. A
#: few samples may well have one part.
CROWD, CRUMB, FEW_SAMPLES = 0.9, 0.01, 20
#: Samples that are looked at, at the most about twice as many.
MOST_SAMPLES = 500_000
#: Whose calls lie between ``warn_of_collapse`` and who called ``fit``.
PACKAGES = ("manifact", "sklearn")


class CollapseWarning(ParameterError, UserWarning):  # noqa: N818 - it is one
    """V hardly tells samples apart by their parts; k-means may still see the little that differs."""


def collapse(model: Any) -> Sentence | None:
    """What is wrong with the V of a fitted model, and what to change; None where nothing is, or nothing would help."""
    remedy = model._against_collapse()
    V = on_host(model.representation_)
    # Of very many, evenly spaced ones stand for all: copies of V may not fit beside it.
    V = np.asarray(V[:: max(1, len(V) // MOST_SAMPLES)], dtype=np.float64)
    n, k = V.shape
    length = np.linalg.norm(V)
    if remedy is None or k == 1 or n < FEW_SAMPLES or length == 0:
        return None
    if np.linalg.norm(V - V.mean(axis=0)) < SPREAD * length:
        return Sentence("V is almost the same for every sample, so its parts say little of them: {}", remedy)
    sizes = np.bincount(V.argmax(axis=1), minlength=k)
    if sizes.max() > CROWD * n and np.sort(sizes)[-2] < CRUMB * n:
        share, part = 100 * sizes.max() / n, int(sizes.argmax())
        text = "{:.0f}% of the samples have most of part {}, so parts say little of them: {}"
        return Sentence(text, share, part, remedy)
    return None


def warn_of_collapse(model: Any) -> None:
    """Say so, to who called ``fit``."""
    if (found := collapse(model)) is not None:
        warnings.warn(CollapseWarning(found), stacklevel=_frames_of_packages())


def _frames_of_packages() -> int:
    """How many calls up the stack somebody else's program is: scikit-learn wraps some methods."""
    frame, levels = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in PACKAGES:
        frame, levels = frame.f_back, levels + 1
    return levels
