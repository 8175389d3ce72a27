import torch
from tests.backends.torch.kernels.cases import sparse_case

from manifact.backends.torch.kernels.slot_sums import add_slots, slots_for
from manifact.backends.torch.row_segments import segments


def test_rows_are_the_sums_of_their_slots_and_rows_without_any_are_zero(draw, close):
    X = sparse_case(draw, 9, 40)
    cut = segments(X.indptr, X.indices, 40, 4, 1 << 40)
    slots = slots_for(cut, 5, X.values)
    slots.copy_(draw(*slots.shape))
    out = torch.full((9, 5), torch.nan, dtype=slots.dtype, device=slots.device)
    add_slots(cut, slots, out)
    for row, first, count in zip(cut.joined_row, cut.joined_first, cut.joined_count, strict=True):
        close(out[row], slots[first : first + count].sum(dim=0) if count else torch.zeros_like(out[row]))
    assert (cut.joined_count == 0).any()
    assert (cut.joined_count > 8).any()
