"""A program of the authors repeated from its own random numbers: equal digits, not equal averages."""

from __future__ import annotations

from manifact.experiments.reproduce.comparison_page import Cell, Claim, Claims, Comparison, Page
from manifact.experiments.reproduce.experiment_files import Experiment, Value
from manifact.experiments.reproduce.job_runner import Runner, job

#: Digits behind the point that the demo states.
DIGITS = 5


def reproduce(experiment: Experiment, runner: Runner) -> Page:
    """Repeat the demo on each data set and compare digit by digit."""
    names = experiment["data"]
    found = dict(
        zip(names, runner.run(experiment.name, [job("authors_demo", {"data": name}) for name in names]), strict=True)
    )
    cells = {
        (name, space): Cell(experiment.printed["NMI"][name][space], Value(scores["NMI"]))
        for name, spaces in found.items()
        for space, scores in spaces.items()
    }
    columns = list(next(iter(found.values())))
    table = Comparison("NMI", "data", names, columns, cells, digits=DIGITS)
    intro = f"{experiment['protocol']}\n\nA cell is the number the authors state → **ours**, then the difference."
    return Page(experiment.name, experiment.title, intro, [Claims(list(_claims(cells))), table])


def _claims(cells: dict[tuple[str, str], Cell]) -> list[Claim]:
    claims = []
    for (name, space), cell in cells.items():
        assert cell.paper is not None
        assert cell.ours is not None
        # The demo prints five significant digits, so a last zero is not shown.
        same = f"{cell.ours.mean:.5g}" == f"{cell.paper.mean:.5g}"
        evidence = f"Stated {cell.paper.mean:.5g}, ours {cell.ours.mean:.7f}."
        claims.append(Claim(f"{name}, {space}: every stated digit comes out.", same, evidence))
    return claims
