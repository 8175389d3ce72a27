import numpy as np
import pytest
from tests.conftest import problem
from tests.terms.cases import state

from manifact.terms import Locality


@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("signed", [False, True])
def test_on_plain_factors_it_is_the_papers_sum(form, weighted, signed):
    X, _, V, U = problem()
    s = state(form=form, weighted=weighted, signed=signed)
    X = X - 0.3 * signed
    gamma = np.ones(len(X)) if s.data.weight is None else s.data.weight
    expected = sum(gamma[i] * V[i, k] * np.sum((U[:, k] - X[i]) ** 2) for i in range(len(X)) for k in range(4))
    assert Locality(0.3).value(s) == pytest.approx(0.3 * expected)


@pytest.mark.parametrize("form", ["dense", "csr", "kernel"])
def test_squares_of_samples_are_not_weighted(form):
    X = problem()[0]
    kinds = ["concepts"] if form == "kernel" else ["factors", "concepts"]
    for kind in kinds:
        squares = state(kind, form, weighted=True).data.row_squares
        np.testing.assert_allclose(squares, np.sum(X**2, axis=1), rtol=1e-12)
