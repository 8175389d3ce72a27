"""The basis of a run is the model's own, and so is its sparseness."""

import numpy as np
from numpy.testing import assert_allclose

from manifact import NMF
from manifact.experiments.reproduce.experiment_samples import samples
from manifact.experiments.reproduce.tasks.learned_basis import run
from manifact.metrics import sparseness

SETTINGS = {"data": "digits", "method": "NMF", "parameters": {"max_iter": 10}, "classes": 3, "seed": 2, "shown": 2}


def test_basis_and_sparseness_are_the_models():
    model = NMF(3, max_iter=10, random_state=2).fit(samples(SETTINGS).X)
    found = run(SETTINGS)
    assert_allclose(found["sparseness"], sparseness(model.components_))
    assert_allclose(found["basis"], model.components_[:2], rtol=1e-5)


def test_all_are_shown_without_a_limit():
    unlimited = {key: value for key, value in SETTINGS.items() if key != "shown"}
    assert np.shape(run(unlimited)["basis"]) == (3, 64)


def test_none_in_a_data_file_is_none():
    raw = {**SETTINGS, "parameters": {"max_iter": 10, "normalize": "none"}}
    model = NMF(3, max_iter=10, random_state=2, normalize=None).fit(samples(SETTINGS).X)
    assert_allclose(run(raw)["basis"], model.components_[:2], rtol=1e-5)
