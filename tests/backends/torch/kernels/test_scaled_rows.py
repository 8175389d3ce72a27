import torch

from manifact.backends.torch.kernels.scaled_rows import rescaled


def test_denominators_have_a_floor_and_may_be_one_row_for_all(draw, close):
    P, negative, positive = draw(7, 5), draw(7, 5), draw(7, 5)
    positive[2] = 0
    floor = torch.full((1,), 0.25, dtype=P.dtype, device=P.device)
    for below in (positive, positive[:1].contiguous()):
        close(rescaled(P, negative, below, floor), P * negative / torch.clamp(below, min=0.25))
