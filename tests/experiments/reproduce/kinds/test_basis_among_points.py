"""Bases in the plane and the centres of clusters."""

import numpy as np
import pytest

from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import basis_among_points

pytest.importorskip("matplotlib")

CONTENT = {
    "title": "Overcomplete",
    "kind": "basis_among_points",
    "protocol": "A test.",
    "data": "three-gaussians",
    "draws": 1,
    "common": {"prepare": "raw", "n_components": 3},
    "methods": [
        {"name": "NMF", "method": "NMF", "parameters": {"max_iter": 20, "normalize": "none"}},
        {"name": "LCF", "method": "LCF", "parameters": {"max_iter": 20, "normalize": "none"}},
    ],
    "claims": [{"method": "LCF", "than": "NMF", "within": 0.1}],
}


def test_page_measures_every_method(tmp_path):
    page = basis_among_points.reproduce(Experiment("test-fig", CONTENT), Runner(Store(tmp_path)))
    rows = page.blocks[2].rows
    assert [row["method"] for row in rows] == ["NMF", "LCF"]
    assert all(row["to the nearest mean"] > 0 for row in rows)


def test_distances_to_points_and_rays():
    places = np.array([[1.0, 0.0], [0.0, 2.0]])
    assert basis_among_points._to_nearest(places, places) == 0
    assert basis_among_points._to_nearest(3 * places, places) == pytest.approx(3)
    # Longer vectors have the same rays.
    assert basis_among_points._to_rays(3 * places, places) == pytest.approx(0)
    assert basis_among_points._to_rays(places[:1], places) == pytest.approx(1)


def test_claims_flip_with_the_numbers():
    def found(near, far, first, second):
        return {"LCF": [{"distance": near, "ray": 0, "AC": first}], "NMF": [{"distance": far, "ray": 0, "AC": second}]}

    experiment = Experiment("test-fig", CONTENT)
    assert [claim.holds for claim in basis_among_points._claims(experiment, found(0.05, 1, 0.9, 0.8))] == [True] * 3
    assert [claim.holds for claim in basis_among_points._claims(experiment, found(2, 1, 0.8, 0.8))] == [False] * 3
