"""Times: ratios of iterations, and running time over classes."""

import pytest

from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import fit_time_curves, iteration_time_table

TABLE = {
    "title": "Seconds",
    "kind": "iteration_time_table",
    "protocol": "A test.",
    "base": "NMF",
    "steps": 3,
    "tries": 2,
    "common": {"prepare": "range", "classes": 3},
    "sets": [{"name": "Digits", "data": "digits", "n_components": 4}],
    "methods": [
        {"name": "NMF", "method": "NMF", "parameters": {"solver": "mu"}},
        {"name": "GNMF", "method": "GNMF", "graph": {"n_neighbors": 3}, "parameters": {"solver": "mu"}},
    ],
    "claims": [{"method": "GNMF", "than": "NMF", "times": 2}],
    "printed": {"seconds": "method Digits\nNMF 0.1\nGNMF 0.15"},
}
FIGURE = {
    "title": "Running time",
    "kind": "fit_time_curves",
    "protocol": "A test.",
    "classes": [2, 3],
    "repeats": 1,
    "common": {"data": "digits", "prepare": "range"},
    "methods": [
        {
            "name": "LPNMF",
            "method": "LPNMF",
            "graph": {"n_neighbors": 3},
            "parameters": {"solver": "mu", "max_iter": 2},
            "what": "neighbours",
        },
        {
            "name": "A-LPNMF",
            "method": "ALPNMF",
            "graph": {"kind": "landmark", "n_landmarks": 20},
            "parameters": {"solver": "mu", "max_iter": 2},
            "what": "landmarks",
        },
    ],
    "claims": [{"method": "A-LPNMF", "than": "LPNMF", "at": 3}],
}


def test_ratios_stand_beside_the_papers(monkeypatch):
    monkeypatch.setattr(
        iteration_time_table, "run", lambda experiment, runner: {"NMF": {"Digits": 0.02}, "GNMF": {"Digits": 0.05}}
    )
    page = iteration_time_table.reproduce(Experiment("a-table", TABLE), Runner(Store("unused")))
    cell = page.blocks[1].cells["GNMF", "Digits"]
    assert (cell.paper.mean, cell.ours.mean) == pytest.approx((1.5, 2.5))
    assert not page.blocks[0].claims[0].holds
    assert "2.50 times (paper: 1.50 times)" in page.blocks[0].claims[0].evidence


def test_the_least_of_the_tries_counts(tmp_path, monkeypatch):
    jobs = []

    def run(job):
        jobs.append(job)
        return {"seconds": 0.1 * len(jobs), "steps": 3}

    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", run)
    found = iteration_time_table.run(Experiment("a-table", TABLE), Runner(Store(tmp_path)))
    assert all(job.alone for job in jobs)
    assert len(jobs) == 4
    assert min(found["NMF"]["Digits"], found["GNMF"]["Digits"]) == pytest.approx(0.1)


def test_running_time_is_measured_alone_and_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    experiment = Experiment("a-figure", FIGURE)
    results = fit_time_curves.run(experiment, Runner(Store(tmp_path)))
    assert results["LPNMF"][3][0]["samples"] > results["LPNMF"][2][0]["samples"]
    page = fit_time_curves.reproduce(experiment, Runner(Store(tmp_path)))
    claim = page.blocks[0].claims[0]
    assert claim.holds == (
        fit_time_curves.seconds(results, "A-LPNMF", 3) < fit_time_curves.seconds(results, "LPNMF", 3)
    )
    assert "with 3 classes" in claim.text
