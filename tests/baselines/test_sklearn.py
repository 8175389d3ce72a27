"""The baselines are scikit-learn's estimators: its own checks."""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.conftest import problem

from manifact.baselines import CNMF, KSDA, LNMF, LPP, NPE, NPNMF, AverageAssociation, NCut, SparseNMF

REPETITION = "repeating a sample changes the neighbours and the random start"
TIED = {
    CNMF: "during fit samples of one class have one V, and transform knows no classes",
    NPNMF: "during fit V is rebuilt from that of neighbours, transform is per sample",
    SparseNMF: "during fit a part is as sparse over all samples as asked, transform is per sample",
}
WEIGHT_CHECKS = ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data")
FIT_TRANSFORM_CHECKS = (
    "check_transformer_general",
    "check_transformer_general(readonly_memmap=True)",
    "check_transformer_data_not_an_array",
)

ESTIMATORS = [
    LNMF(2, max_iter=5000, tol=1e-10),
    SparseNMF(2, max_iter=5000, tol=1e-10),
    SparseNMF(2, max_iter=5000, tol=1e-10, solver="projected"),
    SparseNMF(2, sparseness_U=None, sparseness_V=0.3),
    NPNMF(2),
    CNMF(2),
    LPP(),
    NPE(),
    KSDA(),
    AverageAssociation(3, n_init=3),
    NCut(3, n_init=3),
    NCut(3, rows="degree", n_init=3),
]


def expected_failures(estimator):
    failures = {}
    if isinstance(estimator, (LNMF, SparseNMF, CNMF, NPNMF)):
        failures |= dict.fromkeys(WEIGHT_CHECKS, REPETITION)
    if isinstance(estimator, (CNMF, NPNMF)) or getattr(estimator, "sparseness_V", None) is not None:
        failures |= dict.fromkeys(FIT_TRANSFORM_CHECKS, TIED[type(estimator)])
    return failures


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("model", [LNMF(3), SparseNMF(3), NPNMF(3), CNMF(3), LPP(3), NPE(3), KSDA(3)],
                         ids=lambda model: type(model).__name__)  # fmt: skip
def test_data_frames_keep_their_names(model):
    X = pd.DataFrame(problem()[0], columns=[f"word{i}" for i in range(17)])
    V = model.set_output(transform="pandas").fit_transform(X, np.arange(24) % 2)
    assert list(V.columns) == [f"{type(model).__name__.lower()}{i}" for i in range(3)]
    assert list(model.transform(X).columns) == list(V.columns)
    assert list(model.feature_names_in_) == list(X.columns)
