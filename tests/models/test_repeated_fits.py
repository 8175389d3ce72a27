"""A process that fits again and again, as a service or a search over parameters does, keeps its size."""

import gc
import os
import tracemalloc
import warnings

import numpy as np
import pytest

from manifact import ALPNMF, GNMF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.graphs import KNNGraph, LandmarkGraph
from manifact.utils.system_memory import resident

#: `.ci/nightly` asks for 1,000.
FITS = int(os.environ.get("MANIFACT_FITS", "120"))
WARM = 20
MODELS = {
    "NMF": lambda: NMF(3, max_iter=3),
    "divergence": lambda: NMF(3, loss="kullback-leibler", max_iter=3),
    "GNMF": lambda: GNMF(3, max_iter=3),
    "LPNMF": lambda: LPNMF(3, max_iter=3),
    "ALPNMF": lambda: ALPNMF(3, graph=LandmarkGraph(10), max_iter=3),
    "SPNMF": lambda: SPNMF(3, max_iter=3),
    "LCF": lambda: LCF(3, max_iter=3),
    "AffinityNMF": lambda: AffinityNMF(3, graph=KNNGraph(), max_iter=3),
}


def repeat(make, X, times):
    for seed in range(times):
        make().set_params(random_state=seed).fit(X).transform(X)
    gc.collect()


#: Models that stand for the others where a change waits for its tests.
FIRST = ("divergence", "AffinityNMF")


@pytest.mark.parametrize(
    "name", [name if name in FIRST else pytest.param(name, marks=pytest.mark.nightly) for name in MODELS]
)
def test_memory_does_not_grow_with_the_number_of_fits(name):
    X = np.random.default_rng(0).random((60, 30))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        repeat(MODELS[name], X, WARM)
        before = resident()
        tracemalloc.start()
        try:
            repeat(MODELS[name], X, 2)
            held = tracemalloc.get_traced_memory()[0]
            repeat(MODELS[name], X, FITS // len(MODELS))
            more = tracemalloc.get_traced_memory()[0] - held
        finally:
            tracemalloc.stop()
    # A copy of X kept at every fit would be 14 kB each.
    assert more < 1000 * FITS / len(MODELS) + 50_000
    assert resident() - before < 32 << 20
