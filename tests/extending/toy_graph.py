"""A graph: samples in the order of time, each beside those just before and after it."""

from scipy import sparse

from manifact.graphs import AffinityGraph, GraphBuilder
from manifact.utils import checks
from manifact.utils.stored_classes import stored_by_parameters


@stored_by_parameters
class TimeGraph(GraphBuilder):
    """W_js = 1 where samples j and s are at most ``reach`` rows of X apart.

    Parameters
    ----------
    reach : int, default=1
        How far, in rows.
    """

    def __init__(self, reach=1):
        self.reach = reach

    def build(self, X, y=None):
        """The graph of the rows of X, in their order."""
        checks.integer("reach", self.reach, at_least=1)
        n = X.shape[0]
        later = [sparse.eye_array(n, k=lag) for lag in range(1, min(self.reach, n - 1) + 1)]
        W = sum(later, start=sparse.csr_array((n, n)))
        return AffinityGraph(sparse.csr_array(W + W.T))
