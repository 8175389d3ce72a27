"""Sizes, and the blocks that follow from them."""

from manifact.io.out_of_core.workspace import Workspace
from manifact.utils import memory


def test_blocks_fit_into_the_memory():
    assert Workspace(4 << 30).block_bytes == 256 << 20
    assert Workspace(1 << 30).block_bytes == 64 << 20
    assert Workspace(1 << 30).rows(1024) == 1 << 16
    assert Workspace(1 << 30).rows(1 << 17) == 1000, "few rows cost more than they save"
    assert Workspace(1 << 30).rows(1 << 21) == 128, "but not more than a quarter of the memory"
    assert Workspace(1 << 20).rows(1 << 40) == 1
    assert Workspace.of("3G", "/scratch").memory == 3 << 30


def test_without_a_limit_it_is_what_is_free(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: 12345)
    assert Workspace.of().memory == 12345
    monkeypatch.setattr(memory, "available", lambda: None)
    assert Workspace.of().memory == 4 << 30
