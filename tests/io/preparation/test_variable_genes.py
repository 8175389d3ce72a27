"""The most variable genes."""

import numpy as np
from scipy import sparse

from manifact.io.preparation.variable_genes import most_variable, normalized_dispersion


def logged(n=300, m=400, seed=0):
    """Genes of all means; every tenth is switched off in half of the cells."""
    rng = np.random.default_rng(seed)
    mean = rng.lognormal(1, 1, m)
    rate = np.tile(mean, (n, 1))
    rate[: n // 2, ::10] *= 1.9
    rate[n // 2 :, ::10] *= 0.1
    counts = rng.poisson(rate)
    return np.log1p(counts / counts.sum(axis=1, keepdims=True) * 1000).astype(np.float32)


def test_genes_that_differ_between_cells_are_found():
    kept = most_variable(logged(), 40)
    assert kept.sum() == 40
    assert kept[::10].sum() >= 35


def test_sparse_and_dense_agree():
    X = logged()
    np.testing.assert_allclose(
        normalized_dispersion(sparse.csr_array(X)), normalized_dispersion(X), rtol=1e-4, atol=1e-4
    )


def test_odd_genes():
    X = np.zeros((10, 3))
    assert most_variable(X, 2).tolist() == [True, True, False]
    X[:, 0] = 1
    assert np.isfinite(normalized_dispersion(X)).all()
    assert most_variable(X, 5).all()
    assert np.isfinite(normalized_dispersion(X[:1])).all()
