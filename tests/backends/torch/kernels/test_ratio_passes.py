import pytest
import torch
from tests.backends.torch.kernels.cases import dense, sparse_case

from manifact.backends.torch.kernels import ratio_passes
from manifact.backends.torch.kernels.ratio_passes import GATHERED, OWN, SHARED, ratio_rows
from manifact.backends.torch.row_segments import segments


@pytest.mark.parametrize("k", [5, 16])
@pytest.mark.parametrize("halved_from", [8, 1000])
@pytest.mark.parametrize(("longest", "at_once"), [(512, 1 << 40), (8, 16)])
def test_ratios_and_logarithms_are_those_of_dense_arrays(draw, close, monkeypatch, k, halved_from, longest, at_once):
    monkeypatch.setattr(ratio_passes, "HALVED_FROM", halved_from)
    X, U, V = sparse_case(draw, 6, 40), draw(40, k), draw(6, k)
    cut = segments(X.indptr, X.indices, 40, longest, at_once)
    floors = torch.full((1,), 1e-10, dtype=U.dtype, device=U.device)
    out, logs = ratio_rows(cut, X.indices, X.values, U, V, floors, SHARED, True)
    Y = V.double() @ U.double().T
    close(out, (dense(X).double() / Y) @ U.double())
    close(torch.sum(logs), torch.sum(dense(X).double() * torch.log(Y)), times=10)


@pytest.mark.parametrize("whose", [OWN, GATHERED])
def test_floors_belong_to_samples(draw, close, whose):
    """V of zeros: y is the floor, and the ratio its inverse."""
    X, U = sparse_case(draw, 6, 20), draw(20, 4)
    V = torch.zeros((6, 4), dtype=U.dtype, device=U.device)
    cut = segments(X.indptr, X.indices, 20, 512, 1 << 40)
    floors = draw(6 if whose == OWN else 20) + 0.1
    out, _ = ratio_rows(cut, X.indices, X.values, U, V, floors, whose, False)
    share = 1 / floors.double()
    there = (dense(X) > 0).double()
    close(out, (there * (share[:, None] if whose == OWN else share[None, :])) @ U.double())
