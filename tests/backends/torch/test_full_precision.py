"""What the user set is set again."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch.full_precision import full_precision  # noqa: E402


def test_it_is_full_inside_and_as_before_outside():
    before = torch.get_float32_matmul_precision()
    try:
        torch.set_float32_matmul_precision("medium")
        with pytest.raises(ZeroDivisionError), full_precision():
            raise ZeroDivisionError(torch.get_float32_matmul_precision())
        with full_precision():
            assert torch.get_float32_matmul_precision() == "highest"
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)
