"""Every solver there is: importing this module declares those of this room."""

from manifact.solvers import affinity_descent, block_descent, multiplicative, newton, simplex
from manifact.solvers.solver import SOLVERS

__all__ = ["SOLVERS", "affinity_descent", "block_descent", "multiplicative", "newton", "simplex"]
