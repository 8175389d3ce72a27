"""Locally consistent concept factorisation (Cai, He, Han 2011)."""

from __future__ import annotations

from manifact.models.concept_models import ConceptFactorization
from manifact.models.declaration import model
from manifact.models.graph_models import GraphFactorization


@model(
    name="lccf",
    paper="Cai, He, Han 2011",
    published={"init": "random", "graph_reg": 100.0, "max_iter": 100},
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

    References
    ----------
    D. Cai, X. He, J. Han. Locally consistent concept factorization for document clustering.
    IEEE Transactions on Knowledge and Data Engineering 23(6), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact import LCCF
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = LCCF(n_components=10, random_state=0, max_iter=20).fit(X[:200])
    >>> bool(model.objective_[-1] < model.objective_[0])
    True
    """

    graph_reg: float = 0.3
