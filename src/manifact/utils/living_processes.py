"""Which process wrote something, and whether it is still there."""

from __future__ import annotations

import os
import platform
from hashlib import sha256
from pathlib import Path


def name_of_process() -> str:
    """Machine, number and start of this process: numbers are given again, in containers always the same ones."""
    return f"{_machine()}-{os.getpid()}-{_started(os.getpid())}"


def has_ended(name: str) -> bool | None:
    """Whether the process of a name has ended; None where that cannot be known, as of one on another machine.

    >>> has_ended(name_of_process()), has_ended("another-1-0")
    (False, None)
    """
    machine, number, started = [*name.split("-"), "", ""][:3]
    if machine != _machine() or not number.isdecimal() or os.name != "posix":
        return None
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):  # somebody else's
        pass
    return started != _started(int(number))


def _machine() -> str:
    return sha256(platform.node().encode()).hexdigest()[:8]


def _started(number: int) -> str:
    """When a process began, in ticks of the system's clock; 0 where the system does not say."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return "0"
