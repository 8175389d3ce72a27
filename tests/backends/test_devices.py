"""The device that a name means, and one sentence where it is not there."""

import subprocess
import sys

import numpy as np
import pytest

from manifact.backends import devices
from manifact.utils.errors import BadValueError, MissingPackageError


@pytest.mark.parametrize("name", ["gpu", "cuda:", "cuda:x", "cuda:-1", None, 0, "CUDA", "cpu:0"])
def test_what_names_no_device_is_refused(name):
    with pytest.raises(BadValueError, match="is not known: choose 'cpu', 'cuda'"):
        devices.check_device(name)


def test_the_host_needs_no_pytorch():
    asked = "import sys; from manifact.backends.devices import chosen_device; chosen_device('cpu')"
    subprocess.run([sys.executable, "-c", f"{asked}; assert 'torch' not in sys.modules"], check=True)


def test_without_pytorch_a_gpu_is_refused_in_one_sentence(monkeypatch):
    monkeypatch.setattr(devices, "find_spec", lambda name: None)
    with pytest.raises(
        MissingPackageError, match=r"^device='cuda' needs PyTorch, .*: pip install torch, or use device='cpu'$"
    ):
        devices.chosen_device("cuda")
    assert devices.chosen_device("auto") is None
    assert devices.reachable_device("cuda") is None


def gpus(monkeypatch, number):
    pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    monkeypatch.setattr("manifact.backends.torch.gpus.number_of_gpus", lambda: number)


def test_without_a_gpu_it_is_refused_in_one_sentence(monkeypatch):
    gpus(monkeypatch, 0)
    with pytest.raises(BadValueError, match=r"^device='cuda:1' needs a GPU that PyTorch can use, and there is none: "):
        devices.chosen_device("cuda:1")
    assert devices.chosen_device("auto") is None
    assert devices.reachable_device("cuda") is None


def test_gpus_are_counted_from_0(monkeypatch):
    gpus(monkeypatch, 2)
    assert [devices.chosen_device(name) for name in ("cpu", "auto", "cuda", "cuda:1")] == [
        None,
        "cuda",
        "cuda",
        "cuda:1",
    ]
    with pytest.raises(BadValueError, match="device='cuda:2' is not there: PyTorch sees 2 GPUs"):
        devices.chosen_device("cuda:2")


def test_samples_are_placed():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    X = np.ones((2, 2))
    assert devices.placed(X, None) is X
    assert isinstance(devices.placed(X, "cpu"), torch.Tensor)
    assert devices.placed(torch.ones(2), "meta").device.type == "meta"
