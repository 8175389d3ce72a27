"""Kernels run on the GPU where there is one, and in Triton's interpreter on the CPU where there is none."""

import os

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
if not torch.cuda.is_available():
    # Read when a kernel is declared: before any of them is imported.
    os.environ["TRITON_INTERPRET"] = "1"
pytest.importorskip("triton", reason="Triton is not installed: builds of PyTorch for CUDA bring it")
if not torch.cuda.is_available():
    from triton.runtime import interpreter

    patched = interpreter._patch_lang_tensor

    def with_index(tensor, scope):
        """Triton 3.6 takes arrays of one number for indices, which NumPy 2.4 does not any more."""
        patched(tensor, scope)
        scope.set_attr(tensor, "__index__", lambda self: int(self.handle.data.item()))

    interpreter._patch_lang_tensor = with_index


@pytest.fixture
def device():
    return "cuda" if torch.cuda.is_available() else "cpu"


@pytest.fixture(params=[torch.float32, torch.float64], ids=["single", "double"])
def dtype(request):
    return request.param


@pytest.fixture
def draw(device, dtype):
    """Random tensors in (0, 1)."""
    made = torch.Generator().manual_seed(0)
    return lambda *shape: torch.rand(shape, generator=made, dtype=torch.float64).to(dtype).to(device)


@pytest.fixture
def close(dtype):
    rtol = {torch.float32: 3e-6, torch.float64: 1e-13}[dtype]

    def check(mine, expected, times=1.0):
        expected = expected.double()
        assert float((mine.double() - expected).norm()) <= times * rtol * float(expected.norm())

    return check
