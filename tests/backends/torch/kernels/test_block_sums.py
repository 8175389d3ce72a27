import pytest

from manifact.backends.torch.kernels import block_sums
from manifact.backends.torch.kernels.block_sums import block_products


@pytest.mark.parametrize(("rows", "tile"), [(2048, 4096), (8, 32)])
def test_columns_are_added_in_float64_block_by_block(draw, close, monkeypatch, rows, tile):
    monkeypatch.setattr(block_sums, "ROWS", rows)
    monkeypatch.setattr(block_sums, "TILE", tile)
    A, B = draw(21, 5), draw(21, 5)
    assert block_products(A, None).dtype.itemsize == 8
    close(block_products(A, None), A.double().sum(dim=0))
    close(block_products(A, B), (A.double() * B.double()).sum(dim=0))
