"""Bases as images, and whose are sparser."""

import pytest

from manifact.experiments.reproduce.comparison_page import Picture
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import basis_images

pytest.importorskip("matplotlib")

CONTENT = {
    "title": "Bases",
    "kind": "basis_images",
    "protocol": "A test.",
    "shown": 2,
    "seeds": 2,
    "common": {"data": "digits", "classes": 3},
    "methods": [
        {"name": "NMF", "method": "NMF", "parameters": {"max_iter": 5}},
        {"name": "GNMF", "method": "GNMF", "graph": {"n_neighbors": 3}, "parameters": {"max_iter": 5}},
    ],
    "claims": [{"method": "GNMF", "than": "NMF"}],
}


def test_page_shows_some_and_measures_all(tmp_path):
    page = basis_images.reproduce(Experiment("test-fig", CONTENT), Runner(Store(tmp_path)))
    picture = next(block for block in page.blocks if isinstance(block, Picture))
    assert picture.svg.count("<image") == 4
    assert [row["vectors"] for row in page.blocks[2].rows] == [6, 6]


def test_claim_flips_with_the_numbers():
    experiment = Experiment("test-fig", CONTENT)
    low, high = [{"sparseness": [0.1, 0.3]}], [{"sparseness": [0.5, 0.2]}]
    assert [claim.holds for claim in basis_images._claims(experiment, {"NMF": low, "GNMF": high})] == [True]
    assert [claim.holds for claim in basis_images._claims(experiment, {"NMF": high, "GNMF": low})] == [False]
