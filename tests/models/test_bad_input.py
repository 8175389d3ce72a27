"""Bad input gives one sentence that names the parameter, the value and the remedy."""

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact import GNMF, LPNMF, NMF

X, W, V0, U0 = problem()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    ("value", "sentence"),
    [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity"), (-1.0, "Negative values in data")],
)
def test_values(kind, value, sentence):
    bad = X.copy()
    bad[3, 4] = value
    for model in (NMF(2), GNMF(2), LPNMF(2)):
        with pytest.raises(ValueError, match=f"^{sentence}.*: [^\n]+$") as caught:
            model.fit(kind(bad))
        assert "\n" not in str(caught.value)
    with pytest.raises(ValueError, match=sentence):
        NMF(2).fit(X).transform(kind(bad))


def test_no_samples():
    with pytest.raises(ValueError, match=r"Found array with 0 sample\(s\)"):
        NMF(2).fit(np.empty((0, 3)))


@pytest.mark.parametrize(
    ("parameters", "error", "sentence"),
    [
        ({"n_components": 0}, ValueError, "n_components=0 must be an integer >= 1"),
        ({"n_components": 2.5}, TypeError, "n_components=2.5 must be an integer >= 1"),
        ({"n_components": True}, TypeError, "n_components=True must be an integer"),
        ({"solver": "cd"}, ValueError, "solver='cd' is not known: choose one of 'auto', 'mu', 'bcd'$"),
        ({"solver": "newton"}, ValueError, "solver='newton' cannot minimise GNMF with loss='frobenius': choose"),
        ({"init": "svd"}, ValueError, "init='svd' is not known: choose one of 'auto', 'random', 'nndsvd'"),
        ({"init": None}, ValueError, "init=None is not known"),
        ({"init": (V0,)}, ValueError, "init='tuple' is not known: .* or give a pair of arrays"),
        ({"init": (V0[:, :2], U0.T)}, ValueError, "V0 has shape .24, 2. but must be 24 x 4"),
        ({"init": (V0, U0)}, ValueError, "components0 has shape .17, 4. but must be 4 x 17"),
        ({"init": (-V0, U0.T)}, ValueError, "V0 contains NaN, infinite or negative values"),
        ({"max_iter": -1}, ValueError, "max_iter=-1 must be an integer >= 0"),
        ({"tol": -1.0}, ValueError, "tol=-1 must be a finite number >= 0"),
        ({"tol": "small"}, TypeError, "tol='small' must be a number >= 0"),
        ({"normalize": "l1"}, ValueError, "normalize='l1' is not known: choose one of 'basis', None"),
        ({"assign": "mean"}, ValueError, "assign='mean' is not known: choose one of 'kmeans', 'argmax', 'nearest'"),
        ({"assign": None}, ValueError, "assign=None has gone: leave it out, clusters are made only when"),
        ({"n_init": 0}, ValueError, "n_init=0 must be an integer >= 1"),
        ({"init_iter": 0}, ValueError, "init_iter=0 must be an integer >= 1"),
        ({"alpha_V": -0.1}, ValueError, "alpha_V=-0.1 must be a finite number >= 0"),
        ({"alpha_U": "other"}, TypeError, "alpha_U='other' must be a number >= 0"),
        ({"l1_ratio": 1.5}, ValueError, "l1_ratio=1.5 must be a finite number >= 0 and <= 1"),
        ({"device": "gpu"}, ValueError, "device='gpu' is not known: choose 'cpu', 'cuda'"),
        ({"loss": "itakura"}, ValueError, "loss='itakura' is not known: choose one of 'frobenius', 'kullback-leibler'"),
        ({"graph_reg": -1}, ValueError, "graph_reg=-1 must be a finite number >= 0"),
        ({"graph_reg": np.nan}, ValueError, "graph_reg=nan must be a finite number >= 0"),
        ({"graph": W[:-1, :-1]}, ValueError, "graph is a 23 x 23 affinity but X has 24 samples"),
        ({"graph": np.triu(W)}, ValueError, "graph is not symmetric"),
        ({"graph": -W}, ValueError, "graph has a negative affinity"),
        ({"graph": "knn"}, ValueError, "graph must be a graph builder such as KNNGraph"),
    ],
)
def test_parameters(parameters, error, sentence):
    model = GNMF(4).set_params(**parameters)
    with pytest.raises(error, match=sentence) as caught:
        model.fit(X)
    assert "\n" not in str(caught.value)
    assert not hasattr(model, "components_")


@pytest.mark.parametrize(
    ("weight", "sentence"),
    [
        (np.ones(5), "sample_weight has shape .5,. but X has 24 samples"),
        (-np.ones(24), "sample_weight contains NaN, infinite or negative values"),
        (np.full(24, np.nan), "sample_weight contains NaN"),
        (np.zeros(24), "sample_weight is zero for every sample"),
        ("ncut", "sample_weight='ncut' is not known: choose one of 'ncw'"),
    ],
)
def test_sample_weights(weight, sentence):
    with pytest.raises(ValueError, match=sentence):
        GNMF(3).fit(X, sample_weight=weight)


def test_what_would_not_fit_is_refused_with_an_estimate():
    wide = sparse.csr_array((3, 2_000_000_000))
    sentence = r"NMF of 3 x 2000000000 samples .* would need about .* GiB .* are free: lower n_components"
    with pytest.raises(MemoryError, match=sentence):
        NMF(1000).fit(wide)


def test_labels_of_the_wrong_length():
    from manifact.graphs import LabelGraph

    with pytest.raises(ValueError, match="give one label for each"):
        GNMF(3, graph=LabelGraph()).fit(X, y=[0, 1])
