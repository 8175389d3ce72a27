"""A table's averages as curves over its rows: the paper's printed numbers dashed, ours drawn through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from manifact.experiments.reproduce import draw, spec
from manifact.experiments.reproduce.kinds import clusters
from manifact.experiments.reproduce.page import Cell, Claim, Claims, Comparison, Page, Picture, summary
from manifact.experiments.reproduce.setting import Setting
from manifact.experiments.reproduce.spec import Experiment, Printed


def reproduce(experiment: Experiment, setting: Setting) -> Page:
    """Draw the table ``of`` that the figure shows; its runs are the table's own."""
    draw.require()
    table = spec.load(experiment["of"], experiment.quick)
    results = clusters.run(table, setting)
    printed = table.printed[experiment["score"]]
    methods = [method for method in results if method in next(iter(printed.values()))]
    picture = draw.chart([_panel(table, results, printed, methods, name) for name in experiment["scores"]], height=3.2)
    rows = [str(classes) for classes in table["classes"]]
    judged = list(_claims(experiment, table, results, methods))
    return Page(
        experiment.name,
        experiment.title,
        _intro(experiment, table),
        [
            Claims(judged),
            Picture(experiment["score"], experiment.name, picture, "Dashed: the paper's numbers; drawn through: ours."),
            *(
                Comparison(
                    table.score_title(score), "K", rows, methods, _cells(table, results, printed, methods, score)
                )
                for score in experiment["scores"]
            ),
        ],
    )


def _intro(experiment: Experiment, table: Experiment) -> str:
    extent = f"{table['repeats']} draws for each number of classes"
    quick = "; this is the quick run, without `--quick` it is the paper's own size" if experiment.quick else ""
    return f"{table['protocol']}\n\nThe runs are those of `{experiment['of']}`: {extent}{quick}."


def _panel(
    table: Experiment, results: clusters.Results, printed: Printed, methods: list[str], score: str
) -> draw.Panel:
    lines = []
    for colour, method in enumerate(methods):
        ours = means(table, results, method, score)
        paper = {row: value.mean for row in table["classes"] if (value := printed[str(row)][method]) is not None}
        lines.append(draw.Line(method, list(ours), list(ours.values()), colour))
        lines.append(draw.Line("", list(paper), list(paper.values()), colour, dashed=True, marked=False))
    return draw.Panel(table.score_title(score), "number of classes", "%", lines, ticks=table["classes"])


def means(table: Experiment, results: clusters.Results, method: str, score: str) -> dict[int, float]:
    """Our average for each number of classes, in percent."""
    return {row: 100 * float(np.mean(clusters.values(results, method, row, score))) for row in table["classes"]}


def _cells(
    table: Experiment, results: clusters.Results, printed: Printed, methods: list[str], score: str
) -> dict[tuple[str, str], Cell]:
    return {
        (str(row), method): Cell(printed[str(row)][method], summary(clusters.values(results, method, row, score)))
        for row in table["classes"]
        for method in methods
    }


def _claims(
    experiment: Experiment, table: Experiment, results: clusters.Results, methods: list[str]
) -> Iterator[Claim]:
    """``method`` is best at every number of classes or, with ``most``, at more than half of them."""
    for claim in experiment.get("claims", ()):
        for score in experiment["scores"]:
            found = {method: means(table, results, method, score) for method in methods}
            lost = [_lost(claim["method"], row, found) for row in table["classes"]]
            failed = [words for words in lost if words]
            allowed = (len(lost) - 1) // 2 if claim.get("most") else 0
            extent = "most numbers" if claim.get("most") else "every number"
            yield Claim(
                f"{claim['method']} is best at {extent} of classes: {table.score_title(score)}.",
                len(failed) <= allowed,
                f"Best at {len(lost) - len(failed)} of {len(lost)}"
                + (f"; not at {', '.join(failed)}." if failed else "."),
                claim.get("cause", ""),
            )


def _lost(method: str, row: int, found: Mapping[str, Mapping[int, float]]) -> str:
    """Who is above the method in a row, in words; empty if nobody is."""
    best = max(found, key=lambda other: found[other][row])
    if found[method][row] >= found[best][row]:
        return ""
    return f"{row} ({best} {found[best][row]:.1f}, {method} {found[method][row]:.1f})"
