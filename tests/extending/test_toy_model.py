import json

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator
from tests.models.test_sklearn import expected_failures
from typer.testing import CliRunner

import manifact
from manifact.cli import app, choices
from manifact.experiments.methods import methods
from manifact.models import registry

FIT_TRANSFORM_CHECKS = (
    "check_transformer_general",
    "check_transformer_general(readonly_memmap=True)",
    "check_transformer_data_not_an_array",
)


@pytest.fixture
def X(rng):
    """Mixtures of two boxes, with noise."""
    boxes = np.zeros((2, 30))
    boxes[0, 3:15] = boxes[1, 12:27] = 1.0
    return rng.random((50, 2)) @ boxes + 0.3 * rng.random((50, 30))


def test_it_minimises_what_it_says(toy, X):
    plain, smooth = (toy("model").SmoothPartsNMF(2, variation_reg=reg, random_state=0).fit(X) for reg in (0.0, 3.0))
    assert (np.diff(smooth.objective_) <= 1e-12 * smooth.objective_[0]).all()
    jumps = [np.abs(np.diff(model.components_)).sum() for model in (plain, smooth)]
    assert jumps[1] < 0.75 * jumps[0]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_it_passes_scikit_learns_own_checks(toy):
    model = toy("model").SmoothPartsNMF(2)
    slow = dict.fromkeys(FIT_TRANSFORM_CHECKS, "after 100 iterations of the rule V is not yet what transform finds")
    check_estimator(model, expected_failed_checks=expected_failures(model) | slow)


def test_bad_parameters_are_refused_in_one_sentence(toy, X):
    with pytest.raises(ValueError, match=r"^variation_reg=-1 must be a finite number >= 0$"):
        toy("model").SmoothPartsNMF(variation_reg=-1).fit(X)
    with pytest.raises(ValueError, match=r"^solver='bcd' cannot minimise SmoothPartsNMF: choose one of 'auto', 'mu'$"):
        toy("model").SmoothPartsNMF(solver="bcd").fit(X)


def test_shared_parameters_are_documented(toy):
    doc = toy("model").SmoothPartsNMF.__doc__
    assert "variation_reg : float" in doc
    assert "n_components : int, default=10" in doc
    assert "{common" not in doc


def test_it_is_saved_and_loaded(toy, X, tmp_path):
    model = toy("model").SmoothPartsNMF(2, assign="kmeans", random_state=0).fit(X)
    model.save(tmp_path / "model.safetensors")
    again = manifact.load(tmp_path / "model.safetensors")
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_it_is_in_every_list_that_is_made_of_the_registry(toy):
    cls = toy("model").SmoothPartsNMF
    assert registry.on_command_line()["smooth-parts"].cls is cls
    assert "smooth-parts" in choices.names("model")
    assert methods()["SmoothPartsNMF"]._class is cls


def test_the_command_line_fits_it(toy, X, tmp_path):
    toy("model")
    np.save(tmp_path / "X.npy", X)
    arguments = ["fit", str(tmp_path / "X.npy"), "--model", "smooth-parts", "-k", "2", "--set", "variation_reg=3"]
    result = CliRunner().invoke(app, [*arguments, "-o", str(tmp_path / "model.safetensors"), "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["model"] == "SmoothPartsNMF"
    model = manifact.load(tmp_path / "model.safetensors")
    assert (model.variation_reg, model.init, model.components_.shape) == (3, "nndsvda", (2, 30))


def test_packages_announce_their_models_as_entry_points(toy, monkeypatch):
    class Point:
        def load(self):
            return toy("model").SmoothPartsNMF

    monkeypatch.setattr(registry, "_complete", False)
    monkeypatch.setattr(registry, "entry_points", lambda group: [Point()] if group == "manifact.models" else [])
    assert "SmoothPartsNMF" in registry.entries()


def test_it_runs_where_the_arrays_live(toy, X):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    SmoothPartsNMF = toy("model").SmoothPartsNMF
    model, twin = (SmoothPartsNMF(2, random_state=0).fit(data) for data in (X, torch.from_numpy(X)))
    assert isinstance(twin.components_, torch.Tensor)
    np.testing.assert_allclose(twin.objective_, model.objective_, rtol=1e-9)
