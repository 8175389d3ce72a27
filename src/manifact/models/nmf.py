"""Plain non-negative matrix factorisation (Lee, Seung 2001), which the other models build on."""

from __future__ import annotations

from typing import ClassVar

from manifact.models.base import Factorization
from manifact.models.declaration import model
from manifact.models.streaming import Streaming


@model(name="nmf", paper="Lee, Seung 2001", published={"solver": "mu", "init": "random", "max_iter": 100, "tol": 0.0})
class NMF(Streaming, Factorization):
    """Minimise ‖X − V Uᵀ‖² (GNMF paper, eq 1) or KL(X ‖ V Uᵀ) (eq 2) over U, V ≥ 0.

    V ← V ∘ X U / (V UᵀU) and U ← U ∘ XᵀV / (U VᵀV); for the divergence V ← V ∘ (X/Y) U / Σu and
    U ← U ∘ (X/Y)ᵀV / Σv with Y = V Uᵀ. Neither raises the objective.

    Use it as the baseline that knows nothing of neighbours; "kullback-leibler" suits counts.

    Parameters
    ----------
    {common parameters}
    loss : {"frobenius", "kullback-leibler"}, default="frobenius"
        How the distance of V Uᵀ from X is measured.

    Attributes
    ----------
    {common attributes}

    Notes
    -----
    `transform` finds the best V for each sample. `fit` stops by its tolerance, just before that: on digits (unit
    length, k = 10) `transform` of the training samples differs from `fit_transform` by 0.1%.

    References
    ----------
    D. D. Lee, H. S. Seung. Algorithms for non-negative matrix factorization. NIPS 13, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from manifact import NMF
    >>> X, _ = load_digits(return_X_y=True)
    >>> model = NMF(n_components=10, random_state=0)
    >>> V = model.fit_transform(X)
    >>> V.shape, model.components_.shape
    ((1797, 10), (10, 64))
    """

    loss: str = "frobenius"

    _takes_blocks: ClassVar[bool] = True
    _has_short_run: ClassVar[bool] = True
    _start_meant_by_auto: ClassVar[str] = (
        'is "random" after a short run by least squares: on a sketch of dense X, and for the divergence on X itself '
        "where none is made"
    )
