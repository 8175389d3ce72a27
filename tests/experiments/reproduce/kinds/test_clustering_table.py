"""Tables of clusterings, on digits: what is in a cell is what the runs gave."""

import numpy as np
import pytest

from manifact.experiments.reproduce.experiment_files import Experiment, Value
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import clustering_table

FEW = {"solver": "mu", "max_iter": 15, "tol": 0.0}


@pytest.fixture
def runner(tmp_path):
    return Runner(Store(tmp_path))


@pytest.fixture
def experiment():
    return Experiment(
        "tiny",
        {
            "title": "Digits",
            "kind": "clustering_table",
            "protocol": "Draw classes.",
            "scores": ["AC", "NMI"],
            "classes": [2, 3, 10],
            "largest_row": 10,
            "repeats": 3,
            "whole": 2,
            "common": {"data": "digits", "prepare": "unit", "kmeans": {"rule": "authors", "n_init": 3}},
            "methods": [
                {"name": "Kmeans", "method": "k-means", "what": "nothing more"},
                {"name": "GNMF", "method": "GNMF", "graph": {"n_neighbors": 5}, "parameters": FEW},
                {"name": "NCut, unit rows", "method": "NCut-NJW", "graph": {"n_neighbors": 5}},
            ],
            "claims": [
                {"method": "GNMF", "points": 3},
                {"method": "GNMF", "than": ["Kmeans"], "scores": ["NMI"], "cause": "A cause."},
                {"method": "Kmeans", "than": ["GNMF"], "scores": ["NMI"], "cause": "A cause."},
            ],
            "printed": {
                "AC": "K Kmeans GNMF\n2 90.0±5.0 99.0±1.0\n3 80.0±5.0 99.0±1.0\n10 70.0 80.0\nAvg. 80.0 92.7",
                "NMI": "K Kmeans GNMF\n2 50.0 1.0\n3 50.0 1.0\n10 70.0 1.0\nAvg. 56.7 1.0",
            },
        },
    )


def test_cells_are_the_means_of_the_runs(experiment, runner):
    results = clustering_table.run(experiment, runner)
    page = clustering_table.reproduce(experiment, runner)
    table = page.blocks[1]
    assert table.rows == ["2", "3", "10", "Avg."]
    assert [len(results["GNMF"][classes]) for classes in (2, 3, 10)] == [3, 3, 2]
    for method in experiment.methods:
        means = []
        for classes in (2, 3, 10):
            values = [100 * np.mean(run["AC"]) for run in results[method][classes]]
            cell = table.cells[str(classes), method]
            assert cell.ours.mean == pytest.approx(np.mean(values))
            assert cell.ours.sd == pytest.approx(np.std(values, ddof=1))
            means.append(np.mean(values))
        assert table.cells["Avg.", method].ours.mean == pytest.approx(np.mean(means))
    assert table.cells["2", "GNMF"].paper.mean == 99.0
    assert table.cells["2", "NCut, unit rows"].paper is None


def test_claims_follow_the_numbers(experiment, runner):
    page = clustering_table.reproduce(experiment, runner)
    near_AC, near_NMI, above, below = page.blocks[0].claims
    assert above.holds != below.holds
    assert near_NMI.holds
    assert "Paper 1.0" in near_NMI.evidence
    assert "8 runs" in above.evidence
    assert near_AC.evidence.startswith("Paper 92.7")


def test_a_second_run_makes_the_same_page(experiment, runner):
    assert (
        clustering_table.reproduce(experiment, runner).markdown()
        == clustering_table.reproduce(experiment, runner).markdown()
    )


def test_words_make_no_other_runs(experiment, runner, monkeypatch):
    clustering_table.run(experiment, runner)
    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", lambda job: pytest.fail("done again"))
    changed = dict(experiment.content)
    changed["methods"] = [{**method, "what": "other words"} for method in changed["methods"]]
    clustering_table.run(Experiment("tiny", changed), runner)


def test_fewer_rows_are_compared_with_the_papers_same_rows(experiment):
    fewer = Experiment("tiny", {**experiment.content, "classes": [2, 3]}, quick=True)
    assert clustering_table.paper_averages(fewer, "AC") == {"Kmeans": Value(85.0), "GNMF": Value(99.0)}
    assert clustering_table.paper_averages(experiment, "AC") == {"Kmeans": Value(80.0), "GNMF": Value(92.7)}
    assert "quick run" in clustering_table.intro(fewer)
