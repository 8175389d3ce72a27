"""A small sparse matrix with an empty row, a full one and an entry alone."""

import torch

from manifact.backends.torch.sparse_rows import SparseRows


def sparse_case(draw, n, m):
    X = draw(n, m) * (draw(n, m) < 0.4)
    X[2] = 0
    X[3] = draw(m) + 0.1
    X[4] = 0
    X[4, m // 2] = 1.5
    csr = X.to_sparse_csr()
    return SparseRows(csr.crow_indices().int(), csr.col_indices().int(), csr.values(), (n, m))


def dense(X):
    out = torch.zeros(X.shape, dtype=X.values.dtype, device=X.values.device)
    out[X.rows.long(), X.indices.long()] = X.values
    return out
