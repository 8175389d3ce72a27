"""Same seed, same bits, however many threads share the work."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.backends import threads
from manifact.graphs import KNNGraph, LandmarkGraph

MODELS = {
    "NMF": lambda: NMF(4),
    "NMF, mu": lambda: NMF(4, solver="mu"),
    "NMF, divergence": lambda: NMF(4, loss="kullback-leibler"),
    "GNMF": lambda: GNMF(4),
    "GNMF, bcd": lambda: GNMF(4, solver="bcd", init="random"),
    "LPNMF": lambda: LPNMF(4),
    "LPNMF, newton": lambda: LPNMF(4, solver="newton"),
    "ALPNMF": lambda: ALPNMF(4, graph=LandmarkGraph(12)),
    "SPNMF": lambda: SPNMF(4),
    "CF": lambda: CF(4),
    "LCCF": lambda: LCCF(4),
    "LCF": lambda: LCF(4),
    "AffinityNMF": lambda: AffinityNMF(4, graph=KNNGraph()),
}


def fitted(make, X, count):
    with threads.limit(count), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make().set_params(max_iter=4, tol=0, random_state=0).fit(X)
        basis = model.concepts_ if hasattr(model, "concepts_") else model.components_
        return [np.asarray(P).tobytes() for P in (model.representation_, basis, model.objective_, model.labels_)]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_every_model_is_the_same_for_any_number_of_threads(name, kind, monkeypatch):
    monkeypatch.setattr(threads, "SMALL_WORK", 1)
    rng = np.random.default_rng(0)
    X = kind(rng.random((90, 24)).astype(np.float32) * (rng.random((90, 24)) < 0.5))
    one = fitted(MODELS[name], X, 1)
    for count in (2, 3, 4):
        assert fitted(MODELS[name], X, count) == one, f"{count} threads"
