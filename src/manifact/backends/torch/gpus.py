"""Which GPUs there are."""

import torch


def number_of_gpus() -> int:
    """GPUs that PyTorch can use."""
    return torch.cuda.device_count() if torch.cuda.is_available() else 0
