"""Locality preserving NMF (Cai, He, Wang, Bao, Han 2009)."""

from __future__ import annotations

from typing import Any, ClassVar

from manifact.models.declaration import model
from manifact.models.graph_models import GraphFactorization
from manifact.models.landmark_streams import LandmarkStreaming
from manifact.models.memory_needs import SYSTEMS, row_bytes
from manifact.terms import KullbackLeibler, Loss


@model(
    name="lpnmf",
    paper="Cai, He, Wang, Bao, Han 2009",
    published={"solver": "mu", "init": "kmeans", "graph_reg": 100.0, "max_iter": 50, "assign": "kmeans"},
)
class LPNMF(LandmarkStreaming, GraphFactorization):
    """Minimise KL(X ‖ V Uᵀ) + λ Tr(Vᵀ L log V) (eq 7) over U, V ≥ 0.

    A topic model whose topics are shared by neighbours. The published rule solves
    (Σu I + λL) v = V ∘ (X/Y) U for every column of V together (eq 9) and takes
    U ← U ∘ (X/Y)ᵀV / Σv (eq 8).

    Use it for counts, documents above all.

    Parameters
    ----------
    {graph parameters}
    {common parameters}

    Attributes
    ----------
    {graph attributes}
    {common attributes}

    Notes
    -----
    The proof in the paper counts each edge once where the penalty counts it twice, so the objective can rise under
    the published rule, "mu". ``objective_`` shows the true one. As it comes, the model starts from clusters and takes a
    few steps of that rule; `as_published` is the authors' way, from k-means with λ = 100 and 50 iterations.
    ``solver="newton"`` never raises the objective: with Σ_i u_ik = 1 the model is a probabilistic topic model with a
    graph, whose V step is convex. V then has the size of the data and λ smooths much more: try values near 1.

    New samples are held near their neighbours by λ Σ_s w_s KL(v_s ‖ v): exactly what holds a row of V where the
    published rule rests. The objective counts KL(v ‖ v_s) as well, which is nearly the same: after "newton" the first
    counts twice. The V of `fit` is a few steps away from where the rule rests: on digits (unit length, k = 10)
    `transform` of the training samples differs from `fit_transform` by 1%.

    References
    ----------
    D. Cai, X. He, X. Wang, H. Bao, J. Han. Locality preserving nonnegative matrix factorization. IJCAI, 2009.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact import LPNMF
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = LPNMF(n_components=10, random_state=0).fit(X[:300])
    >>> bool(model.smoothness_ < 0.1)
    True
    """

    graph_reg: float = 20.0

    _takes_blocks: ClassVar[bool] = True

    #: Its step solves for all of V at once, and so goes far.
    _few_iterations: ClassVar[int] = 2

    def _fit_bytes(self, X: Any) -> float:
        return super()._fit_bytes(X) + row_bytes(X, self._k, SYSTEMS)

    @property
    def _loss(self) -> Loss:
        return KullbackLeibler()
