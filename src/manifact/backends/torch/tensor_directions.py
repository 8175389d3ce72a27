"""X ~ P diag(s) Qᵀ for tensors, as NumPy's backend has it and from the same random directions."""

from __future__ import annotations

from typing import Any

import torch
from sklearn.utils import check_random_state

from manifact.backends import host_dtype
from manifact.backends.numpy.leading_directions import NEGLIGIBLE, carried
from manifact.backends.protocol import ShowProgress, silent


def leading_directions(
    X: Any, rank: int, random_state: Any = 0, scale: Any = None, iterations: int = 4, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """The leading singular values s and right singular vectors Q (m x r) of diag(scale) X, in float64."""
    n, m = X.shape
    drawn = check_random_state(random_state).standard_normal((m, carried(rank, n, m)))
    Q = torch.as_tensor(drawn, dtype=X.dtype, device=X.device)
    gamma = 1.0 if scale is None else torch.as_tensor(scale, dtype=X.dtype, device=X.device)[:, None]
    XT = X.t().to_sparse_csr() if X.layout == torch.sparse_csr else X.T
    with progress("directions", 2.0 + 2 * iterations) as advance:
        for turn in range(iterations + 1):
            P = _orthogonal(gamma * (X @ Q))
            advance(1)
            Q = XT @ (gamma * P.to(X.dtype))
            advance(1)
            if turn < iterations:
                Q = _orthogonal(Q).to(X.dtype)
    basis, R = torch.linalg.qr(Q.to(torch.float64))
    left, s, _ = torch.linalg.svd(R)
    kept = s[:rank] > NEGLIGIBLE[host_dtype(X)] * (s[0] if len(s) else 0.0)
    Q = basis @ left[:, :rank][:, kept]
    if Q.numel():
        largest = torch.gather(Q, 0, Q.abs().argmax(dim=0, keepdim=True))
        Q = Q * torch.where(largest < 0, -1.0, 1.0)
    return s[:rank][kept], Q


def _orthogonal(P: Any) -> Any:
    return torch.linalg.qr(P.to(torch.float64))[0]
