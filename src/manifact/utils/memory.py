"""Refuse what would not fit, with an estimate, before the work starts."""

from __future__ import annotations

import os

from manifact.utils.errors import Sentence, TooLargeError


def available() -> int | None:
    """Bytes of memory that are free for use, or None where the system does not say."""
    try:
        with open("/proc/meminfo") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


def fits(n_bytes: int) -> bool:
    """Whether so many bytes are available, as far as the system says."""
    free = available()
    return free is None or n_bytes <= free


def require(n_bytes: int, what: str, remedy: str | Sentence) -> None:
    """Raise `MemoryError` if ``what`` needs more bytes than are available."""
    free = available()
    if free is not None and n_bytes > free:
        raise TooLargeError(
            "{} would need about {:.1f} GiB and {:.1f} GiB are free: {}", what, n_bytes / 2**30, free / 2**30, remedy
        )
