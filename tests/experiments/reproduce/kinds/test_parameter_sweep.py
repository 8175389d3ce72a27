"""A setting is varied, the averages are drawn, the paper's words are asked of them."""

import numpy as np
import pytest

from manifact.experiments.reproduce.comparison_page import Claims, Picture, Rows
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner, job
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import parameter_sweep

pytest.importorskip("matplotlib")

CONTENT = {
    "title": "GNMF against λ",
    "kind": "parameter_sweep",
    "protocol": "A test.",
    "scores": ["AC", "NMI"],
    "draws": 2,
    "whole": 1,
    "classes": {"Digits": [2, 3]},
    "sweeps": [{"symbol": "λ", "settings": ["parameters.graph_reg"], "values": [1.0, 100.0], "log": True}],
    "panels": [{"name": "Digits", "data": "digits", "precision": "float32", "graph": {"weight": "heat"}}],
    "common": {"kmeans": {"rule": "k-means++", "n_init": 2}},
    "methods": [
        {
            "name": "GNMF",
            "method": "GNMF",
            "graph": {"n_neighbors": 3},
            "parameters": {"solver": "mu", "max_iter": 5},
            "what": "short",
        },
        {"name": "Kmeans", "method": "k-means", "varied": False},
    ],
    "claims": [{"rule": "stable", "method": "GNMF", "points": 100, "scores": ["AC"]}],
}


@pytest.fixture
def runner(tmp_path):
    return Runner(Store(tmp_path))


@pytest.fixture
def experiment():
    return Experiment("test-fig", CONTENT)


def test_page_has_claims_pictures_and_numbers(experiment, runner):
    page = parameter_sweep.reproduce(experiment, runner)
    claims, *rest = page.blocks
    assert isinstance(claims, Claims)
    assert [claim.holds for claim in claims.claims] == [True]
    assert [block.name for block in rest if isinstance(block, Picture)] == ["test-fig", "test-fig-nmi"]
    numbers = next(block for block in rest if isinstance(block, Rows))
    assert [row["method"] for row in numbers.rows] == ["GNMF", "Kmeans"]
    assert numbers.rows[1]["λ = 1"] == numbers.rows[1]["λ = 100"]


def test_a_second_run_makes_the_same_page(experiment, runner):
    assert (
        parameter_sweep.reproduce(experiment, runner).markdown()
        == parameter_sweep.reproduce(experiment, runner).markdown()
    )


def test_averages_are_means_over_classes_of_means_over_draws():
    runs = {2: [{"AC": [0.5]}, {"AC": [0.7]}], 3: [{"AC": [0.2, 0.4]}]}
    assert parameter_sweep.average(runs, "AC") == pytest.approx(100 * np.mean([0.6, 0.3]))


def test_a_panels_tables_reach_only_methods_that_have_them(experiment):
    assert parameter_sweep.settings_of(experiment, "Digits", "GNMF")["graph"] == {"n_neighbors": 3, "weight": "heat"}
    kmeans = parameter_sweep.settings_of(experiment, "Digits", "Kmeans")
    assert "graph" not in kmeans
    assert "varied" not in kmeans
    assert kmeans["precision"] == "float32"


def test_values_can_differ_between_data_sets():
    steps = {"Digits": [4, 8]}
    varied = parameter_sweep.Sweep(
        "s", ["graph.n_neighbors", "far_graph.n_neighbors"], [0.5, 1.0], ["GNMF"], steps=steps
    )
    settings = {"graph": {"weight": "heat"}, "far_graph": {}}
    found = varied.apply(settings, "Digits", 1)
    assert found == {"graph": {"weight": "heat", "n_neighbors": 8}, "far_graph": {"n_neighbors": 8}}
    assert settings["graph"] == {"weight": "heat"}


def test_runs_at_a_tables_value_are_the_tables(experiment, runner):
    asked = []
    listening = Runner(runner.store)
    object.__setattr__(listening, "run", lambda title, jobs: asked.extend(jobs) or [{}] * len(jobs))
    parameter_sweep.run(experiment, listening)
    own = {
        "kmeans": {"rule": "k-means++", "n_init": 2},
        "method": "GNMF",
        "data": "digits",
        "precision": "float32",
        "graph": {"n_neighbors": 3, "weight": "heat"},
        "parameters": {"solver": "mu", "max_iter": 5, "graph_reg": 100.0},
    }
    table = job("clustering_scores", {**own, "classes": 3, "draw": 1, "seed": 1})
    assert table.key in {one.key for one in asked}


def test_nothing_runs_without_matplotlib(experiment, runner, monkeypatch):
    monkeypatch.setattr(parameter_sweep.svg_charts, "find_spec", lambda name: None)
    with pytest.raises(parameter_sweep.svg_charts.MissingMatplotlibError):
        parameter_sweep.reproduce(experiment, runner)
    assert not list(runner.store.folder.iterdir())
