"""Concept factorisation (Xu, Gong 2004)."""

from __future__ import annotations

from manifact.models.concept_models import ConceptFactorization
from manifact.models.declaration import model


@model(name="cf", paper="Xu, Gong 2004", published={"init": "random", "max_iter": 100, "tol": 0.0})
class CF(ConceptFactorization):
    """Minimise ‖X − V CᵀX‖² over C, V ≥ 0 (LCF paper, eq 1).

    Every concept is a combination of samples, every sample a combination of concepts. Only inner products of samples
    are needed, so X may have any sign and kernels work:
    C ← C ∘ K V / (K C VᵀV), V ← V ∘ K C / (V CᵀK C). With negative entries in K the rule of non-negative quadratic
    programming takes their place. Neither raises the objective.

    Use it where the data are not non-negative, or a kernel knows more than the features.

    Parameters
    ----------
    {kernel parameters}
    {common parameters}

    Attributes
    ----------
    {concept attributes}
    {common attributes}

    Notes
    -----
    As it comes, the model starts from k-means clusters (those of a plain NMF where k-means puts too many samples into
    one), with concepts that are the means of typical samples. `as_published` is the authors' random start with 100
    iterations, which leaves it near that start.

    `transform` finds the best coefficients for each sample, and the rule gets there slowly: on digits (unit length,
    k = 10) `transform` of the training samples differs from `fit_transform` by 2%, by 1% after 2,000 iterations.

    References
    ----------
    W. Xu, Y. Gong. Document clustering by concept factorization. SIGIR, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from manifact import CF
    >>> X = np.random.default_rng(0).standard_normal((50, 8))
    >>> model = CF(n_components=3, random_state=0).fit(X)
    >>> model.concepts_.shape, model.components_.shape
    ((3, 50), (3, 8))
    """

    assign: str = "argmax"
