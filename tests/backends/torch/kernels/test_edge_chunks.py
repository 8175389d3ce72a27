import torch
from tests.backends.torch.kernels.cases import sparse_case

from manifact.backends.torch.kernels.edge_chunks import edge_sums, edge_weights


def test_energies_and_weights_are_summed_edge_by_edge(draw, close):
    W, A, B = sparse_case(draw, 12, 12), draw(12, 5), draw(12, 5)
    heads, tails = W.rows.long(), W.indices.long()
    a, b = (P[heads].double() - P[tails].double() for P in (A, B))
    w = W.values.double()[:, None]
    close(edge_sums(W.rows, W.indices, W.values, A, B), 0.5 * torch.sum(w * a * b, dim=0), times=10)
    close(edge_sums(W.rows, W.indices, W.values, A, A), 0.5 * torch.sum(w * a * a, dim=0), times=10)
    close(edge_weights(W.rows, W.indices, W.values, A), w[:, 0] * torch.exp(-torch.sum(a * a, dim=1)))


def test_smooth_factors_lose_no_digits(draw, close):
    W, A = sparse_case(draw, 12, 12), draw(12, 5)
    far = 1e4 + 1e-2 * A
    moved = far - 1e4
    close(edge_sums(W.rows, W.indices, W.values, far, far), edge_sums(W.rows, W.indices, W.values, moved, moved))
