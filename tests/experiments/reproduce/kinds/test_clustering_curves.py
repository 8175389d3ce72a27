"""A table's rows as curves beside the printed ones."""

import pytest

from manifact.experiments.reproduce.comparison_page import Comparison
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import clustering_curves, clustering_table

pytest.importorskip("matplotlib")

TABLE = {
    "title": "Table",
    "kind": "clustering_table",
    "protocol": "A test.",
    "scores": ["AC"],
    "classes": [2, 3],
    "repeats": 2,
    "common": {"data": "digits", "kmeans": {"rule": "k-means++", "n_init": 1}},
    "methods": [
        {"name": "Kmeans", "method": "k-means"},
        {"name": "PCA", "method": "PCA"},
        {"name": "ours", "method": "SVD"},
    ],
    "printed": {"AC": "k Kmeans PCA\n2 90.0 80.0\n3 70.0 60.0\nAvg. 80.0 70.0"},
}
FIGURE = {"title": "Curve", "kind": "clustering_curves", "of": "table", "score": "AC", "scores": ["AC"]}


@pytest.fixture
def table(monkeypatch):
    table = Experiment("table", TABLE)
    monkeypatch.setattr(clustering_curves.experiment_files, "load", lambda name, quick: table)
    return table


def figure(**claim):
    return Experiment("test-fig", {**FIGURE, "claims": [claim]})


def test_curves_show_the_tables_own_runs(table, tmp_path):
    runner = Runner(Store(tmp_path))
    results = clustering_table.run(table, runner)
    before = sorted(tmp_path.rglob("*.json"))
    page = clustering_curves.reproduce(figure(method="Kmeans"), runner)
    assert sorted(tmp_path.rglob("*.json")) == before
    comparison = next(block for block in page.blocks if isinstance(block, Comparison))
    # Only what the paper draws.
    assert comparison.columns == ["Kmeans", "PCA"]
    cell = comparison.cells["3", "Kmeans"]
    assert cell.paper.mean == 70
    assert cell.ours.mean == pytest.approx(clustering_curves.means(table, results, "Kmeans", "AC")[3])


@pytest.mark.parametrize(("scores", "every", "most"), [((9, 9, 9), True, True), ((9, 1, 9), False, True),
                                                      ((1, 1, 9), False, False)])  # fmt: skip
def test_claims_flip_with_the_numbers(scores, every, most):
    table = Experiment("table", {**TABLE, "classes": [2, 3, 4]})
    results = {
        "Kmeans": {row: [{"AC": [score / 10]}] for row, score in zip((2, 3, 4), scores, strict=True)},
        "PCA": {row: [{"AC": [0.5]}] for row in (2, 3, 4)},
    }
    methods = ["Kmeans", "PCA"]
    assert [c.holds for c in clustering_curves._claims(figure(method="Kmeans"), table, results, methods)] == [every]
    assert [
        c.holds for c in clustering_curves._claims(figure(method="Kmeans", most=True), table, results, methods)
    ] == [most]
