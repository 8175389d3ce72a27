"""Figures of fitted models with matplotlib.

Every function draws on the Axes it is given, or on a new figure as scikit-learn's displays do, and returns the Axes;
none of them shows a window. matplotlib is an optional dependency: it is imported when something is drawn.
"""

from manifact.plot.curve import sensitivity
from manifact.plot.matching import confusion
from manifact.plot.montage import basis
from manifact.plot.plane import embedding
from manifact.plot.trace import convergence
from manifact.plot.words import topics

__all__ = ["basis", "confusion", "convergence", "embedding", "sensitivity", "topics"]
