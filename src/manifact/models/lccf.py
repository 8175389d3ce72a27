"""Locally consistent concept factorisation (Cai, He, Han 2011)."""

from __future__ import annotations

from manifact.models.concept_models import ConceptFactorization
from manifact.models.declaration import model
from manifact.models.graph_models import GraphFactorization


@model(
    name="lccf",
    paper="Cai, He, Han 2011",
    published={"init": "random", "graph_reg": 100.0, "max_iter": 100, "assign": "kmeans"},
)
class LCCF(GraphFactorization, ConceptFactorization):
    """Minimise ‖X − V CᵀX‖² + λ Tr(VᵀLV) over C, V ≥ 0: locally consistent concept factorisation.

    `CF` whose V is smooth on a graph: V ← V ∘ (K C + λ W V) / (V CᵀK C + λ D V).

    Use it as `GNMF`, for data of any sign or with a kernel.

    Parameters
    ----------
    {graph parameters}
    {kernel parameters}
    {common parameters}

    Attributes
    ----------
    {concept attributes}
    {graph attributes}
    {common attributes}

    Notes
    -----
    As of `GNMF`, scale can move from V into C, so that the penalty fades in a long run: stopping early is part of the
    method. As it comes, the model starts from clusters of the graph and takes a few steps. `as_published` is the
    authors' way, from a random start with λ = 100 and 100 iterations.

    New samples are tied to their training neighbours with the same λ, and `transform` finds the best V for each. The
    V of `fit` is a few steps away from that: on digits (unit length, k = 10) `transform` of the training samples
    differs from `fit_transform` by 6%, by 2% after 100 iterations.

    References
    ----------
    D. Cai, X. He, J. Han. Locally consistent concept factorization for document clustering.
    IEEE Transactions on Knowledge and Data Engineering 23(6), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact import LCCF
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = LCCF(n_components=10, random_state=0).fit(X[:200])
    >>> bool(model.objective_[-1] < model.objective_[0])
    True
    """

    graph_reg: float = 0.3
