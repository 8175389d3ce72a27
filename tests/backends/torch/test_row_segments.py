import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch.row_segments import segments  # noqa: E402

INDPTR = torch.tensor([0, 3, 3, 10, 11])
INDICES = torch.tensor([0, 5, 9, 0, 1, 2, 3, 4, 8, 9, 5])


@pytest.mark.parametrize(("longest", "at_once"), [(100, 100), (3, 100), (100, 5), (2, 5)])
def test_every_entry_is_in_one_segment_of_its_row(longest, at_once):
    cut = segments(INDPTR, INDICES, 10, longest, at_once)
    seen = []
    for row, first, size in zip(cut.row.tolist(), cut.first.tolist(), cut.size.tolist(), strict=True):
        assert 0 < size <= longest
        assert INDPTR[row] <= first
        assert first + size <= INDPTR[row + 1]
        assert len({index // at_once for index in INDICES[first : first + size].tolist()}) == 1
        seen += range(first, first + size)
    assert sorted(seen) == list(range(11))


def test_slots_of_a_row_stand_side_by_side_in_its_order():
    cut = segments(INDPTR, INDICES, 10, 2, 5)
    known = (cut.row.tolist(), cut.first.tolist(), cut.slot.tolist())
    places = {slot: (row, first) for row, first, slot in zip(*known, strict=True)}
    joined = (cut.joined_row.tolist(), cut.joined_first.tolist(), cut.joined_count.tolist())
    for row, first, count in zip(*joined, strict=True):
        found = [places[slot] for slot in range(first, first + count)]
        assert all(owner == row for owner, _ in found)
        assert found == sorted(found)
    assert cut.n_slots == sum(cut.joined_count.tolist())
    # The row without entries is written as well; the row of one segment is not.
    assert cut.joined_row.tolist() == [0, 1, 2]


def test_segments_of_the_same_columns_come_together():
    cut = segments(INDPTR, INDICES, 10, 100, 5)
    blocks = [int(INDICES[first]) // 5 for first in cut.first.tolist()]
    assert blocks == sorted(blocks)
