"""Graph regularised NMF (Cai, He, Han, Huang 2011)."""

from __future__ import annotations

from manifact.models.declaration import model
from manifact.models.graph_models import GraphFactorization


@model(
    name="gnmf",
    paper="Cai, He, Han, Huang 2011",
    published={"solver": "mu", "init": "random", "graph_reg": 100.0, "n_init": 10, "init_iter": 30, "max_iter": 100},
)
class GNMF(GraphFactorization):
    """Minimise ‖X − V Uᵀ‖² + λ Tr(VᵀLV) (eq 6) or KL(X ‖ V Uᵀ) + λ Tr(Vᵀ L log V) (eq 7) over U, V ≥ 0.

    Neighbours in the graph get similar rows of V. The published rule is
    V ← V ∘ (X U + λ W V) / (V UᵀU + λ D V) (eq 15), U ← U ∘ XᵀV / (U VᵀV) (eq 14); the divergence solves
    (Σu I + λL) v = V ∘ (X/Y) U for V (eq 21) and is the model of `LPNMF`.

    Use it to cluster samples whose neighbours mostly belong together: images of objects and faces, documents.

    Parameters
    ----------
    {graph parameters}
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        How the distance of V Uᵀ from X is measured.
    {common parameters}

    Attributes
    ----------
    {graph attributes}
    {common attributes}

    Notes
    -----
    The objective has no useful minimum: U ← cU, V ← V/c keeps the fit and shrinks the penalty, so a long run of the
    published rule drifts towards plain NMF. The authors stop after 100 iterations, and so does ``solver="mu"``: that
    early stop is part of the method, and gives the papers' clusters.

    "bcd" minimises ‖X − V Uᵀ‖² + λ Tr(VᵀLV) with ‖u_k‖ = 1, "newton" the divergence with Σ_i u_ik = 1: these have
    minima, and running longer changes nothing. λ then keeps its full strength, so it should be smaller than the
    authors' 100, which belongs to "mu" and to sets whose neighbours are close (COIL20, PIE, TDT2). Too large a λ makes
    V almost constant: look at ``smoothness_`` and at the spread of V.

    ``score`` measures the fit alone, so a search by it prefers small λ. `transform` and `predict` tie new samples to
    their training neighbours with the same λ, so that `transform` of the training samples gives what `fit_transform`
    gave: within 1% on digits, by either solver.

    References
    ----------
    D. Cai, X. He, J. Han, T. S. Huang. Graph regularized nonnegative matrix factorization for data representation.
    IEEE Transactions on Pattern Analysis and Machine Intelligence 33(8), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.preprocessing import normalize
    >>> from manifact import GNMF
    >>> from manifact.metrics import nmi
    >>> X, y = load_digits(return_X_y=True)
    >>> model = GNMF(n_components=10, random_state=0).fit(normalize(X))
    >>> nmi(y, model.labels_) > 0.75
    True
    """

    loss: str = "frobenius"
