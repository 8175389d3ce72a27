"""Summands of an objective. Each knows its value and its gradient, split into parts that are never negative."""

from manifact.terms.affinity import Matching
from manifact.terms.basis import Locality, Orthogonality, Redundancy
from manifact.terms.losses import Frobenius, KullbackLeibler
from manifact.terms.penalties import ElasticNet
from manifact.terms.repulsion import ElementwiseStructure, Repulsion
from manifact.terms.second_representation import Free
from manifact.terms.smoothness import EntropicSmoothness, Smoothness
from manifact.terms.term import ImplicitTerm, Parts, Quadratic, QuadraticTerm, Term, gather, gather_quadratic, total

__all__ = [
    "ElasticNet",
    "ElementwiseStructure",
    "EntropicSmoothness",
    "Free",
    "Frobenius",
    "ImplicitTerm",
    "KullbackLeibler",
    "Locality",
    "Matching",
    "Orthogonality",
    "Parts",
    "Quadratic",
    "QuadraticTerm",
    "Redundancy",
    "Repulsion",
    "Smoothness",
    "Term",
    "gather",
    "gather_quadratic",
    "total",
]
