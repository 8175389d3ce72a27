"""A table's averages as curves over its rows: the paper's printed numbers dashed, ours drawn through."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from manifact.experiments.reproduce import experiment_files, svg_charts
from manifact.experiments.reproduce.comparison_page import Cell, Claim, Claims, Comparison, Page, Picture, summary
from manifact.experiments.reproduce.experiment_files import Experiment, Printed
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.kinds import clustering_table


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Draw the table ``of`` that the figure shows; its runs are the table's own."""
    svg_charts.require()
    table = experiment_files.load(experiment["of"], experiment.quick)
    results = clustering_table.run(table, runner)
    printed = table.printed[experiment["score"]]
    methods = [method for method in results if method in next(iter(printed.values()))]
    picture = svg_charts.chart(
        [_panel(table, results, printed, methods, name) for name in experiment["scores"]], height=3.2
    )
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
    table: Experiment, results: clustering_table.Results, printed: Printed, methods: list[str], score: str
) -> svg_charts.Panel:
    lines = []
    for colour, method in enumerate(methods):
        ours = means(table, results, method, score)
        paper = {row: value.mean for row in table["classes"] if (value := printed[str(row)][method]) is not None}
        lines.append(svg_charts.Line(method, list(ours), list(ours.values()), colour))
        lines.append(svg_charts.Line("", list(paper), list(paper.values()), colour, dashed=True, marked=False))
    return svg_charts.Panel(table.score_title(score), "number of classes", "%", lines, ticks=table["classes"])


def means(table: Experiment, results: clustering_table.Results, method: str, score: str) -> dict[int, float]:
    """Our average for each number of classes, in percent."""
    return {row: 100 * float(np.mean(clustering_table.values(results, method, row, score))) for row in table["classes"]}


def _cells(
    table: Experiment, results: clustering_table.Results, printed: Printed, methods: list[str], score: str
) -> dict[tuple[str, str], Cell]:
    return {
        (str(row), method): Cell(
            printed[str(row)][method], summary(clustering_table.values(results, method, row, score))
        )
        for row in table["classes"]
        for method in methods
    }


def _claims(
    experiment: Experiment, table: Experiment, results: clustering_table.Results, methods: list[str]
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
