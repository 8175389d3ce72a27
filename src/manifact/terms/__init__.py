"""Summands of an objective. Each knows its value and its gradient, split into parts that are never negative."""

from manifact.terms.basis import Locality, Orthogonality, Redundancy
from manifact.terms.free import Free
from manifact.terms.graph import EntropicSmoothness, Smoothness
from manifact.terms.loss import Frobenius, KullbackLeibler
from manifact.terms.matching import Matching
from manifact.terms.penalty import ElasticNet
from manifact.terms.structure import ElementwiseStructure, Repulsion
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
