import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize

import manifact
from manifact import GNMF, NMF
from manifact.graphs import GraphBuilder


@pytest.fixture
def X(rng):
    """Spectra: two shapes, each as strong as it likes."""
    return (rng.gamma(2.0, size=(40, 2)) @ rng.gamma(1.0, size=(2, 15))) * rng.gamma(20.0, 0.05, size=(40, 15))


def divergence(X, Y, weight=1.0):
    return np.sum(np.reshape(weight, (-1, 1)) * (X / Y - np.log(X / Y) - 1))


SETTINGS = {"n_components": 2, "loss": "itakura-saito", "random_state": 0, "normalize": None, "max_iter": 200}


@pytest.mark.parametrize("weighted", [False, True])
def test_its_objective_is_the_plain_sum_and_never_rises(toy, X, weighted):
    toy("loss")
    weight = np.linspace(0.5, 2.0, len(X)) if weighted else None
    model = NMF(**SETTINGS).fit(X, sample_weight=weight)
    Y = model.representation_ @ model.components_
    assert model.solver_ == "mu"
    assert model.objective_[-1] == pytest.approx(divergence(X, Y, 1.0 if weight is None else weight))
    assert (np.diff(model.objective_) <= 1e-12 * model.objective_[0]).all()
    assert model.objective_[-1] < 0.2 * model.objective_[0]
    assert model.reconstruction_err_ == pytest.approx(np.sqrt(2 * divergence(X, Y)))


def test_scale_does_not_matter_to_it(toy, X):
    toy("loss")
    louder = X * np.linspace(0.01, 100.0, len(X))[:, None]
    errors = [NMF(**SETTINGS | {"max_iter": 2000}).fit(data).reconstruction_err_ for data in (X, louder)]
    assert errors[1] == pytest.approx(errors[0], rel=1e-2)


def test_new_samples_are_projected_by_the_default_of_losses(toy, X):
    toy("loss")
    model = NMF(**SETTINGS | {"normalize": "basis"}).fit(X)
    for x, v in zip(X[:3], model.transform(X[:3]), strict=True):
        found = minimize(
            lambda logs, x=x: divergence(x[None], np.exp(logs)[None] @ model.components_),
            np.log(v + 0.1),
            tol=1e-12,
        )
        assert divergence(x[None], v[None] @ model.components_) == pytest.approx(found.fun, rel=1e-4)
    assert model.score(X) == pytest.approx(-divergence(X, model.transform(X) @ model.components_) / X.size)


def test_it_goes_with_penalties_graphs_and_files(toy, X, tmp_path):
    toy("loss")
    model = GNMF(graph_reg=0.1, alpha_V=0.01, assign="kmeans", **SETTINGS).fit(X)
    assert model.objective_[-1] < model.objective_[0]
    model.save(tmp_path / "model.safetensors")
    again = manifact.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.transform(X), model.transform(X))


class Unbuilt(GraphBuilder):
    """A graph that must not be asked for."""

    def build(self, X, y=None):
        raise AssertionError("work was done before the refusal")


@pytest.mark.parametrize(
    ("data", "error", "told"),
    [
        (sparse.csr_array(np.eye(5) + 1), TypeError, "this loss needs a dense X: pass X.toarray()"),
        (np.eye(5), ValueError, "loss='itakura-saito' needs X > 0: add a small number to X, or use another loss"),
    ],
)
def test_data_that_it_cannot_take_are_refused_before_any_work(toy, data, error, told):
    toy("loss")
    with pytest.raises(error, match=told) as refusal:
        GNMF(graph=Unbuilt(), **SETTINGS).fit(data)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("solver", ["bcd", "newton"])
def test_solvers_that_it_does_not_list_are_refused(toy, X, solver):
    toy("loss")
    told = f"solver='{solver}' cannot minimise NMF with loss='itakura-saito': choose one of 'auto', 'mu'"
    with pytest.raises(ValueError, match=told):
        NMF(solver=solver, **SETTINGS).fit(X)


def test_without_its_module_a_model_says_what_is_missing(toy, X):
    toy("loss")
    model = NMF(**SETTINGS).fit(X)
    from manifact.terms import LOSSES

    del LOSSES["itakura-saito"]
    with pytest.raises(ValueError, match="loss='itakura-saito' is not known: choose one of 'frobenius'"):
        model.transform(X)


def test_the_command_line_offers_it(toy):
    from manifact.cli import choices

    assert "itakura-saito" not in choices.names("loss")
    toy("loss")
    assert "itakura-saito" in choices.names("loss")


def test_it_runs_where_the_arrays_live(toy, X):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    toy("loss")
    model, twin = (NMF(**SETTINGS | {"max_iter": 30}).fit(data) for data in (X, torch.from_numpy(X)))
    assert isinstance(twin.components_, torch.Tensor)
    np.testing.assert_allclose(twin.objective_, model.objective_, rtol=1e-9)
    with pytest.raises(TypeError, match="this loss needs a dense X"):
        NMF(**SETTINGS).fit(torch.from_numpy(X).to_sparse_csr())
