import numpy as np
import pytest
from scipy import sparse

from manifact import models
from manifact.experiments.bench.fit_memory import FEW, estimated
from manifact.experiments.bench.separate_process import in_new_process, stored
from manifact.models.memory_needs import factor_bytes, iteration_bytes, kmeans_bytes


def test_rows_of_factors_are_whole_vectors():
    X = np.ones((10, 4), dtype=np.float32)
    assert factor_bytes(X, 1, 10) == factor_bytes(X, 16, 10) == 10 * 64
    assert factor_bytes(X, 17, 10) == 10 * 128
    assert factor_bytes(X.astype(np.float64), 9, 1) == 128


def test_sparse_samples_are_turned_about_and_dense_ones_are_laid_row_by_row():
    X = np.ones((50, 40))
    held = sparse.csr_array(X)
    assert iteration_bytes(held, 3, 0) == held.data.nbytes + held.indices.nbytes + held.indptr.nbytes
    assert iteration_bytes(X, 3, 0) == 0
    assert iteration_bytes(np.asfortranarray(X), 3, 0) == X.nbytes
    assert kmeans_bytes(X) == 2 * X.nbytes


def samples(kind):
    rng = np.random.default_rng(0)
    if kind == "dense":
        return rng.random((6000, 800))
    X = sparse.random_array((20_000, 4000), density=0.015, format="csr", random_state=rng, dtype=np.float32)
    return sparse.csr_array((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("name", FEW)
def test_estimates_are_within_half_of_what_a_fit_takes(name, kind):
    make, settings = FEW[name]
    settings = {"n_components": 20, "max_iter": 3, "tol": 1e-12, "random_state": 0} | settings
    X = samples(kind)
    with stored(X) as folder:
        taken = in_new_process(folder, make, settings)["rise"]
    assert 1 / 1.5 < estimated(getattr(models, make)(**settings), X) / taken < 1.5
