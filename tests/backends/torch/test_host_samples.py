"""Samples that a device cannot hold: whole fits, and what is asked of new ones, are those of samples that it holds."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.conftest import problem

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF, select
from manifact.baselines import CNMF, LNMF, NPNMF
from manifact.graphs import KNNGraph, LandmarkGraph
from manifact.models import inputs
from manifact.selection import choosing

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch import placement, tensor_rows  # noqa: E402
from manifact.backends.torch.host_samples import HostSamples  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KINDS = {"dense": np.asarray, "sparse": sparse.csr_array}
KL = {"loss": "kullback-leibler"}
MODELS = {
    "NMF bcd": NMF(3),
    "NMF nndsvda": NMF(3, init="nndsvda"),
    "NMF kmeans": NMF(3, init="kmeans"),
    "NMF KL mu": NMF(3, solver="mu", **KL),
    "NMF KL newton": NMF(3, **KL),
    "GNMF": GNMF(3),
    "GNMF bcd": GNMF(3, solver="bcd", graph_reg=1.0, init="spectral"),
    "GNMF directions": GNMF(3, graph=KNNGraph(5, directions=4, balance=0.5)),
    "LPNMF": LPNMF(3),
    "LPNMF newton": LPNMF(3, solver="newton", graph_reg=1.0),
    "ALPNMF": ALPNMF(3, graph=LandmarkGraph(15)),
    "AffinityNMF": AffinityNMF(3),
    "AffinityNMF auto": AffinityNMF("auto"),
    "SPNMF": SPNMF(3),
    "CF": CF(3),
    "CF rbf": CF(3, kernel="rbf"),
    "LCCF": LCCF(3),
    "LCF": LCF(3),
    "LNMF": LNMF(3),
    "NPNMF": NPNMF(3),
    "CNMF": CNMF(3),
}


@pytest.fixture
def memory(monkeypatch):
    """A device with so many bytes free, under the name that parameters give to a GPU."""
    for module in (inputs, choosing):
        monkeypatch.setattr(module, "chosen_device", lambda name: DEVICE)
    monkeypatch.setattr(inputs, "reachable_device", lambda name: DEVICE)
    free = {"bytes": None}
    monkeypatch.setattr(placement, "_free", lambda device: free["bytes"])
    return free


def close(mine, expected, tolerance=1e-9):
    assert isinstance(mine, np.ndarray)
    assert np.linalg.norm(mine - expected) <= tolerance * np.linalg.norm(expected)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_fit_is_that_of_samples_on_the_device(name, kind, memory, monkeypatch):
    X = KINDS[kind](problem(n=80)[0])
    y = np.where(np.arange(80) % 5 == 0, np.arange(80) % 3, -1)
    held, streamed = (clone(MODELS[name]).set_params(device="cuda", random_state=0, max_iter=10) for _ in range(2))
    held.fit(X, y)
    V, clusters, labels, loss = held.transform(X), held.predict(X), held.labels_, held.score(X)
    seen = []
    begun = HostSamples.__init__
    monkeypatch.setattr(HostSamples, "__init__", lambda self, *given: (seen.append(self), begun(self, *given))[1])
    memory["bytes"] = 4000
    streamed.fit(X, y)
    assert seen
    assert len(seen[0].ranges) > 4
    close(streamed.components_ if hasattr(held, "components_") else streamed.concepts_,
          held.components_ if hasattr(held, "components_") else held.concepts_)  # fmt: skip
    close(streamed.representation_, held.representation_)
    np.testing.assert_allclose(streamed.objective_, held.objective_, rtol=1e-9)
    assert streamed.reconstruction_err_ == pytest.approx(held.reconstruction_err_, rel=1e-6)
    if hasattr(held, "smoothness_"):
        assert streamed.smoothness_ == pytest.approx(held.smoothness_, rel=1e-9)
    np.testing.assert_array_equal(streamed.labels_, labels)
    close(streamed.transform(X), V, 1e-6)
    np.testing.assert_array_equal(streamed.predict(X), clusters)
    assert streamed.score(X) == pytest.approx(loss)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_go_along_with_the_samples(kind, memory):
    X, weight = KINDS[kind](problem(n=80)[0]), np.linspace(0, 2, 80)
    found = []
    for free in (None, 4000):
        memory["bytes"] = free
        found.append(GNMF(3, device="cuda", random_state=0).fit(X, sample_weight=weight).representation_)
    close(found[1], found[0])


def test_the_number_of_parts_is_the_same(memory):
    X = problem(n=80)[0]
    best = select(X, device="cuda").best
    memory["bytes"] = 4000
    assert select(X, device="cuda").best == best


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_asked_of_rows_is_what_the_host_says(kind):
    X = KINDS[kind](problem(n=50)[0])
    samples, there = HostSamples(X, DEVICE, 600), placement.placed(X, DEVICE)
    for what in ("extent", "lengths", "empty"):
        np.testing.assert_allclose(getattr(tensor_rows, what)(samples), getattr(tensor_rows, what)(there))
    some = np.array([3, 1, 40])
    one, other = (tensor_rows.dense(tensor_rows.taken(P, some)) for P in (samples, there))
    assert one.device.type == DEVICE
    torch.testing.assert_close(one, other)
    half = tensor_rows.typed(tensor_rows.over(samples, 2.0), np.float32)
    assert isinstance(half, HostSamples)
    assert (half.dtype, half.device) == (torch.float32, samples.device)
    np.testing.assert_allclose(tensor_rows.extent(half)[1], tensor_rows.extent(there)[1] / 2, rtol=1e-6)
