"""Fits beside each other: in threads, in forked and in spawned processes, with one model shared by many."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from manifact import GNMF, NMF, AffinityNMF
from manifact.backends.compiled.kernel_cache import cached_njit
from manifact.backends.threads import limit
from manifact.baselines import KSDA, AverageAssociation
from manifact.graphs import KNNGraph

X, Y = (part[:400] for part in load_digits(return_X_y=True))
NEW = load_digits().data[400:500]
MODELS = {
    "AffinityNMF": AffinityNMF(5, graph=KNNGraph(5), max_iter=5, random_state=0),
    "GNMF": GNMF(5, assign="kmeans", random_state=0),
    "NMF": NMF(5, assign="kmeans", max_iter=5, random_state=0),
}
CLUSTERERS = {"AverageAssociation": AverageAssociation(5, random_state=0), "KSDA": KSDA(n_subclasses=2, random_state=0)}
#: Children that wait for what never comes are ended after so long.
PATIENCE = 120


def results(model):
    """All that a fit gives, and what it makes of new samples, with several threads."""
    with limit(3):
        fitted = clone(model).fit(X)
        return fitted.representation_, fitted.labels_, fitted.transform(NEW), fitted.predict(NEW)


def same(a, b):
    return all(np.array_equal(x, y) for x, y in zip(a, b, strict=True))


def in_child(work):
    """What a forked child answers: 0 if the work says so; ended where it waits for ever."""
    child = os.fork()
    if child == 0:
        code = 4
        try:
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.alarm(PATIENCE)
            code = 0 if work() else 3
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


forked = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@forked
@pytest.mark.parametrize("name", MODELS)
def test_a_child_that_is_forked_after_a_fit_gives_the_same(name):
    expected = results(MODELS[name])
    assert in_child(lambda: same(results(MODELS[name]), expected)) == 0


@forked
@pytest.mark.parametrize("name", CLUSTERERS)
def test_baselines_do_not_wait_in_a_child_for_threads_of_the_parent(name):
    model = CLUSTERERS[name]
    fitted = clone(model).fit(X, Y)
    assert in_child(lambda: vars(clone(model).fit(X, Y)).keys() == vars(fitted).keys()) == 0


@forked
def test_a_lock_that_another_thread_held_is_not_held_in_the_child():
    model, begun, end = clone(MODELS["NMF"]).fit(X), threading.Event(), threading.Event()

    def slow():
        begun.set()
        end.wait()
        return model.representation_

    thread = threading.Thread(target=lambda: model._clusters.made(slow))
    thread.start()
    begun.wait()
    try:
        assert in_child(lambda: len(model.labels_) == len(X)) == 0
    finally:
        end.set()
        thread.join()


@forked
def test_a_compiler_that_another_thread_held_is_not_held_in_the_child():
    from numba.core.compiler_lock import global_compiler_lock

    begun, end = threading.Event(), threading.Event()

    def compile_slowly():
        with global_compiler_lock:
            begun.set()
            end.wait()

    @cached_njit()
    def third(x):
        return x / 3

    thread = threading.Thread(target=compile_slowly)
    thread.start()
    begun.wait()
    try:
        assert in_child(lambda: third(3.0) == 1) == 0
    finally:
        end.set()
        thread.join()


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_of_a_pool_give_the_same(method):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system does not {method}")
    models = list(MODELS.values())[1:]
    expected = list(map(results, models))
    with multiprocessing.get_context(method).Pool(2) as pool:
        found = pool.map_async(results, models).get(PATIENCE)
    assert all(map(same, found, expected))


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_joblib_gives_the_same(backend):
    models = list(MODELS.values())[1:]
    expected = list(map(results, models))
    found = joblib.Parallel(2, backend=backend)(joblib.delayed(results)(model) for model in models)
    assert all(map(same, found, expected))


@pytest.mark.parametrize("name", MODELS)
def test_threads_share_a_fitted_model(name):
    """Clusters are made once, whoever asks first, and everybody gets what one alone would have got."""
    alone = results(MODELS[name])[2:]
    model = clone(MODELS[name]).fit(X)

    def use(number):
        time.sleep(0.001 * (number % 3))
        return model.transform(NEW), model.predict(NEW)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(use, range(8)))
    assert all(same(one, alone) for one in found)
