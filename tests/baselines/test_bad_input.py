"""The factorisations among the baselines refuse bad input in one sentence."""

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact.baselines import CNMF, LNMF, NPNMF, SparseNMF

X = problem()[0]
Y = np.arange(24) % 3 - 1


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("model", [CNMF(2), LNMF(2), NPNMF(2), SparseNMF(2)], ids=lambda model: type(model).__name__)
@pytest.mark.parametrize(
    ("value", "sentence"),
    [(np.nan, "Input X contains NaN"), (-1.0, "Negative values in data")],
    ids=["nan", "negative"],
)
def test_values(kind, model, value, sentence):
    bad = X.copy()
    bad[3, 4] = value
    with pytest.raises(ValueError, match=sentence):
        model.fit(kind(bad), Y)


@pytest.mark.parametrize(
    ("model", "error", "sentence"),
    [
        (SparseNMF(2, sparseness_U=1.5), ValueError, "sparseness_U=1.5 must be between 0 and 1, or None"),
        (SparseNMF(2, sparseness_V=-0.5), ValueError, "sparseness_V=-0.5 must be a finite number >= 0"),
        (SparseNMF(2, sparseness_U="high"), TypeError, "sparseness_U='high' must be a number >= 0"),
        (SparseNMF(2, solver="newton"), ValueError, "solver='newton' cannot minimise SparseNMF: choose one of 'auto'"),
        (SparseNMF(2, alpha_V=0.1), ValueError, "alpha_V=0.1 is not known to SparseNMF"),
        (LNMF(2, alpha_U=0.1), ValueError, "alpha_U=0.1 is not known to LNMF"),
        (CNMF(2, alpha_V=1), ValueError, "alpha_V=1 is not known to CNMF"),
        (LNMF(2, solver="bcd"), ValueError, "solver='bcd' cannot minimise LNMF"),
        (NPNMF(2, graph_reg=-1), ValueError, "graph_reg=-1 must be a finite number >= 0"),
        (NPNMF(2, n_neighbors=0), ValueError, "n_neighbors=0 must be an integer >= 1"),
        (NPNMF(2, reg=0), ValueError, "reg=0 must be a finite number > 0"),
    ],
)
def test_parameters(model, error, sentence):
    with pytest.raises(error, match=sentence) as caught:
        model.fit(X, Y)
    assert "\n" not in str(caught.value)
    assert not hasattr(model, "components_")


def test_labels():
    with pytest.raises(ValueError, match="CNMF requires y to be passed, but the target y is None: call fit"):
        CNMF(2).fit(X)
    with pytest.raises(ValueError, match=r"y has shape .3,. but X has 24 samples: give one label for each"):
        CNMF(2).fit(X, [0, 1, -1])


@pytest.mark.parametrize("model", [LNMF(2), NPNMF(2), SparseNMF(2)], ids=lambda model: type(model).__name__)
def test_what_cannot_be_tied_says_so(model):
    with pytest.raises(ValueError, match="tie=True needs a model with a graph"):
        model.fit(X).transform(X, tie=True)
