import pytest
import torch

from manifact.backends import plain
from manifact.backends.torch.kernels.row_sweeps import sweep_all, sweep_group, sweep_quartic


@pytest.fixture(params=[3, 8])
def case(request, draw):
    k = request.param
    U, V = draw(30, k), draw(9, k)
    scale, shift = draw(9) + 0.1, draw(9)
    # Nothing bends this row.
    scale[5] = shift[5] = 0
    return V, U.T @ U, 5 * draw(9, k), scale, shift


def test_all_rows_take_their_steps(case, close):
    V, *form = case
    mine = V.clone()
    sweep_all(mine, *form, 3)
    expected = plain.sweep_rows(V, *form, 3)
    close(mine, expected, times=10)
    assert not mine[5].any()
    assert not torch.equal(mine, V)


def test_rows_of_a_group_are_drawn_and_others_stand_still(case, close, draw):
    V, G, B, scale, shift = case
    order = torch.tensor([1, 4, 7], device=V.device, dtype=torch.int32)
    pulls, lam = draw(3, V.shape[1]), draw(1)
    mine = V.clone()
    sweep_group(mine, G, B, scale, shift, order, pulls, lam)
    drawn = B.clone()
    drawn[order.long()] += lam * pulls
    expected = V.clone()
    expected[order.long()] = plain.sweep_rows(V, G, drawn, scale, shift, 1)[order.long()]
    close(mine, expected, times=10)
    assert torch.equal(mine[0], V[0])


def test_the_quartic_holds_the_other_rows_still(case, close, draw):
    V, G, B, scale, shift = case
    A, tied = V.T @ V, draw(9)
    mine = sweep_quartic(V, G, A, B, scale, shift, tied)
    rows = [
        plain.sweep_rows(V[[j]], scale[j] * G + tied[j] * A, B[[j]], 1.0, shift[j], 1)[0] for j in range(V.shape[0])
    ]
    close(mine, torch.stack(rows), times=10)
