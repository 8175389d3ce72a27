"""A program of the authors repeated: stated digits beside ours, with results as they are stored."""

from __future__ import annotations

import pytest

from manifact.experiments.reproduce import experiment_files
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import authors_demo_table


@pytest.mark.parametrize("off", [0.0, 1e-4])
def test_stored_results_are_compared_digit_by_digit(tmp_path, monkeypatch, off):
    experiment = experiment_files.load("gnmf-demo")
    printed = {
        name: {space: {"NMI": value.mean + off} for space, value in spaces.items()}
        for name, spaces in experiment.printed["NMI"].items()
    }
    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", lambda job: printed[job.settings["data"]])
    monkeypatch.setattr("manifact.experiments.reproduce.job_runner.digest", lambda name: name)
    page = authors_demo_table.reproduce(experiment, Runner(Store(tmp_path)))
    claims, table = page.blocks
    assert {claim.holds for claim in claims.claims} == {off == 0.0}
    assert list(table.columns) == list(next(iter(printed.values())))
    assert {cell.verdict for cell in table.cells.values()} == {""}
