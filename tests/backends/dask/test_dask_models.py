"""The same factors from one memory, threads and processes of Dask's; a worker may be lost on the way."""

import os
import shutil
import signal

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

da = pytest.importorskip("dask.array", reason="Dask is not installed: manifact's extra [dask]")
distributed = pytest.importorskip("distributed", reason="Dask's cluster is not installed: manifact's extra [dask]")

import dask  # noqa: E402

from manifact import ALPNMF, GNMF, NMF, AffinityNMF  # noqa: E402
from manifact.backends.dask import DaskSamples, as_blocks, dask_walk  # noqa: E402
from manifact.graphs import KNNGraph, LandmarkGraph  # noqa: E402

LANDMARKS = LandmarkGraph(n_landmarks=40)
SETTINGS = {"random_state": 0, "max_iter": 20, "tol": 0}
MODELS = {
    "nmf": lambda: NMF(5, **SETTINGS),
    "kl": lambda: NMF(5, loss="kullback-leibler", solver="mu", **SETTINGS),
    "alpnmf": lambda: ALPNMF(5, graph=LANDMARKS, **SETTINGS),
    "gnmf": lambda: GNMF(5, graph=LANDMARKS, **SETTINGS),
    "affinity": lambda: AffinityNMF(5, graph=LANDMARKS, **SETTINGS),
}


@pytest.fixture(scope="module")
def samples():
    return sparse.csr_array(normalize(load_digits().data[:300]))


def chunked(X, rows):
    """X as somebody's Dask program has it: chunks that are SciPy's matrices."""
    parts = [X[start : start + rows] for start in range(0, X.shape[0], rows)]
    meta = sparse.csr_array((0, 0))
    return da.concatenate(
        [da.from_delayed(dask.delayed(part), part.shape, dtype=part.dtype, meta=meta) for part in parts]
    )


@pytest.fixture(scope="module")
def cluster():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as made,
        distributed.Client(made) as client,
    ):
        yield client


def same(found, expected):
    np.testing.assert_allclose(found.components_, expected.components_, atol=1e-8)
    np.testing.assert_allclose(np.asarray(found.representation_), expected.representation_, atol=1e-8)
    np.testing.assert_allclose(found.objective_, expected.objective_, rtol=1e-9)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_threads_give_the_factors_of_one_memory(samples, name):
    found = MODELS[name]().fit(chunked(samples, 45))
    same(found, MODELS[name]().fit(samples))
    assert isinstance(found.representation_, da.Array)
    assert isinstance(found.components_, np.ndarray)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_processes_give_the_factors_of_one_memory(samples, cluster, name, monkeypatch):
    # History is cut in the middle of the run.
    monkeypatch.setattr(dask_walk, "HISTORY", 5)
    same(MODELS[name]().fit(chunked(samples, 110)), MODELS[name]().fit(samples))


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_graph_of_neighbours_leads_to_other_chunks(samples):
    make = lambda: GNMF(5, graph=KNNGraph(5, directions=8, weight="local"), **SETTINGS)  # noqa: E731
    same(make().fit(chunked(samples, 45)), make().fit(samples))


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("history", [3, pytest.param(100, marks=pytest.mark.nightly)])
def test_a_lost_worker_changes_nothing(samples, cluster, history, monkeypatch):
    """Its process is ended after the sixth iteration; what it held is computed again by others."""
    monkeypatch.setattr(dask_walk, "HISTORY", history)
    expected = MODELS["alpnmf"]().fit(samples)

    def end_one(iteration):
        if iteration.number == 6:
            pid = next(iter(cluster.run(os.getpid).values()))
            os.kill(pid, signal.SIGKILL)

    same(MODELS["alpnmf"]().fit(chunked(samples, 45), callbacks=end_one), expected)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_workers_of_a_fit_that_goes_well_log_no_errors(samples, cluster, monkeypatch):
    monkeypatch.setattr(dask_walk, "HISTORY", 3)
    before = logged(cluster)
    MODELS["alpnmf"]().set_params(solver="newton", max_iter=10).fit(chunked(samples, 45))
    assert logged(cluster)[len(before) :] == []


def logged(client):
    """Errors of all workers so far."""
    found = [entry for log in client.get_worker_logs().values() for entry in log]
    return [text for level, text in found if level == "ERROR"]


def test_a_folder_may_go_as_soon_as_it_is_to_be_read_from(cluster):
    walk = dask_walk.DaskWalk()
    held = walk.parts(np.full(1000, number) for number in range(40))
    for folder in held.folders:
        shutil.rmtree(folder.path)
    np.testing.assert_array_equal(walk.gathered(held)[::1000], np.arange(40))


def test_transform_and_predict_wait_until_they_are_computed(samples):
    model = MODELS["nmf"]().fit(samples)
    X = chunked(samples, 45)
    V, labels = model.transform(X), model.predict(X)
    assert isinstance(V, da.Array)
    assert V.chunks == ((45,) * 6 + (30,), (5,))
    np.testing.assert_allclose(V.compute(), model.transform(samples))
    np.testing.assert_array_equal(labels.compute(), model.predict(samples))
    np.testing.assert_allclose(model.score(X), model.score(samples))


def test_chunks_of_columns_and_integers_are_taken_as_they_come(rng):
    counts = rng.integers(0, 9, (60, 12))
    X = da.from_array(counts, chunks=(25, 5))
    found = as_blocks(X)
    assert found.bounds == (0, 25, 50, 60)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found.rows(np.array([0, 30, 59])), counts[[0, 30, 59]])
    expected = NMF(3, **SETTINGS).fit(counts.astype(float))
    np.testing.assert_allclose(NMF(3, **SETTINGS).fit(X).components_, expected.components_, atol=1e-8)


def test_unknown_chunks_are_counted(rng):
    X = da.from_array(rng.random((40, 4)), chunks=(10, 4))
    assert as_blocks(X[X[:, 0] > 0.5]).shape[0] == int((X[:, 0] > 0.5).sum().compute())


def test_samples_have_two_axes(rng):
    with pytest.raises(ValueError, match="2"):
        DaskSamples(da.from_array(rng.random(9)))
