"""An operation stands in the protocol, and every backend has it under the same name with the same parameters."""

import inspect
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from scipy import sparse
from scipy.stats import entropy

from manifact.backends import PACKAGES, backend_of, threads
from manifact.backends.protocol import Backend, Data

MODULES = {"numpy": "manifact.backends.numpy", **PACKAGES}


def members(protocol):
    """Methods of a protocol, those that it inherits included."""
    names = {name for base in protocol.__mro__ for name in vars(base) if not name.startswith("_")}
    return sorted(name for name in names if callable(getattr(protocol, name, None)))


def parameters(function):
    found = inspect.signature(function).parameters.values()
    return [(one.name, one.default) for one in found if one.name != "self"]


@pytest.mark.parametrize("package", MODULES)
@pytest.mark.parametrize("name", members(Backend))
def test_every_backend_has_every_operation(package, name):
    if find_spec(package) is None or find_spec(MODULES[package]) is None:
        pytest.skip(f"{package} is not installed")
    backend = import_module(MODULES[package])
    assert parameters(getattr(backend, name)) == parameters(getattr(Backend, name))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", members(Data))
def test_data_have_every_operation(kind, name):
    X = kind(np.eye(3))
    assert parameters(getattr(backend_of(X).data(X, None), name)) == parameters(getattr(Data, name))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_data_have_every_property(kind):
    X = kind(np.eye(3))
    data = backend_of(X).data(X, None)
    named = {name for base in Data.__mro__ for name in (*vars(base), *vars(base).get("__annotations__", {}))}
    wanted = {name for name in named if not name.startswith("_") and name not in members(Data)}
    assert {"shape", "dtype", "weight", "signed", "square_sum", "squares"} <= wanted
    assert [name for name in sorted(wanted) if not hasattr(data, name)] == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_a_kernel_equals_its_plain_twin_on_any_number_of_threads(toy, rng, dtype, count):
    P = rng.dirichlet(np.ones(7), size=5000).astype(dtype)
    P[0] = [1, 0, 0, 0, 0, 0, 0]
    with threads.limit(count):
        found = toy("backend_operation").row_entropies(P)
    np.testing.assert_allclose(found, [entropy(row) for row in P.astype(float)], rtol=1e-5, atol=1e-12)
    with threads.limit(1):
        np.testing.assert_array_equal(found, toy("backend_operation").row_entropies(P))
