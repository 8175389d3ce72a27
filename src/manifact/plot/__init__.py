"""Figures of fitted models with matplotlib.

Every function draws on the Axes it is given, or on a new figure as scikit-learn's displays do, and returns the Axes;
none of them shows a window. matplotlib is an optional dependency: it is imported when something is drawn.
"""

from manifact.plot.basis_plot import basis
from manifact.plot.confusion_plot import confusion
from manifact.plot.convergence_plot import convergence
from manifact.plot.embedding_plot import embedding
from manifact.plot.selection_plot import selection
from manifact.plot.sensitivity_plot import sensitivity
from manifact.plot.topics_plot import topics

__all__ = ["basis", "confusion", "convergence", "embedding", "selection", "sensitivity", "topics"]
