"""Shared data for the tests: small random problems, and the real data sets where they are at hand."""

import os
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:
    # Tests side by side on all cores: threads that wait for each other by spinning would take them from one another.
    for _library in ("OMP", "OPENBLAS", "MKL"):
        os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

import numpy as np
import pytest
from hypothesis import settings
from scipy import sparse

settings.register_profile("manifact", deadline=None, max_examples=40, derandomize=True)
settings.load_profile("manifact")

BESIDE = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def traces():
    """Factors computed by code that is not ours."""
    folder = Path(os.environ.get("MANIFACT_REFERENCE", BESIDE / "reference"))
    if not folder.is_dir():
        pytest.skip("the reference traces are not here: set MANIFACT_REFERENCE to their folder")
    return lambda name: np.load(folder / f"{name}.npz")


@pytest.fixture(scope="session")
def home():
    """The folder of the papers' data sets."""
    folder = Path(os.environ.get("MANIFACT_DATA", BESIDE / "data"))
    if not folder.is_dir():
        pytest.skip("the papers' data sets are not here: set MANIFACT_DATA to their folder")
    return folder


def problem(seed=0, n=24, m=17, k=4, density=0.6):
    """Random X with zeros, a symmetric graph, and a positive start (V0, U0)."""
    rng = np.random.default_rng(seed)
    X = rng.random((n, m)) * (rng.random((n, m)) < density)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.2), 1)
    return X, W + W.T, rng.random((n, k)) + 0.1, rng.random((m, k)) + 0.1


def first_at(trace, goal):
    """The iteration at which a trace first reaches a goal; it must."""
    reached = np.flatnonzero(np.asarray(trace) <= goal)
    assert len(reached), f"the goal {goal} is never reached: the lowest is {np.min(trace)}"
    return int(reached[0])


KINDS = {"dense": np.asarray, "csr": sparse.csr_array, "csc": sparse.csc_array, "csr_matrix": sparse.csr_matrix}
