import pytest
import torch
from tests.backends.torch.kernels.cases import dense, sparse_case

from manifact.backends import numpy as kernels
from manifact.backends.numpy.numpy_operations import effort
from manifact.backends.torch.kernels.row_projections import divergence, least_squares


def test_least_squares_are_those_of_the_host(draw, close):
    U, B, shift = draw(30, 4), draw(5, 4) * 5, draw(5)
    G = U.T @ U
    V, restless = least_squares(G, B, shift, *effort("least_squares", str(B.dtype)[6:]))
    expected = kernels.nonnegative_least_squares(*(P.cpu().numpy() for P in (G, B, shift)))
    close(V, torch.as_tensor(expected, device=V.device), times=100 if V.dtype == torch.float32 else 1e5)
    assert not restless.any()


def test_rows_that_do_not_come_to_rest_are_named(draw):
    U = draw(30, 3)
    _, restless = least_squares(U.T @ U, draw(5, 3) * 5, draw(5), 1, 1e-12)
    assert restless.all()


@pytest.mark.parametrize("tied", [False, True])
def test_divergences_are_those_of_the_host(draw, close, tied):
    X, U, shift = sparse_case(draw, 5, 12), draw(12, 3) + 0.1, draw(5)
    a = U.sum(dim=0) + 0.1
    pull = draw(5, 3) if tied else torch.zeros((5, 3), dtype=U.dtype, device=U.device)
    V = (dense(X).sum(dim=1, keepdim=True) / a.sum() + pull / (a + shift[:, None])).contiguous()
    # In the interpreter every step takes its time, and few digits show as much.
    divergence(X.indptr, X.indices, X.values, U, a, 0.2, pull, shift, 1e-10, 200, 1e-4, V)
    data = kernels.data(dense(X).cpu().numpy(), None)
    expected = data.project_divergence(
        U.cpu().numpy(), pull.cpu().numpy() if tied else None, shift.cpu().numpy(), 0.1, 0.2
    )
    assert float((V.cpu() - torch.as_tensor(expected)).norm()) <= 1e-3 * float(torch.as_tensor(expected).norm())
