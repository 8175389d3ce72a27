"""Toy data on a line, method by method."""

import pytest

from manifact.experiments.reproduce.comparison_page import Picture
from manifact.experiments.reproduce.experiment_files import Experiment
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import toy_embeddings

pytest.importorskip("matplotlib")

CONTENT = {
    "title": "Rings",
    "kind": "toy_embeddings",
    "protocol": "A test.",
    "draws": 1,
    "common": {"prepare": "raw"},
    "labels": {"rings": ["inner", "outer"]},
    "panels": [{"name": "rings", "data": "two-rings"}],
    "methods": [
        {"name": "PCA", "method": "PCA"},
        {"name": "NMF", "method": "NMF", "parameters": {"max_iter": 20}},
    ],
    "claims": [
        {"method": "NMF", "than": ["PCA"]},
        {"method": "NMF", "set": "rings", "printed": 80.0},
        {"method": "PCA", "without": ["NMF", "PCA"]},
    ],
}


def runs(overlap, AC=0.5):
    return [{"overlap": overlap, "AC": AC, "threshold": 0.5}]


def test_page_has_a_picture_for_each_toy_set(tmp_path):
    runner = Runner(Store(tmp_path))
    page = toy_embeddings.reproduce(Experiment("test-fig", CONTENT), runner)
    assert [block.name for block in page.blocks if isinstance(block, Picture)] == ["test-fig-rings"]
    assert page.markdown() == toy_embeddings.reproduce(Experiment("test-fig", CONTENT), runner).markdown()


def test_claims_flip_with_the_numbers():
    experiment = Experiment("test-fig", CONTENT)
    good = {"rings": {"PCA": runs(0.6), "NMF": runs(0.5, 0.76)}}
    bad = {"rings": {"PCA": runs(0.4), "NMF": runs(0.4, 0.74)}}
    assert [claim.holds for claim in toy_embeddings._claims(experiment, good)] == [True, True, True]
    assert [claim.holds for claim in toy_embeddings._claims(experiment, bad)] == [False, False, False]
