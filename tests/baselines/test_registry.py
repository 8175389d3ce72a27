"""Every method is built and fitted from the one table."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from manifact.baselines import METHODS

X, y = (part[:90] for part in load_digits(return_X_y=True))
X = X / 16
# Three classes only, each with enough samples.
X, y = X[y < 3], y[y < 3]


@pytest.mark.parametrize("name", METHODS)
def test_it_builds_and_fits(name):
    method = METHODS[name]
    model = clone(method(n_components=3, random_state=0))
    labels = y if method.supervised else None
    if method.kind == "representation":
        V = model.fit_transform(X, labels)
        assert V.shape[0] == len(X)
        assert V.shape[1] == (2 if name == "LDA" else 3)
        assert np.isfinite(V).all()
    elif method.kind == "clusterer":
        assert set(model.fit_predict(X)) <= {0, 1, 2}
    else:
        assert model.fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("name", [name for name, method in METHODS.items() if method.seed is not None])
def test_the_seed_is_used(name):
    model = METHODS[name](n_components=3, random_state=7)
    assert model.get_params()[METHODS[name].seed] == 7
    assert METHODS[name].size is None or model.get_params()[METHODS[name].size] == 3


def test_further_parameters_pass_through():
    assert METHODS["GNMF"](5, graph_reg=3.0).graph_reg == 3.0
    assert METHODS["NCut"](5, rows="raw").rows == "raw"
    with pytest.raises(TypeError):
        METHODS["PCA"](5, graph_reg=3.0)


def test_every_public_name_loads():
    import manifact.baselines

    for name in manifact.baselines.__all__:
        assert getattr(manifact.baselines, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'PCA'"):
        _ = manifact.baselines.PCA


def test_kinds_are_known():
    assert {method.kind for method in METHODS.values()} == {"representation", "clusterer", "classifier"}


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import sys, manifact.baselines as b; b.METHODS; print('numpy' in sys.modules, 'sklearn' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False False"
