"""Summands of an objective. Each knows its value and its gradient, split into parts that are never negative."""

from manifact.terms.graph import EntropicSmoothness, Smoothness
from manifact.terms.loss import Frobenius, KullbackLeibler
from manifact.terms.penalty import ElasticNet
from manifact.terms.term import ImplicitTerm, Parts, Term, gather, total

__all__ = [
    "ElasticNet",
    "EntropicSmoothness",
    "Frobenius",
    "ImplicitTerm",
    "KullbackLeibler",
    "Parts",
    "Smoothness",
    "Term",
    "gather",
    "total",
]
