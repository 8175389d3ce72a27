"""Blocks within a budget."""

import pytest
from sklearn import config_context

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch.memory_budget import budget, slices  # noqa: E402


def test_blocks_cover_everything_once_and_keep_to_the_budget():
    X = torch.zeros(1)
    with config_context(working_memory=1):
        assert budget(X) == 2**20
        found = slices(X, 1000, 2**12)
    assert [row for some in found for row in range(some.start, some.stop)] == list(range(1000))
    assert max(some.stop - some.start for some in found) == 256
    assert slices(X, 0, 8) == []


def test_what_is_larger_than_the_budget_goes_one_by_one():
    with config_context(working_memory=1):
        assert len(slices(torch.zeros(1), 3, 2**30)) == 3
