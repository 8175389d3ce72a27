import numpy as np
import pytest

import manifact
from manifact.utils import memory, system_memory


@pytest.fixture
def free(monkeypatch):
    """Sets what each source says is free."""

    def say(machine=None, groups=None, process=None, resident=0):
        monkeypatch.setattr(system_memory, "free_on_machine", lambda: machine)
        monkeypatch.setattr(system_memory, "free_in_control_groups", lambda: groups)
        monkeypatch.setattr(system_memory, "free_by_process_limits", lambda: process)
        monkeypatch.setattr(system_memory, "resident", lambda: resident)

    monkeypatch.delenv(memory.VARIABLE, raising=False)
    return say


def test_what_fits_passes_and_what_does_not_is_refused():
    memory.require(1, "a byte", "")
    with pytest.raises(MemoryError, match=r"the moon would need about 1048576.0 GiB and .* are free: ask for less"):
        memory.require(2**50, "the moon", "ask for less")


def test_a_system_that_does_not_say_refuses_nothing(free):
    free()
    assert memory.available() is None
    assert memory.fits(2**60)
    memory.require(2**60, "the sun", "")


@pytest.mark.parametrize("least", ["machine", "groups", "process"])
def test_the_smallest_counts(free, least):
    free(**({"machine": 1000, "groups": 2000, "process": None} | {least: 500}))
    assert memory.available() == 500
    assert memory.fits(500)
    assert not memory.fits(501)


def test_a_users_limit_counts_what_the_process_has_already(free, monkeypatch):
    free(machine=10 << 30, resident=1 << 30)
    with memory.memory_limit("3G"):
        assert memory.available() == 2 << 30
        with memory.memory_limit(1 << 20):
            assert memory.available() == 0
        with memory.memory_limit("1T"):
            assert memory.available() == 10 << 30, "no user can have more than there is"
        assert memory.available() == 2 << 30
    assert memory.available() == 10 << 30
    monkeypatch.setenv(memory.VARIABLE, "2 GiB")
    assert memory.available() == 1 << 30
    with memory.memory_limit("4G"):
        assert memory.available() == 3 << 30, "a block says it nearer than the environment"


def test_a_limit_that_is_none(monkeypatch):
    with pytest.raises(ValueError, match="size='much' must be a size such as 500M"), memory.memory_limit("much"):
        pass
    monkeypatch.setenv(memory.VARIABLE, "much")
    with pytest.raises(ValueError, match="MANIFACT_MEMORY_LIMIT='much' must be a size such as 500M"):
        memory.available()


def test_models_keep_to_the_limit():
    X = np.random.default_rng(0).random((300, 20))
    with manifact.memory_limit("1M"), pytest.raises(MemoryError, match=r"0 B are free"):
        manifact.NMF(2).fit(X)
    manifact.NMF(2, max_iter=1).fit(X)
