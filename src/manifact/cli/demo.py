"""``manifact demo``: every model on data that are on every machine, beside k-means."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from manifact.cli import choices
from manifact.cli.model_defaults import filled_in

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from manifact.datasets import Dataset

SEED = 0
#: Models whose papers write them otherwise than Python can.
PRINTED = {"ALPNMF": "A-LPNMF"}


@dataclass(frozen=True)
class Outcome:
    """One row of the table."""

    data: str
    method: str
    AC: float
    NMI: float
    seconds: float


def demo() -> None:
    """Cluster handwritten digits and Python's own documentation with every model; needs no network."""
    run()


def methods(k: int) -> dict[str, Callable[[], Any]]:
    """Name -> what makes an estimator with ``fit_predict``; models as ``manifact fit`` sets them, not tuned to data."""
    from sklearn.cluster import KMeans

    made: dict[str, Callable[[], Any]] = {"k-means": partial(KMeans, k, n_init=20, random_state=SEED)}
    for _, entry in sorted(choices.models().items()):
        settings = filled_in(entry) | {"n_components": k, "random_state": SEED}
        cls: Callable[..., Any] = entry.cls
        name = entry.cls.__name__
        made[PRINTED.get(name, name)] = partial(cls, **settings)
    return made


def sets() -> Iterator[tuple[Dataset, Any]]:
    """The demo's data, raw and as the papers prepare them."""
    from manifact.datasets import load_digits, load_stdlib_docs, tfidf, unit_length

    digits = load_digits()
    yield digits, unit_length(digits.X)
    docs = load_stdlib_docs()
    yield docs, tfidf(docs.X)


def outcomes(show: Callable[[str], None] = lambda text: None) -> Iterator[Outcome]:
    """Fit every method on every set."""
    from manifact.metrics import accuracy, nmi

    for data, X in sets():
        for name, make in methods(data.n_classes).items():
            show(f"{name} on {data.name}")
            begun = time.perf_counter()
            labels = make().fit_predict(X)
            seconds = time.perf_counter() - begun
            yield Outcome(data.name, name, accuracy(data.y, labels), nmi(data.y, labels), seconds)


def run(console: Console | None = None) -> list[Outcome]:
    """Run the demo and print its table."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = console or Console()
    console.print("[bold]Manifact[/bold] clusters handwritten digits and the docstrings of Python's standard library.")
    console.print("The first run also compiles kernels, once for this version and processor.")
    total = 2 * len(methods(2))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    rows: list[Outcome] = []
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("loading", total=total)
        for outcome in outcomes(lambda text: bar.update(task, description=text)):
            rows.append(outcome)
            bar.advance(task)
    console.print(_table(rows))
    console.print(_NEXT, highlight=False)
    return rows


def _table(rows: list[Outcome]) -> Table:
    from rich.table import Table

    table = Table(
        caption="AC: accuracy after the best matching of clusters to classes. NMI: normalised mutual information."
    )
    for title, justify in (
        ("data", "left"),
        ("method", "left"),
        ("AC", "right"),
        ("NMI", "right"),
        ("seconds", "right"),
    ):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]
    for number, row in enumerate(rows):
        first = number == 0 or rows[number - 1].data != row.data
        if first and number:
            table.add_section()
        best = max(other.NMI for other in rows if other.data == row.data) == row.NMI
        cells = (row.method, f"{row.AC:.3f}", f"{row.NMI:.3f}", f"{row.seconds:.2f}")
        table.add_row(row.data if first else "", *cells, style="bold" if best else None)
    return table


_NEXT = """\
What to do next:

  from manifact import AffinityNMF
  model = AffinityNMF(n_components=10).fit(X)  # X: samples in rows, dense or sparse, non-negative
  model.labels_, model.components_, model.report(X, "page.html")

or, with a folder of text files or images, a table or an AnnData file:

  manifact fit DATA -k 10 --report page.html
"""
