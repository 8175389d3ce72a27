"""Every method is built and fitted from the one list."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from manifact import AffinityNMF
from manifact.baselines import SparseNMF
from manifact.experiments.methods import OTHERS, method, methods
from manifact.models import registry

X, y = (part[:90] for part in load_digits(return_X_y=True))
X = X / 16
# Three classes only, each with enough samples.
X, y = X[y < 3], y[y < 3]
METHODS = methods()


@pytest.mark.filterwarnings("ignore:Graph is not fully connected:UserWarning")
@pytest.mark.parametrize("name", METHODS)
def test_it_builds_and_fits(name):
    model = clone(METHODS[name](n_components=3, random_state=0))
    labels = y if METHODS[name].supervised else None
    if METHODS[name].kind == "representation":
        V = model.fit_transform(X, labels)
        assert V.shape[0] == len(X)
        assert V.shape[1] == (2 if name == "LDA" else 3)
        assert np.isfinite(V).all()
    elif METHODS[name].kind == "clusterer":
        assert set(model.fit_predict(X)) <= {0, 1, 2}
    else:
        assert model.fit(X, y).score(X, y) == 1


@pytest.mark.parametrize("name", [name for name, each in METHODS.items() if each.seed is not None])
def test_the_seed_is_used(name):
    model = METHODS[name](n_components=3, random_state=7)
    assert model.get_params()[METHODS[name].seed] == 7
    assert METHODS[name].size is None or model.get_params()[METHODS[name].size] == 3


def test_further_parameters_pass_through():
    assert method("GNMF")(5, graph_reg=3.0).graph_reg == 3.0
    assert method("NCut")(5, rows="raw").rows == "raw"
    with pytest.raises(TypeError):
        method("PCA")(5, graph_reg=3.0)


def test_every_model_is_a_method():
    assert {entry.cls.__name__ for entry in registry.on_command_line().values()} <= set(METHODS)
    assert isinstance(method("SparseNMF")(), SparseNMF)
    assert not set(OTHERS) & set(registry.entries())


def test_what_needs_classes_says_so():
    assert {name for name, each in METHODS.items() if each.supervised} == {"1-NN", "CNMF", "KSDA", "LDA"}


def test_a_model_is_found_by_the_name_it_had():
    assert isinstance(method("JointNMF")(3), AffinityNMF)


def test_an_unknown_name_is_refused():
    with pytest.raises(ValueError, match=r"method='GNNF' is not known: choose one of .*'GNMF'"):
        method("GNNF")


def test_kinds_are_known():
    assert {each.kind for each in METHODS.values()} == {"representation", "clusterer", "classifier"}
