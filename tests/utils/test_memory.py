import pytest

from manifact.utils import memory


def test_what_fits_passes_and_what_does_not_is_refused():
    memory.require(1, "a byte", "")
    with pytest.raises(MemoryError, match=r"the moon would need about 1048576.0 GiB and .* GiB are free: ask for less"):
        memory.require(2**50, "the moon", "ask for less")


def test_a_system_that_does_not_say_refuses_nothing(monkeypatch):
    monkeypatch.setattr(memory, "available", lambda: None)
    memory.require(2**60, "the sun", "")
