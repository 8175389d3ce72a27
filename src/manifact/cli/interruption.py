"""Ctrl-C, and SIGTERM as if it were Ctrl-C: batch systems and containers end programs by it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import current_thread, main_thread
from types import FrameType

#: What ends a command, and the exit codes that shells expect.
SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Ending:
    """Which signal came first."""

    number: int = signal.SIGINT

    @property
    def exit_code(self) -> int:
        """128 and the signal's number: 130 or 143."""
        return 128 + self.number


@contextmanager
def ending_by_signals() -> Iterator[Ending]:
    """Inside, SIGTERM interrupts as Ctrl-C does; only the main thread of a program hears signals."""
    ending = Ending()
    if current_thread() is not main_thread():
        yield ending
        return

    def end(number: int, frame: FrameType | None) -> None:
        ending.number = number
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield ending
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def signals_wait() -> Iterator[None]:
    """Inside, whoever interrupts waits until the block has ended: what was interrupted already is being saved."""
    if current_thread() is not main_thread():
        yield
        return
    before = [signal.signal(number, signal.SIG_IGN) for number in SIGNALS]
    try:
        yield
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)
