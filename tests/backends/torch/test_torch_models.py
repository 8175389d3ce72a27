"""Tensors in, tensors out, and the numbers of NumPy's backend: every model, solver, kind and type of data.

On the GPU where there is one, and on the CPU otherwise.
"""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.conftest import problem

import manifact
from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.baselines import CNMF, LNMF, NPNMF, SparseNMF
from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph
from manifact.models.registry import entries

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends.torch.tensors import as_tensor  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KINDS = {"dense": np.asarray, "sparse": sparse.csr_array}
#: How far apart factors may be, relative to their norms, after 20 iterations.
APART = {"double": (np.float64, 1e-9), "single": (np.float32, 1e-4)}
#: Here they are at rest before that: whether the last steps are taken is decided by digits that float32 has not.
AT_REST = {"AffinityNMF", "ALPNMF newton"}
#: Here float32 decides after ten iterations, by digits that it has not, how far a step goes: both ways lower the
#: objective, and lead apart.
TEN_IN_SINGLE = {"LPNMF newton", "LPNMF newton labels"}
KL = {"loss": "kullback-leibler"}
MODELS = {
    "NMF mu": NMF(3, solver="mu"),
    "NMF bcd": NMF(3),
    "NMF KL mu": NMF(3, solver="mu", **KL),
    "NMF KL newton": NMF(3, **KL),
    "GNMF mu": GNMF(3, solver="mu"),
    "GNMF bcd": GNMF(3, solver="bcd", graph_reg=1.0),
    "GNMF bcd landmarks": GNMF(3, solver="bcd", graph_reg=1.0, graph=LandmarkGraph(10)),
    "GNMF bcd labels": GNMF(3, solver="bcd", graph_reg=1.0, graph=KNNGraph(3) + 0.5 * LabelGraph()),
    "GNMF penalties": GNMF(3, solver="bcd", graph_reg=1.0, alpha_V=0.01, alpha_U=0.02, l1_ratio=0.5),
    "GNMF KL mu": GNMF(3, solver="mu", **KL),
    "LPNMF mu": LPNMF(3, solver="mu"),
    "LPNMF newton": LPNMF(3, solver="newton", graph_reg=1.0),
    "LPNMF newton labels": LPNMF(3, solver="newton", graph_reg=1.0, graph=KNNGraph(3) + 0.5 * LabelGraph()),
    "ALPNMF mu": ALPNMF(3, solver="mu"),
    "ALPNMF newton": ALPNMF(3, solver="newton"),
    "SPNMF mu": SPNMF(3, solver="mu"),
    "SPNMF simplex": SPNMF(3),
    "CF": CF(3),
    "CF rbf": CF(3, kernel="rbf"),
    "LCCF": LCCF(3),
    "LCF": LCF(3),
    "AffinityNMF": AffinityNMF(3),
    "LNMF": LNMF(3),
    "NPNMF": NPNMF(3),
    "CNMF": CNMF(3),
}


def close(mine, expected, tolerance=1e-9):
    assert isinstance(mine, torch.Tensor)
    assert mine.dtype == {np.float64: torch.float64, np.float32: torch.float32}[expected.dtype.type]
    assert mine.device.type == DEVICE
    assert np.linalg.norm(mine.cpu().numpy() - expected) <= tolerance * np.linalg.norm(expected)


def test_the_table_has_every_model_with_the_published_rule():
    """A model that is added is tried here, too; SparseNMF has no such rule and says what it takes."""
    tried = {type(model).__name__ for model in MODELS.values()}
    assert tried == {name for name, entry in entries().items() if entry.cls.__module__.startswith("manifact.")} - {
        "SparseNMF"
    }


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("digits", "weighted"), [("double", False), ("double", True), ("single", False)])
def test_twenty_iterations_are_those_of_numpy(name, kind, digits, weighted):
    dtype, apart = APART[digits]
    if digits == "single" and name in AT_REST:
        apart = 3e-3
    X = KINDS[kind](problem(n=60)[0].astype(dtype))
    y = np.where(np.arange(60) % 5 == 0, np.arange(60) % 3, -1)
    gamma = np.linspace(0.2, 2, 60) if weighted else None
    iterations = 10 if digits == "single" and name in TEN_IN_SINGLE else 20
    there, here = (clone(MODELS[name]).set_params(random_state=0, tol=0, max_iter=iterations) for _ in range(2))
    V = there.fit_transform(X, y, sample_weight=gamma)
    tensor = as_tensor(X, DEVICE)
    close(here.fit_transform(tensor, y, sample_weight=gamma), V, apart)
    basis = "components_" if hasattr(there, "components_") else "concepts_"
    close(getattr(here, basis), getattr(there, basis), apart)
    np.testing.assert_allclose(here.objective_, there.objective_, rtol=1e-9 if digits == "double" else 1e-5)
    assert here.reconstruction_err_ == pytest.approx(there.reconstruction_err_, rel=max(1e-6, apart))
    close(here.transform(tensor), there.transform(X), 1e-6 if digits == "double" else max(1e-3, apart))


@pytest.mark.parametrize("name", ["NMF KL mu", "GNMF bcd", "ALPNMF mu", "AffinityNMF"])
def test_the_same_seed_gives_the_same_bits(name):
    X = as_tensor(sparse.csr_array(problem(n=60)[0].astype(np.float32)), DEVICE)
    one, other = (clone(MODELS[name]).set_params(random_state=0, tol=0, max_iter=20).fit(X) for _ in range(2))
    assert torch.equal(one.components_, other.components_)
    np.testing.assert_array_equal(one.objective_, other.objective_)


def test_signed_data_take_the_rule_of_quadratic_programming():
    X = problem(n=30)[0] - 0.3
    there, here = (CF(3, random_state=0, tol=0, max_iter=20) for _ in range(2))
    for kind in KINDS.values():
        close(here.fit_transform(as_tensor(kind(X), DEVICE)), there.fit_transform(kind(X)))


def test_clusters_scores_and_inverse_agree():
    X = problem(n=60)[0]
    there, here = (GNMF(3, assign="kmeans", random_state=0) for _ in range(2))
    labels = there.fit_predict(X)
    tensor = as_tensor(X, DEVICE)
    np.testing.assert_array_equal(here.fit_predict(tensor).cpu(), labels)
    np.testing.assert_array_equal(here.predict(tensor[:7]).cpu(), there.predict(X[:7]))
    assert here.score(tensor) == pytest.approx(there.score(X))
    close(here.inverse_transform(here.transform(tensor)), there.inverse_transform(there.transform(X)), 1e-6)


def test_a_model_fitted_on_one_kind_serves_the_other():
    X = problem(n=60)[0]
    model = GNMF(3, random_state=0).fit(X)
    close(model.transform(as_tensor(X, DEVICE)), model.transform(X), 1e-9)
    tensors = GNMF(3, random_state=0).fit(as_tensor(X, DEVICE))
    np.testing.assert_allclose(tensors.transform(X), model.transform(X), rtol=1e-6, atol=1e-9)


def test_a_checkpoint_goes_on_where_it_stopped(tmp_path):
    X = as_tensor(problem(n=60)[0], DEVICE)
    whole = GNMF(3, graph_reg=1.0, random_state=0, tol=0, max_iter=20).fit(X)
    for iterations in (8, 20):
        half = GNMF(3, graph_reg=1.0, random_state=0, tol=0, max_iter=iterations)
        half.fit(X, checkpoint=tmp_path / "run")
    assert torch.equal(half.components_, whole.components_)


def test_files_hold_arrays_of_the_host(tmp_path):
    X = problem(n=60)[0]
    model = GNMF(3, assign="kmeans", random_state=0).fit(as_tensor(X, DEVICE))
    model.save(tmp_path / "model.safetensors")
    again = manifact.load(tmp_path / "model.safetensors")
    assert isinstance(again.components_, np.ndarray)
    np.testing.assert_array_equal(again.components_, model.components_.cpu().numpy())
    np.testing.assert_array_equal(again.predict(X), model.predict(as_tensor(X, DEVICE)).cpu())


def test_what_works_on_the_host_alone_says_so():
    with pytest.raises(ValueError, match="solver='columns' works on NumPy and SciPy arrays"):
        SparseNMF(3).fit(as_tensor(problem()[0], DEVICE))


def test_bad_tensors_are_refused_as_arrays_are():
    with pytest.raises(ValueError, match="Negative values"):
        NMF(3).fit(as_tensor(-problem()[0], DEVICE))
    with pytest.raises(ValueError, match="NaN"):
        NMF(3).fit(as_tensor(np.full((5, 4), np.nan), DEVICE))
