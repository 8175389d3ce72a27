"""How a command ends: what is refused or interrupted in one sentence, and the exit code that scripts expect."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from manifact.commands.wording import as_typed

#: What bad input raises, each with one sentence.
REFUSALS = (ValueError, TypeError, ImportError, OSError, MemoryError, FloatingPointError)


@contextmanager
def told(*refusals: type[Exception]) -> Iterator[None]:
    """Tell what is refused or interrupted in one sentence, and end with the exit code that scripts expect."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = note
            yield
    except refusals as refusal:
        typer.echo(as_typed(" ".join(str(refusal).split())) or type(refusal).__name__, err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt as interrupt:
        typer.echo(str(interrupt) or "interrupted", err=True)
        raise typer.Exit(130) from None


def note(message: Warning | str, *where: Any, **more: Any) -> None:
    """A warning without the line of code that it came from."""
    typer.echo(f"note: {' '.join(str(message).split())}", err=True)
