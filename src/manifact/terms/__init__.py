"""Summands of an objective. Each knows its value, and offers what solvers need to lower it."""

from manifact.terms.affinity import Affinity
from manifact.terms.constraints import SimplexBasis
from manifact.terms.forms import LogBound, RowQuadratic
from manifact.terms.locality import Locality
from manifact.terms.losses import LOSSES, Frobenius, KullbackLeibler, Loss
from manifact.terms.penalties import ElasticNet, Orthogonality, Redundancy
from manifact.terms.repulsion import Repulsion, Structure
from manifact.terms.second_representation import OnSecond
from manifact.terms.smoothness import EntropicSmoothness, Smoothness
from manifact.terms.state import ConceptState, State, TwofoldState
from manifact.terms.term import Constraint, Term, gather, gather_forms, gather_quadratic, merged, total

__all__ = [
    "LOSSES",
    "Affinity",
    "ConceptState",
    "Constraint",
    "ElasticNet",
    "EntropicSmoothness",
    "Frobenius",
    "KullbackLeibler",
    "Locality",
    "LogBound",
    "Loss",
    "OnSecond",
    "Orthogonality",
    "Redundancy",
    "Repulsion",
    "RowQuadratic",
    "SimplexBasis",
    "Smoothness",
    "State",
    "Structure",
    "Term",
    "TwofoldState",
    "gather",
    "gather_forms",
    "gather_quadratic",
    "merged",
    "total",
]
