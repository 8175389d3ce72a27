import pytest
import torch
from tests.backends.torch.kernels.cases import dense, sparse_case

from manifact.backends.torch.kernels.gathered_products import product_rows
from manifact.backends.torch.row_segments import segments


@pytest.mark.parametrize("k", [1, 5, 16])
@pytest.mark.parametrize(("longest", "at_once"), [(512, 1 << 40), (8, 1 << 40), (512, 16)])
def test_it_is_the_product_however_rows_are_cut(draw, close, k, longest, at_once):
    X, U = sparse_case(draw, 7, 40), draw(40, k)
    cut = segments(X.indptr, X.indices, 40, longest, at_once)
    out = product_rows(cut, 7, X.indices, X.values, U)
    close(out, dense(X).double() @ U.double())
    assert torch.equal(out, product_rows(cut, 7, X.indices, X.values, U))
    assert not out[2].any()
