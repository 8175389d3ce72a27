"""Progress shown to a person: iterations with their objective, steps of a search, time left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console

    from manifact.solvers.engine import Callback, Iteration

#: Called with the amount of work that is newly done.
Advance = Callable[[float], None]

_asked: ContextVar[bool] = ContextVar("manifact progress", default=False)


@contextmanager
def showing(enabled: bool) -> Iterator[None]:
    """Long work inside the block shows its steps, if this or a surrounding block asks for it."""
    token = _asked.set(enabled or _asked.get())
    try:
        yield
    finally:
        _asked.reset(token)


class Tally(NamedTuple):
    """Counts work that is done, and work that is newly known of."""

    advance: Advance
    more: Advance


@contextmanager
def open_steps(title: str, total: float = 0.0) -> Iterator[Tally]:
    """A bar whose end is not known yet, if a surrounding `showing` asked for it, or nothing."""
    if not _asked.get():
        yield Tally(lambda amount: None, lambda amount: None)
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=_beside_the_output()) as bar:
        task = bar.add_task(title, total=total)
        yield Tally(
            lambda amount: bar.advance(task, amount),
            lambda amount: bar.update(task, total=(bar.tasks[0].total or 0.0) + amount),
        )


@contextmanager
def steps(title: str, total: float) -> Iterator[Advance]:
    """``advance(amount)``, which draws a bar if a surrounding `showing` asked for it, or does nothing."""
    with open_steps(title, total) as tally:
        yield tally.advance


def _beside_the_output() -> Console:
    """Standard error, so that what a command prints can be piped."""
    from manifact.utils.terminal_text import safe_console

    return safe_console(stderr=True)


@contextmanager
def progress(title: str, max_iter: int, enabled: bool) -> Iterator[Callback]:
    """A callback that draws a bar while the block runs, or does nothing."""
    if not enabled:
        yield lambda iteration: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("objective {task.fields[objective]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_beside_the_output()) as bar:
        task = bar.add_task(title, total=max_iter, objective="")

        def show(iteration: Iteration) -> None:
            known = iteration.known_objective
            bar.update(task, completed=iteration.number, objective=f"{known[-1]:.6g}" if known else "")

        yield show
        # A run that converged early is done, not a share of the iterations it might have taken.
        bar.update(task, total=bar.tasks[0].completed)
