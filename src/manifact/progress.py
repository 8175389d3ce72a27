"""Progress shown to a person: iterations, objective, time left."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from manifact.solvers.engine import Callback, Iteration


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
    with Progress(*columns) as bar:
        task = bar.add_task(title, total=max_iter, objective="")

        def show(iteration: Iteration) -> None:
            bar.update(task, completed=iteration.number, objective=f"{iteration.objective[-1]:.6g}")

        yield show
