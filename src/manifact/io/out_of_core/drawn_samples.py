"""What is settled on some of the samples where all of them do not fit into memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.selection import select
from manifact.selection.sampling import SAMPLES


def drawn(X: Any, most: int) -> Any:
    """So many rows of X at most, drawn at random, always the same."""
    n = X.shape[0]
    return X.rows(np.arange(n) if n <= most else np.sort(np.random.RandomState(0).choice(n, most, replace=False)))


def choose_n_components(model: Any, X: Any) -> int:
    """Give a model the number of parts that some of the samples say, where it is "auto"; how many were looked at."""
    asked = model.get_params(deep=False)
    if asked.get("n_components") != "auto":
        return 0
    few = drawn(X, SAMPLES)
    tau, seed, verbose = asked.get("tau", "auto"), asked["random_state"], bool(asked["verbose"])
    best = select(few, tau=tau, random_state=seed, verbose=verbose).best
    model.set_params(n_components=best["n_components"], tau=best["tau"])
    return int(few.shape[0])
