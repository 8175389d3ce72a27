"""However dense samples lie in memory, every model finds the same factors in them, to the last bit."""

import numpy as np
import pandas as pd
import pytest

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.graphs import KNNGraph, LandmarkGraph

SETTINGS = {"max_iter": 6, "tol": 0, "random_state": 0}
LANDMARKS = LandmarkGraph(20)
MODELS = {
    "NMF": NMF(4, **SETTINGS),
    "NMF, mu": NMF(4, solver="mu", **SETTINGS),
    "NMF, divergence": NMF(4, loss="kullback-leibler", **SETTINGS),
    "NMF, divergence, mu": NMF(4, loss="kullback-leibler", solver="mu", **SETTINGS),
    "NMF, nndsvda": NMF(4, init="nndsvda", **SETTINGS),
    "GNMF": GNMF(4, **SETTINGS),
    "GNMF, bcd": GNMF(4, solver="bcd", graph_reg=0.1, **SETTINGS),
    "GNMF, landmarks": GNMF(4, graph=LANDMARKS, **SETTINGS),
    "LPNMF": LPNMF(4, **SETTINGS),
    "ALPNMF": ALPNMF(4, graph=LANDMARKS, **SETTINGS),
    "SPNMF": SPNMF(4, **SETTINGS),
    "CF": CF(4, **SETTINGS),
    "LCCF": LCCF(4, **SETTINGS),
    "LCF": LCF(4, **SETTINGS),
    "AffinityNMF": AffinityNMF(4, graph=KNNGraph(5), **SETTINGS),
    "AffinityNMF, auto": AffinityNMF(4, **SETTINGS),
    "AffinityNMF, landmarks": AffinityNMF(4, graph=LANDMARKS, **SETTINGS),
}
LAYOUTS = {
    "column by column": np.asfortranarray,
    "every second column": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    "every second row": lambda X: np.repeat(X, 2, axis=0)[::2],
    "backwards": lambda X: np.ascontiguousarray(X[:, ::-1])[:, ::-1],
    "data frame": pd.DataFrame,
}


@pytest.fixture(scope="module")
def samples():
    return np.random.default_rng(0).gamma(0.4, size=(310, 70))


@pytest.mark.filterwarnings("ignore::manifact.models.collapse.CollapseWarning")
@pytest.mark.parametrize("name", MODELS)
def test_factors_do_not_depend_on_how_samples_lie_in_memory(name, samples):
    def fitted(X):
        model = MODELS[name].__class__(**MODELS[name].get_params(deep=False)).fit(X)
        return model, [model.representation_, model.components_, model.objective_, model.labels_]

    expected_model, expected = fitted(samples)
    new = samples[40:120]
    V, clusters = expected_model.transform(new), expected_model.predict(new)
    for layout, lay in LAYOUTS.items():
        model, found = fitted(lay(samples))
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=layout)
        np.testing.assert_array_equal(model.transform(lay(new)), V, err_msg=layout)
        np.testing.assert_array_equal(model.predict(lay(new)), clusters, err_msg=layout)


def test_the_objective_is_that_of_the_factors(samples):
    X = np.asfortranarray(samples)
    model = NMF(4, random_state=0, normalize=None).fit(X)
    assert model.objective_[-1] == pytest.approx(
        ((samples - model.inverse_transform(model.representation_)) ** 2).sum()
    )


def test_blocks_of_columns_are_learnt_from_as_blocks_of_rows(samples):
    one, other = (NMF(4, random_state=0) for _ in range(2))
    for first in range(0, 300, 100):
        one.partial_fit(samples[first : first + 100])
        other.partial_fit(np.asfortranarray(samples[first : first + 100]))
    np.testing.assert_array_equal(one.components_, other.components_)
