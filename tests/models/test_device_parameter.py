"""``device=`` of every model: NumPy in, NumPy out; and arrays of other kinds, of their own."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.conftest import problem
from tests.foreign_arrays import ForeignArray

import manifact
from manifact import GNMF, NMF, AffinityNMF
from manifact.baselines import SparseNMF
from manifact.graphs import LabelGraph

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from tests.backends.torch.test_torch_models import MODELS  # noqa: E402 - it is not there without PyTorch


@pytest.fixture
def as_if_there(monkeypatch):
    """A device: the memory of the host by tensors, through all that a GPU goes through."""
    for name in ("chosen_device", "reachable_device"):
        monkeypatch.setattr(f"manifact.models.inputs.{name}", lambda name: None if name == "cpu" else "cpu")


def grouped(n=60):
    """Samples of three kinds: on noise alone clusters would hang on rounding."""
    rng = np.random.default_rng(0)
    return np.kron(np.eye(3), np.ones((n // 3, 5))) * 2 + rng.random((n, 15)) * (rng.random((n, 15)) < 0.6)


def arrays_of(model):
    return {name: value for name, value in vars(model).items() if isinstance(value, np.ndarray | torch.Tensor)}


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", MODELS)
def test_numpy_comes_back_whatever_the_device(name, kind, as_if_there):
    X = kind(problem(n=40)[0])
    y = np.where(np.arange(40) % 5 == 0, np.arange(40) % 3, -1)
    here, there = (
        clone(MODELS[name]).set_params(device=device, random_state=0, tol=0, max_iter=5) for device in ("cpu", "cuda")
    )
    V, expected = there.fit_transform(X, y), here.fit_transform(X, y)
    assert isinstance(V, np.ndarray)
    np.testing.assert_allclose(V, expected, rtol=1e-7, atol=1e-9)
    assert not any(isinstance(value, torch.Tensor) for value in arrays_of(there).values())
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_allclose(there.transform(X), here.transform(X), rtol=1e-5, atol=1e-7)
    assert isinstance(there.predict(X), np.ndarray)
    assert there.device == "cuda"


@pytest.mark.parametrize("name", ["NMF bcd", "GNMF mu", "AffinityNMF", "CF", "ALPNMF mu"])
def test_arrays_that_speak_dlpack_get_their_own_kind(name):
    X = problem(n=40)[0]
    one, other = (clone(MODELS[name]).set_params(random_state=0) for _ in range(2))
    expected = one.fit_transform(X)
    V = other.fit_transform(ForeignArray(X))
    assert isinstance(V, ForeignArray)
    np.testing.assert_array_equal(V.numbers, expected)
    for attribute in ("components_", "representation_", "labels_", "embedding_", "concepts_"):
        if hasattr(one, attribute):
            found = getattr(other, attribute)
            assert isinstance(found, ForeignArray), attribute
            np.testing.assert_array_equal(found.numbers, getattr(one, attribute))
    new = X[:7] * 1.1
    np.testing.assert_array_equal(other.transform(ForeignArray(new)).numbers, one.transform(new))
    np.testing.assert_array_equal(other.transform(new), one.transform(new))
    np.testing.assert_array_equal(other.predict(ForeignArray(new)).numbers, one.predict(new))
    np.testing.assert_array_equal(other.inverse_transform(V).numbers, one.inverse_transform(expected))
    assert other.score(ForeignArray(X)) == one.score(X)
    other.set_params(warm_start=True).fit(ForeignArray(X))


def test_tensors_get_tensors():
    X = torch.as_tensor(problem(n=40)[0])
    model = GNMF(3, random_state=0).fit(X)
    for found in (model.labels_, model.predict(X), model.transform(X), model.components_, model.fit_predict(X)):
        assert isinstance(found, torch.Tensor)
    assert model.device_ == "cpu"


@pytest.mark.parametrize("save", ["file", "pickle"])
def test_a_fitted_model_serves_where_its_device_is_not(save, as_if_there, monkeypatch, tmp_path):
    X = problem(n=40)[0]
    model = AffinityNMF(3, device="cuda", random_state=0).fit(X)
    expected = model.predict(X)
    monkeypatch.undo()
    monkeypatch.setattr("manifact.backends.torch.gpus.number_of_gpus", lambda: 0)
    if save == "file":
        model.save(tmp_path / "model.safetensors")
        again = manifact.load(tmp_path / "model.safetensors")
    else:
        again = pickle.loads(pickle.dumps(model))
    assert again.device == "cuda"
    np.testing.assert_array_equal(again.predict(X), expected)
    with pytest.raises(ValueError, match="device='cuda' needs a GPU"):
        again.fit(X)
    assert again.set_params(device="auto").fit(X).device_ == "cpu"


def test_labels_and_weights_may_be_tensors():
    X, y, gamma = torch.as_tensor(problem(n=40)[0]), torch.arange(40) % 3, torch.linspace(0.5, 2, 40)
    one = GNMF(3, graph=LabelGraph(), random_state=0).fit(X, y, sample_weight=gamma)
    other = GNMF(3, graph=LabelGraph(), random_state=0).fit(X, y.numpy(), sample_weight=gamma.numpy())
    assert torch.equal(one.components_, other.components_)


def test_a_solver_of_the_host_says_so(as_if_there):
    with pytest.raises(ValueError, match="works on NumPy and SciPy arrays: pass X as one of these, with device='cpu'"):
        SparseNMF(3, device="cuda").fit(problem()[0])


def test_a_device_that_is_not_known_is_refused_before_any_work():
    with pytest.raises(ValueError, match="device='tpu' is not known"):
        NMF(3, device="tpu").fit("no samples")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["NMF bcd", "GNMF mu", "AffinityNMF", "CF", "ALPNMF mu", "NMF KL newton"])
def test_a_gpu_gives_what_the_host_gives(name, kind):
    X = kind(grouped())
    here, there = (
        clone(MODELS[name]).set_params(device=device, random_state=0, tol=0, max_iter=20) for device in ("cpu", "auto")
    )
    np.testing.assert_allclose(there.fit_transform(X), here.fit_transform(X), rtol=1e-6, atol=1e-9)
    assert there.device_.startswith("cuda")
    np.testing.assert_array_equal(there.labels_, here.labels_)
    np.testing.assert_allclose(there.transform(X), here.transform(X), rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("sparsely", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("name", ["NMF bcd", "GNMF mu", "AffinityNMF", "CF"])
def test_cupy_in_cupy_out(name, sparsely):
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed: it needs a GPU")
    import cupyx.scipy.sparse as cupy_sparse

    X = grouped()
    samples = cupy_sparse.csr_matrix(cupy.asarray(X)) if sparsely else cupy.asarray(X)
    model = clone(MODELS[name]).set_params(random_state=0)
    V = model.fit_transform(samples)
    found = [V, model.labels_, model.transform(samples), model.predict(samples), model.components_]
    assert all(isinstance(one, cupy.ndarray) for one in [*found, model.inverse_transform(V)])
    expected = clone(MODELS[name]).set_params(random_state=0).fit_transform(sparse.csr_array(X) if sparsely else X)
    # Runs end where ten iterations change little, not at the last digit.
    np.testing.assert_allclose(V.get(), expected, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("call", ["fit", "transform", "predict"])
def test_a_full_gpu_is_told_in_one_sentence(call, monkeypatch):
    X = torch.as_tensor(problem(n=40)[0])
    model = GNMF(3, random_state=0).fit(X)

    def full(*_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr("manifact.backends.torch.data", full)
    with pytest.raises(MemoryError, match=r"the GPU's memory is full .*: give X in float32 .* or use device='cpu'"):
        getattr(model, call)(X)
