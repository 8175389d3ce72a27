"""Clustering over grids: the best mean is the one that is shown, and claims count data sets."""

import json

import numpy as np
import pytest

from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import grid_search_table
from manifact.experiments.reproduce.kinds.grid_search_table import Tried

CONTENT = {
    "title": "A table",
    "kind": "grid_search_table",
    "protocol": "A test.",
    "scores": ["AC", "NMI"],
    "seeds": 2,
    "common": {"prepare": "range", "clusterings": 3, "kmeans": {"rule": "random", "n_init": 1}, "classes": 3},
    "sets": [
        {"name": "one", "data": "digits", "n_components": 4, "draw": 0},
        {"name": "two", "data": "digits", "draw": 1},
    ],
    "methods": [
        {"name": "RAW", "method": "raw"},
        {
            "name": "GNMF",
            "method": "GNMF",
            "parameters": {"solver": "mu", "max_iter": 10},
            "grid": [
                {"name": "k", "sets": ["graph.n_neighbors"], "values": [2, 4]},
                {"name": "λ", "sets": ["parameters.graph_reg"], "values": [0.1, 100.0]},
            ],
        },
    ],
    "claims": [{"method": "GNMF", "than": ["RAW"], "sets": 1}, {"method": "GNMF", "points": 3, "scores": ["AC"]}],
    "printed": {"AC": "method one two\nRAW 50.0±2.0 60.0±2.0\nGNMF 0.5±1 0.5±1"},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("runs"))


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")
def test_the_best_mean_of_the_grid_is_shown_and_named(store):
    experiment = Experiment("a-table", CONTENT)
    results = grid_search_table.run(experiment, Runner(store))
    page = grid_search_table.reproduce(experiment, Runner(store))
    tried = results["GNMF"]["one"]
    assert [one.name for one in tried] == ["k = 2, λ = 0.1", "k = 2, λ = 100", "k = 4, λ = 0.1", "k = 4, λ = 100"]
    means = {one.name: np.mean(one.values("AC")) for one in tried}
    cell = page.blocks[1].cells["GNMF", "one"]
    assert cell.ours.mean == pytest.approx(max(means.values()))
    assert page.blocks[3].rows == [
        {"method": "GNMF", "one": max(means, key=means.get), "two": page.blocks[3].rows[0]["two"]}
    ]
    # Two seeds of three clusterings each.
    assert len(tried[0].values("AC")) == 6


@pytest.mark.filterwarnings("ignore:Precision loss:RuntimeWarning")
def test_a_second_page_is_the_same(store, monkeypatch):
    experiment = Experiment("a-table", CONTENT)
    first = grid_search_table.reproduce(experiment, Runner(store))
    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", lambda job: pytest.fail("was done already"))
    second = grid_search_table.reproduce(experiment, Runner(store))
    assert second.markdown() == first.markdown()
    assert json.dumps([block.data() for block in second.blocks]) == json.dumps([block.data() for block in first.blocks])


def results(**means):
    """One clustering run of 5 values around each mean, for two data sets."""
    noise = np.array([-0.02, -0.01, 0.0, 0.01, 0.02])
    return {
        method: {
            data: [Tried("", [{"AC": list(mean + noise), "NMI sqrt": list(mean + noise)}])]
            for data, mean in zip(("one", "two"), pair, strict=True)
        }
        for method, pair in means.items()
    }


def test_claims_count_sets():
    claim = {"method": "A", "than": ["B", "C"], "sets": 2}
    both = grid_search_table._above(claim, "AC", results(A=(0.9, 0.8), B=(0.5, 0.6), C=(0.6, 0.79)))
    assert both.holds
    assert "On 2, 1 of them significant" in both.evidence
    assert "two 80.0 (C 79.0)" in both.evidence
    one = grid_search_table._above(claim, "AC", results(A=(0.9, 0.5), B=(0.5, 0.6), C=(0.6, 0.4)))
    assert not one.holds
    assert grid_search_table._above({**claim, "sets": 1}, "AC", results(A=(0.9, 0.5), B=(0.5, 0.6), C=(0.6, 0.4))).holds


def test_nmi_is_the_papers():
    (one,) = results(A=(0.5, 0.5))["A"]["one"]
    assert one.values("NMI sqrt") == pytest.approx([48, 49, 50, 51, 52])


def test_a_method_is_level_with_others_on_every_data_set_or_not():
    claim = {"method": "A", "than": ["B"], "points": 3}
    level = grid_search_table._level(claim, "AC", results(A=(0.9, 0.78), B=(0.92, 0.8)))
    assert level.holds
    assert "B 92.0" in level.evidence
    assert not grid_search_table._level(claim, "AC", results(A=(0.9, 0.76), B=(0.92, 0.8))).holds
