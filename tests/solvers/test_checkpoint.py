"""Iterates on disk: what comes back is what was written, and a run goes on as if it had not stopped."""

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.solvers.cases import SUMS, assert_same_memory, assert_same_state, start_of
from tests.terms.cases import graph

from manifact import AffinityNMF
from manifact.solvers.checkpoint import Checkpoint
from manifact.solvers.engine import run
from manifact.terms import State
from manifact.utils.files import write_arrays

NAMES = ("model solver",)
OWNER = ("model", 3, np.arange(4.0))


def read(path, state):
    return Checkpoint(path, NAMES, OWNER, 1).read(type(state), state.data, np.asarray)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("name", SUMS)
def test_a_resumed_run_is_the_uninterrupted_one_to_the_last_bit(tmp_path, name, form, weighted):
    path = tmp_path / "run.checkpoint"
    terms, solver, state = start_of(name, form, weighted)
    whole = run(state, terms, solver, max_iter=23, tol=0)
    run(state, terms, solver, max_iter=11, tol=0, callbacks=[Checkpoint(path, NAMES, OWNER, 4)])
    # Of all that is in memory nothing is left: data, terms and solver are made anew.
    terms, solver, state = start_of(name, form, weighted)
    found = read(path, state)
    assert found.n_iter == 8
    rest = run(found.state, terms, solver, max_iter=23, tol=0, history=found.objective, memory=found.memory)
    np.testing.assert_array_equal(whole.objective, rest.objective)
    assert_same_state(whole.state, rest.state)
    assert_same_memory(whole.memory, rest.memory)


@pytest.mark.parametrize("name", SUMS)
def test_memory_and_carried_products_survive(tmp_path, name):
    path = tmp_path / "run.checkpoint"
    terms, solver, state = start_of(name)
    result = run(state, terms, solver, max_iter=6, tol=0)
    Checkpoint(path, NAMES, OWNER, 1).write(result.state, result.objective, result.memory)
    found = read(path, state)
    assert_same_state(found.state, result.state)
    assert_same_memory(found.memory, result.memory)
    assert type(found.state) is type(state)
    np.testing.assert_array_equal(found.objective, result.objective)
    if name in ("bcd", "affinity"):
        assert "XU" in found.state.arrays()
        assert isinstance(found.memory["before"], State)
        assert "XU" in found.memory["before"].arrays()


def test_factors_keep_their_type(tmp_path):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("bcd")
    narrow = state.replace("V", state.V.astype(np.float32))
    Checkpoint(path, NAMES, OWNER, 1).write(narrow, np.array([1.0]), {})
    assert read(path, state).state.V.dtype == np.float32
    assert read(path, state).memory == {}


def test_it_writes_every_so_many_iterations(tmp_path):
    path, written = tmp_path / "run.checkpoint", []
    saved = Checkpoint(path, NAMES, OWNER, 3)
    saved.write = lambda s, objective, memory: written.append(len(objective) - 1)
    assert not saved.exists()
    terms, solver, state = start_of("mu")
    run(state, terms, solver, max_iter=10, tol=0, callbacks=[saved])
    assert written == [3, 6, 9]


GAMMA = np.linspace(1, 2, 4)


@pytest.mark.parametrize(
    ("owner", "other"),
    [
        (("model", 3), ("model", 4)),
        ((GAMMA,), (GAMMA + 1e-15,)),
        ((sparse.csr_array(np.eye(3)),), (sparse.csr_array(np.eye(3)[::-1]),)),
        ((graph("knn"),), (graph("labels"),)),
        (([1, [2, 3]],), ([1, [2, 4]],)),
    ],
)
def test_a_checkpoint_of_others_is_refused(tmp_path, owner, other):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    Checkpoint(path, NAMES, owner, 1).write(state, np.array([1.0]), {})
    assert Checkpoint(path, NAMES, owner, 1).read(State, state.data, np.asarray).n_iter == 0
    with pytest.raises(ValueError, match="belongs to other data or parameters: delete it or name another file"):
        Checkpoint(path, NAMES, other, 1).read(State, state.data, np.asarray)


def test_who_owns_a_run_is_said_by_numbers_not_by_how_they_are_held(tmp_path):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    X = np.eye(3)
    Checkpoint(path, NAMES, (sparse.csr_array(X), np.random.default_rng(0)), 1).write(state, np.array([1.0]), {})
    same = Checkpoint(path, NAMES, (sparse.coo_array(X), np.random.default_rng(1)), 1)
    assert same.read(State, state.data, np.asarray).n_iter == 0


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    write_arrays(path, {"objective": np.zeros(1)}, {"format": "something else"})
    with pytest.raises(ValueError, match="is not a checkpoint of ours: name another file"):
        read(path, start_of("mu")[2])
    with pytest.raises(TypeError, match="checkpoint=3 must be the path of a file"):
        Checkpoint(3, NAMES, OWNER, 1)


def test_a_checkpoint_of_a_former_name_whose_problem_is_another_is_refused():
    """Written by JointNMF with "bcd" after five iterations, in a former format: its graph had other eigenvectors."""
    X = np.random.default_rng(0).random((40, 8))
    file = Path(__file__).parents[1] / "files" / "joint-checkpoint-2.safetensors"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(file, folder)
        model = AffinityNMF(n_components=3, random_state=0, max_iter=10, tol=0)
        with pytest.raises(ValueError, match="belongs to other data or parameters: delete it or name another file"):
            model.fit(X, checkpoint=Path(folder) / file.name)
        assert (Path(folder) / file.name).read_bytes() == file.read_bytes()
