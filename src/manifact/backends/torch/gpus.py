"""Which GPUs there are."""

import torch


def number_of_gpus() -> int:
    """GPUs that PyTorch can use."""
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def memory_in_gib() -> tuple[float, float]:
    """What is free on the GPU that is worked on, and all that it has."""
    if not torch.cuda.is_available():
        return 0.0, 0.0
    torch.cuda.empty_cache()
    free, total = torch.cuda.mem_get_info()
    return free / 2**30, total / 2**30
