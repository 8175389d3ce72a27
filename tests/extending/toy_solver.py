"""A solver: steps down the gradient, cut off at 0 and shortened until the objective does not rise."""

from functools import partial

from manifact.backends import namespace
from manifact.solvers.line_search import backtrack
from manifact.solvers.solver import solver
from manifact.terms import gather, total

#: The first length to be tried, and one that is never 0, from which lengths can grow again.
FIRST, LEAST = 1.0, 1e-12


@solver("projected-gradient", needs="gradient", kinds=frozenset({"factors"}), losses=("frobenius",))
def projected_gradient(terms, s, memory):
    """One iteration: V, then U. Remembered is how long the steps were; each tries twice that length first."""
    lengths = {}
    for block in s.blocks:
        positive, negative = gather(terms, s, block) or (0.0, 0.0)
        further = partial(_further, s, block, positive - negative)
        # Length 0 is where it stands: it can always be had.
        s, length = backtrack(further, partial(total, terms), total(terms, s), 2 * memory.get(block, FIRST))
        lengths[block] = max(float(length), LEAST)
    return s, lengths


def _further(s, block, slope, length):
    return s.replace(block, namespace(s[block]).maximum(s[block] - length * slope, 0)) if length else s
