"""The data files of the figures: everything that they name exists, in both sizes."""

from inspect import signature

import pytest

from manifact.datasets import NAMES
from manifact.experiments import methods
from manifact.experiments.reproduce import experiment_files
from manifact.experiments.reproduce.experiment_samples import GRAPHS, PREPARATIONS, TOYS
from manifact.experiments.reproduce.kinds.clustering_table import SCORES
from manifact.experiments.reproduce.kinds.parameter_sweep import panels_of, settings_of, sweeps
from manifact.experiments.reproduce.trends import RULES

KINDS = (
    "parameter_sweep",
    "clustering_curves",
    "convergence_curves",
    "basis_images",
    "toy_embeddings",
    "basis_among_points",
)
FIGURES = [name for name in experiment_files.names() if experiment_files.load(name).kind in KINDS]
SIZES = [(name, quick) for name in FIGURES for quick in (False, True)]


def places(experiment):
    """Settings of every method on every data set of the page."""
    for method in experiment.methods:
        if "panels" in experiment.content:
            yield from (settings_of(experiment, panel, method) for panel in panels_of(experiment))
        else:
            yield {"data": experiment.get("data"), **experiment.methods[method]}


def test_all_figures_are_there():
    papers = {"gnmf": range(1, 8), "lpnmf": [1], "spnmf": [2, 4, 5, 6, 7, 8], "lcf": range(1, 6)}
    assert {f"{paper}-fig{number}" for paper, numbers in papers.items() for number in numbers} <= set(FIGURES)


@pytest.mark.parametrize(("name", "quick"), SIZES)
def test_methods_data_and_graphs_exist(name, quick):
    experiment = experiment_files.load(name, quick)
    for settings in places(experiment):
        assert settings["data"] in (*NAMES, *TOYS)
        assert settings.get("prepare", "unit") in PREPARATIONS
        method = methods.method(settings["method"])
        known = signature(method).parameters if method.kind == "clusterer" else method().get_params()
        assert set(settings.get("parameters", {})) <= set(known)
        for graph in (settings.get("graph"), settings.get("far_graph")):
            if graph is not None:
                own = {key: value for key, value in graph.items() if key != "kind"}
                GRAPHS[graph.get("kind", "knn")](**own)


@pytest.mark.parametrize(
    ("name", "quick"), [size for size in SIZES if experiment_files.load(size[0]).kind == "parameter_sweep"]
)
def test_sweeps_and_their_claims_fit_together(name, quick):
    experiment = experiment_files.load(name, quick)
    found = {sweep.symbol: sweep for sweep in sweeps(experiment)}
    assert set(experiment["scores"]) <= set(SCORES)
    assert set(experiment.get("classes", {})) <= set(panels_of(experiment))
    for sweep in found.values():
        assert set(sweep.methods) <= set(experiment.methods)
        for panel in panels_of(experiment) if sweep.steps else ():
            assert len(sweep.steps[panel]) == len(sweep.values)
    for claim in experiment["claims"]:
        assert claim["rule"] in (*RULES, "best differs", "sensitive")
        sweep = found[claim.get("sweep", next(iter(found)))]
        assert claim["method"] in sweep.methods
        if claim["rule"] in ("falls", "falls by", "keeps"):
            assert {claim["low"], claim["high"]} <= set(sweep.values)
        if "value" in claim:
            assert claim["value"] in sweep.values


@pytest.mark.parametrize("name", FIGURES)
def test_quick_changes_only_what_is_there(name):
    import tomllib

    content = tomllib.loads((experiment_files.PAPERS / f"{name}.toml").read_text(encoding="utf-8"))
    changes = content.get("quick", {})
    assert set(changes) <= set(content)
    if "methods" in changes:
        assert set(changes["methods"]) <= set(experiment_files.load(name).methods)
    if experiment_files.load(name).kind != "clustering_curves":
        assert changes


@pytest.mark.parametrize("name", [name for name in FIGURES if experiment_files.load(name).kind == "clustering_curves"])
def test_curves_are_of_a_table_that_prints_them(name):
    experiment = experiment_files.load(name)
    table = experiment_files.load(experiment["of"])
    assert table.kind == "clustering_table"
    assert experiment["score"] in table.printed
    assert set(experiment["scores"]) <= set(table["scores"])
    assert {claim["method"] for claim in experiment["claims"]} <= set(table.methods)
