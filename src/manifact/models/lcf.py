"""Locality-constrained concept factorisation (Liu, Yang, Wu 2011)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from manifact.backends import Array, namespace, on_host
from manifact.models.cluster_starts import cluster_means
from manifact.models.concept_models import ConceptFactorization
from manifact.models.declaration import model
from manifact.models.problem import Problem
from manifact.models.projection import beside_samples
from manifact.terms import Locality, Term
from manifact.utils import checks


@model(name="lcf", paper="Liu, Yang, Wu 2011", published={"init": "random", "max_iter": 2000, "tol": 0.0})
class LCF(ConceptFactorization):
    """Minimise ‖X − V CᵀX‖² + λ Σ_ik v_ik ‖u_k − x_i‖² with u_k = Σ_j c_jk x_j, over C, V ≥ 0 (eq 2).

    Samples are made of the concepts near them, so concepts sit where samples are:
    C ← C ∘ (1+λ) K V / (K C (VᵀV + λ diag Σv)) (eq 4, with the V that the paper drops),
    V ← V ∘ 2(1+λ) K C / (2 V CᵀK C + λ(A + B)), A_ik = K_ii, B_ik = (CᵀK C)_kk (eq 5). The objective never rises.

    Use it when concepts should look like samples: prototypes, exemplars.

    Parameters
    ----------
    locality_reg : float, default={default of locality_reg}
        λ.
    {kernel parameters}
    {common parameters}

    Attributes
    ----------
    {concept attributes}
    {common attributes}

    Notes
    -----
    As it comes, the model starts from k-means clusters (those of a plain NMF where k-means puts too many samples into
    one), with concepts that are their means. `as_published` starts at random and runs 2,000
    iterations.

    `transform` finds the best coefficients for each sample, and the rule gets there slowly: on digits (unit length,
    k = 10) `transform` of the training samples differs from `fit_transform` by 2%.

    References
    ----------
    H. Liu, Z. Yang, Z. Wu. Locality-constrained concept factorization. IJCAI, 2011.

    Examples
    --------
    >>> from manifact import LCF
    >>> from manifact.datasets import three_gaussians
    >>> data = three_gaussians(random_state=0)
    >>> model = LCF(n_components=3, normalize=None, random_state=0).fit(data.X)
    >>> model.components_.shape
    (3, 2)
    """

    locality_reg: float = 0.3
    assign: str = "argmax"

    _start_meant_by_auto: ClassVar[str] = (
        "is k-means clusters (those of a plain NMF where k-means puts too many samples into one), with concepts "
        "that are their means"
    )

    def _check_model(self) -> None:
        super()._check_model()
        checks.real("locality_reg", self.locality_reg, at_least=0)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        return [Locality(self.locality_reg)] if self.locality_reg > 0 else []

    def _from_memberships(self, problem: Problem, members: Array) -> tuple[Array, Array]:
        """Concepts sit where samples are: in the middle of their clusters."""
        return cluster_means(members)

    def _pulled(self, X: Any, B: Array, G: Array, own: Array | None) -> Array:
        if self.locality_reg == 0:
            return B
        own = self._own_products(X) if own is None else own
        squares = own[:, None] + namespace(G).linalg.diagonal(G)
        return (1 + self.locality_reg) * B - self.locality_reg / 2 * squares

    def _readable(self, X: Any, V: Array) -> Array:
        """Where a sample is too far from every concept to have any, a trace of the one that it is least far from.

        The rule brings V of such training samples close to zero and never there; a minimum is at zero.
        """
        found = np.array(on_host(V))
        far = np.logical_not(found.any(axis=1) | self._empty(on_host(X)))
        if not far.any():
            return V
        # What the rule multiplies a small V with, in the scale that it had while fitting.
        scale = on_host(self._scale)
        lengths = np.diagonal(on_host(self._basis_gram)) * scale**2
        near = on_host(self._against_basis(X))[far] * scale
        ratio = near / (on_host(self._own_products(X))[far][:, None] + lengths)
        found[far] = np.finfo(found.dtype).tiny * (1 + ratio)
        return beside_samples(found, X)
