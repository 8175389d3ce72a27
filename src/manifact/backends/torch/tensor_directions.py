"""X ~ P diag(s) Qᵀ for tensors, as NumPy's backend has it and from the same random directions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from sklearn.utils import check_random_state

from manifact.backends import host_dtype
from manifact.backends.numpy.leading_directions import NEGLIGIBLE, carried
from manifact.backends.protocol import ShowProgress, silent
from manifact.backends.torch.full_precision import full_precision
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.memory_budget import slices
from manifact.backends.torch.tensor_rows import is_sparse


def leading_directions(
    X: Any, rank: int, random_state: Any = 0, scale: Any = None, iterations: int = 4, progress: ShowProgress = silent
) -> tuple[Any, Any]:
    """The leading singular values s and right singular vectors Q (m x r) of diag(scale) X, in float64."""
    n, m = X.shape
    drawn = check_random_state(random_state).standard_normal((m, carried(rank, n, m)))
    Q = torch.as_tensor(drawn, dtype=X.dtype, device=X.device)
    gamma = 1.0 if scale is None else torch.as_tensor(scale, dtype=X.dtype, device=X.device)[:, None]
    times, times_transposed = _products(X)
    with full_precision(), progress("directions", 2.0 + 2 * iterations) as advance:
        for turn in range(iterations + 1):
            P = _orthogonal(gamma * times(Q))
            # Twice: the first leaves what rounding of the squares makes of columns that differ much in length.
            P = _orthogonal(P) if turn == iterations else P
            advance(1)
            Q = times_transposed(gamma * P.to(X.dtype))
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


def _products(X: Any) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """What multiplies a factor by X, and by its transpose."""
    if isinstance(X, HostSamples):
        from manifact.backends.torch.streamed_data import StreamedData

        data = StreamedData(X, None)
        return data.times, data.times_transposed
    XT = X.t().to_sparse_csr() if is_sparse(X) else X.T
    return X.__matmul__, XT.__matmul__


def _orthogonal(P: Any) -> Any:
    """Orthonormal columns, in float64, that span those of P; fewer where some depend on others.

    From the eigenvectors of PᵀP: products are many times as fast as reflections, and matrices this small are the
    host's.
    """
    P = P.to(torch.float64)
    values, vectors = np.linalg.eigh((P.T @ P).cpu().numpy())
    kept = values > P.shape[1] * np.finfo(np.float64).eps * values.max(initial=0.0)
    return P @ torch.as_tensor(vectors[:, kept] / np.sqrt(values[kept]), device=P.device)


def projected(X: Any, Q: Any) -> Any:
    """X Q in float64."""
    Q = torch.as_tensor(Q, device=X.device).to(torch.float64)
    if isinstance(X, HostSamples):
        return torch.cat([projected(block, Q) for _, block in X.blocks()])
    if is_sparse(X):
        return X.to(torch.float64) @ Q
    out = torch.empty((X.shape[0], Q.shape[1]), dtype=torch.float64, device=X.device)
    for rows in slices(X, X.shape[0], 8 * max(1, X.shape[1])):
        out[rows] = X[rows].to(torch.float64) @ Q
    return out
