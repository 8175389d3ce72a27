"""How a command ends: what is refused or interrupted in one sentence, and the exit code that scripts expect."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import typer

from manifact.cli.interruption import Ending, ending_by_signals
from manifact.cli.printed_lines import say
from manifact.cli.standard_input import shown
from manifact.utils.errors import worded

#: What bad input raises, each with one sentence.
REFUSALS = (ValueError, TypeError, ImportError, OSError, MemoryError, FloatingPointError)


@contextmanager
def errors_in_one_sentence(context: typer.Context, *refusals: type[Exception]) -> Iterator[None]:
    """Tell what is refused or interrupted in one sentence, and end with the exit code that scripts expect."""
    with ending_by_signals() as ending:
        yield from _told(context, refusals, ending)


def _told(context: typer.Context, refusals: tuple[type[Exception], ...], ending: Ending) -> Iterator[None]:
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warned
            yield
    except BrokenPipeError:  # who reads our output has enough of it, which Typer ends with quietly
        raise
    except refusals as refusal:
        say(_line(worded(refusal, _option_of(context))) or type(refusal).__name__, err=True)
        raise typer.Exit(2) from None
    except KeyboardInterrupt as interrupt:
        say(_line(str(interrupt)) or "interrupted", err=True)
        raise typer.Exit(ending.exit_code) from None


def note(text: str) -> None:
    """A line on standard error, for what is done but worth a look."""
    say(f"note: {_line(text)}", err=True)


def _warned(message: Warning | str, *where: Any, **more: Any) -> None:
    """A warning without the line of code that it came from."""
    note(str(message))


def _option_of(context: typer.Context) -> Callable[[str], str]:
    """What sets a parameter in the command that runs; a parameter that has no option keeps its name."""
    options = {
        parameter.name: parameter.opts[0]
        for parameter in context.command.params
        if parameter.param_type_name == "option"
    }
    return lambda name: options.get(name, name)


def _line(text: str) -> str:
    return " ".join(shown(text).split())
