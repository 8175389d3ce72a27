"""Which samples have a label: the one rule for graphs, summaries and reports."""

from __future__ import annotations

from typing import Any

import numpy as np

#: Texts that mean that there is no label: NumPy makes the last two of −1 and NaN among names.
UNLABELLED = ("", "-1", "nan")


#: The cluster of a sample that cannot be placed.
NOWHERE = -1


def labelled(y: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which samples have a label: all but those with None, NaN, −1 or "".

    A class may be called anything else, "None" included.

    >>> labelled(["a", "", None, -1]).tolist(), labelled(np.array(["None", -1])).tolist()
    ([True, False, False, False], [True, False])
    """
    return np.array([not _is_missing(label) for label in y], dtype=bool)


def _is_missing(label: Any) -> bool:
    if label is None or (isinstance(label, float | np.floating) and np.isnan(label)):
        return True
    return label in UNLABELLED if isinstance(label, str) else bool(label == -1)
