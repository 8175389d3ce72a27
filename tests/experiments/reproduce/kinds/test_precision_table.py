"""Choose on the validation set, test elsewhere."""

import numpy as np
import pytest

from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import precision_curves, precision_table

CONTENT = {
    "title": "A table",
    "kind": "precision_table",
    "protocol": "A test.",
    "train": [2, 3],
    "validations": 2,
    "tests": 3,
    "common": {"data": "digits", "prepare": "range", "dimensions": [3, 8, 25]},
    "methods": [
        {"name": "RAW", "method": "raw"},
        {"name": "PCA", "method": "PCA"},
        {
            "name": "KPCA",
            "method": "KernelPCA",
            "grid": [{"name": "g", "sets": ["parameters.gamma"], "values": [0.001, 10.0]}],
        },
    ],
    "claims": [{"method": "PCA", "than": ["KPCA"]}, {"method": "PCA", "points": 3}],
    "printed": {"precision": "method 2 3\nPCA 60.0±1.0(10) 70.0±1.0(20)"},
}


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("runs"))


@pytest.fixture(scope="module")
def experiment():
    return Experiment("a-table", CONTENT)


def test_the_chosen_setting_is_best_on_the_validation_set(experiment, store):
    chosen, _ = precision_table.choose(experiment, Runner(store))
    for train in (2, 3):
        means = {}
        for gamma in (0.001, 10.0):
            settings = {**CONTENT["common"], "method": "KernelPCA", "parameters": {"gamma": gamma}}
            runs = [precision_table.precision_job(settings, train, "validation", repeat).run() for repeat in range(2)]
            for place, size in enumerate(runs[0]["dimensions"]):
                means[f"g = {gamma:g}", size] = np.mean([run["precision"][place] for run in runs])
        best = chosen["KPCA"][train]
        assert means[best.choice.name, best.size] == max(means.values())
        assert best.validation == pytest.approx(100 * max(means.values()))


def test_tests_use_what_was_chosen(experiment, store):
    chosen, _ = precision_table.choose(experiment, Runner(store))
    tests = precision_table.test(experiment, Runner(store), chosen)
    best = chosen["KPCA"][3]
    settings = {**best.choice.settings, "dimensions": [best.size]}
    expected = [
        100 * precision_table.precision_job(settings, 3, "test", repeat).run()["precision"][0] for repeat in range(3)
    ]
    assert tests["KPCA"][3] == expected


def test_page_has_dimensions_and_comes_from_the_store(experiment, store, monkeypatch):
    first = precision_table.reproduce(experiment, Runner(store))
    cell = first.blocks[1].cells["PCA", "2"]
    assert cell.paper.size == 10
    assert cell.ours.size in (3, 8, 19)
    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", lambda job: pytest.fail("was done already"))
    assert precision_table.reproduce(experiment, Runner(store)).markdown() == first.markdown()


def test_jobs_on_the_same_training_samples_share_a_process(experiment):
    settings = {"data": "digits", "method": "PCA", "dimensions": [2]}
    first, second = (
        precision_table.precision_job({**settings, "method": name}, 2, "test", 0) for name in ("PCA", "raw")
    )
    assert first.group == second.group != precision_table.precision_job(settings, 2, "test", 1).group


def test_curves_over_dimensions(store):
    pytest.importorskip("matplotlib")
    content = {
        **{key: CONTENT[key] for key in ("title", "protocol", "common")},
        "tests": 2,
        "sets": [{"name": "Digits", "data": "digits", "train": 3}],
        "methods": [*CONTENT["methods"][1:2], {"name": "NMF", "method": "NMF", "parameters": {"max_iter": 5}}],
        "claims": [{"method": "PCA", "than": "NMF"}, {"method": "PCA"}],
    }
    experiment = Experiment("a-figure", content)
    curves = precision_curves.run(experiment, Runner(store))
    assert list(curves["Digits"]["PCA"]) == [3, 8, 25]
    # More principal directions tell more digits apart.
    means = [np.mean(values) for values in curves["Digits"]["PCA"].values()]
    assert means[0] < means[1]
    page = precision_curves.reproduce(experiment, Runner(store))
    assert page.blocks[2].rows[0]["PCA"] == f"{means[0]:.1f}"
    assert page.blocks[0].claims[1].evidence == f"Digits: {[3, 8, 25][int(np.argmax(means))]}."
