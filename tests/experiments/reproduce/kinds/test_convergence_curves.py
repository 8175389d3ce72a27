"""Traces of several models on one page."""

import pytest

from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import convergence_curves

pytest.importorskip("matplotlib")

CONTENT = {
    "title": "Convergence",
    "kind": "convergence_curves",
    "protocol": "A test.",
    "iterations": 12,
    "within": 4,
    "panels": [{"name": "Digits", "data": "digits", "classes": 2}],
    "methods": [{"name": "NMF", "method": "NMF", "parameters": {"solver": "mu"}}, {"name": "CF", "method": "CF"}],
    "claims": [{"method": "NMF", "slow": "because"}],
}


@pytest.fixture
def runner(tmp_path):
    return Runner(Store(tmp_path))


def test_page_shows_the_traces_of_equal_length(runner):
    page = convergence_curves.reproduce(Experiment("test-fig", CONTENT), runner)
    results = convergence_curves.run(Experiment("test-fig", CONTENT), runner)
    assert {len(found["objective"]) for found in results["Digits"].values()} == {13}
    numbers = page.blocks[2]
    trace = results["Digits"]["NMF"]["objective"]
    assert numbers.rows[0]["end"] == trace[-1]
    assert numbers.rows[0]["after 4"] == f"{100 * (trace[4] / trace[-1] - 1):+.2f} %"
    assert page.markdown() == convergence_curves.reproduce(Experiment("test-fig", CONTENT), runner).markdown()


@pytest.mark.parametrize(
    ("trace", "fast", "converged", "monotone"),
    [
        ([1000.0, 5.0, 5.0, 5.0], True, True, True),
        ([1000.0, 5.0, 4.0, 3.0], True, False, True),
        ([10.0, 5.0, 4.0, 3.0], False, False, True),
        ([1000.0, 5.0, 5.1, 5.0], True, True, False),
    ],
)
def test_claims_flip_with_the_numbers(trace, fast, converged, monotone):
    experiment = Experiment("test-fig", {**CONTENT, "within": 1})
    results = {"Digits": {"NMF": {"objective": trace, "seconds": 1.0}}}
    found = list(convergence_curves._claims(experiment, results))
    assert [claim.holds for claim in found] == [fast, converged, monotone]
    assert found[1].cause == "because"


def test_rises_count_by_what_rounding_is_in_each_precision():
    trace = [4.0, 2.0, 2.0 + 2e-7]
    assert convergence_curves.rises(trace, convergence_curves.ROUNDING["float32"]) == []
    assert convergence_curves.rises(trace, convergence_curves.ROUNDING["float64"]) == [pytest.approx(1e-7)]
