"""Iterates on disk: what comes back is what was written, and a run goes on as if it had not stopped."""

import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.solvers.cases import SUMS, assert_same_memory, assert_same_state, start_of
from tests.terms.cases import graph

from manifact import AffinityNMF
from manifact.graphs import KNNGraph
from manifact.solvers.checkpoint import Checkpoint
from manifact.solvers.engine import run
from manifact.terms import State
from manifact.utils.array_files import read_arrays, write_arrays

NAMES = ("model solver",)
OWNER = (("model", "a"), ("k", 3), ("X", np.arange(4.0)))


def placed(P, by_rows):
    """Arrays where the data live: here."""
    return np.asarray(P)


def read(path, state):
    return Checkpoint(path, NAMES, OWNER, 1).read(type(state), state.data, placed)


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
    if (carried := {"bcd": "XtV", "affinity": "XU"}.get(name)) is not None:
        assert carried in found.state.arrays()
        assert isinstance(found.memory["before"], State)
        assert carried in found.memory["before"].arrays()


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
    saved.write = lambda s, objective, memory, tried: written.append(len(objective) - 1)
    assert not saved.exists()
    terms, solver, state = start_of("mu")
    run(state, terms, solver, max_iter=10, tol=0, callbacks=[saved])
    assert written == [3, 6, 9]


GAMMA = np.linspace(1, 2, 4)
PERMUTED = np.array([[1.0, 2.0], [2.0, 1.0]])


@pytest.mark.parametrize(
    ("name", "value", "other", "difference"),
    [
        ("n_components", 3, 4, "n_components=3 there and 4 here"),
        ("tol", None, 0.1, "tol=None there and 0.1 here"),
        ("graph", KNNGraph(5), KNNGraph(6), r"graph=KNNGraph\(\) there and KNNGraph\(n_neighbors=6\) here"),
        ("X", np.ones((3, 2)), np.ones((3, 2), dtype=np.float32), "X=3 x 2 of float64 there and 3 x 2 of float32 here"),
        ("X", PERMUTED, PERMUTED[:, ::-1], "X is not the same"),
        ("X", sparse.csr_array(PERMUTED), sparse.csr_array(PERMUTED[:, ::-1]), "X is not the same"),
        ("sample_weight", GAMMA, GAMMA + 1e-15, "sample_weight is not the same"),
        ("W", sparse.csr_array(np.eye(3)), sparse.csr_array(np.eye(3)[::-1]), "W is not the same"),
        ("graph of the samples", graph("knn"), graph("labels"), "graph of the samples is not the same"),
        ("init", [1, [2, 3]], [1, [2, 4]], "init is not the same"),
    ],
)
def test_a_checkpoint_of_others_is_refused_with_the_difference(tmp_path, name, value, other, difference):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    Checkpoint(path, NAMES, [(name, value)], 1).write(state, np.array([1.0]), {})
    content = path.read_bytes()
    assert Checkpoint(path, NAMES, [(name, value)], 1).read(State, state.data, placed).n_iter == 0
    sentence = rf"belongs to another run \({difference}\): delete it or name another file$"
    with pytest.raises(ValueError, match=sentence):
        Checkpoint(path, NAMES, [(name, other)], 1).read(State, state.data, placed)
    assert path.read_bytes() == content


def test_another_method_or_version_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    Checkpoint(path, NAMES, OWNER, 1).write(state, np.array([1.0]), {})
    with pytest.raises(ValueError, match=r"\(it is one of model solver, and this is model other\)"):
        Checkpoint(path, ("model other",), OWNER, 1).read(State, state.data, placed)
    monkeypatch.setattr("manifact.solvers.checkpoint.__version__", "99.0")
    with pytest.raises(ValueError, match=r"\(it was written by manifact \S+, and this is 99.0\)"):
        read(path, state)


def test_who_owns_a_run_is_said_by_numbers_not_by_how_they_are_held(tmp_path):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    X = np.eye(3)
    mine = [("X", sparse.csr_array(X)), ("random_state", np.random.RandomState(0))]
    Checkpoint(path, NAMES, mine, 1).write(state, np.array([1.0]), {})
    same = Checkpoint(path, NAMES, [("X", sparse.coo_array(X)), ("random_state", np.random.RandomState(0))], 1)
    assert same.read(State, state.data, placed).n_iter == 0


def rewritten(path, array=None, value=None, **facts):
    """The file with another content, and a checksum that is right."""
    arrays, metadata = read_arrays(path)
    if array is not None:
        arrays = {**arrays, array: value} if value is not None else {k: v for k, v in arrays.items() if k != array}
    write_arrays(path, arrays, {name: text for name, text in (metadata | facts).items() if text is not None})


@pytest.mark.parametrize(
    "change",
    [
        {"array": "objective"},
        {"array": "objective", "value": np.array([np.nan])},
        {"array": "objective", "value": np.zeros((2, 2))},
        {"array": "objective", "value": np.zeros(0)},
        {"array": "U"},
        {"array": "V", "value": np.ones((2, 2))},
        {"array": "V", "value": np.ones(2)},
        {"array": "objective", "value": np.ones(3, dtype=np.float16)},
        {"array": "XU", "value": np.ones((2, 2))},
        {"array": "strange", "value": np.ones((2, 2))},
        {"array": "memory/rate", "value": np.ones(3)},
        {"array": "memory/rate", "value": np.array(np.inf)},
        {"array": "objective", "value": np.array([3.0, np.nan, 2.0, 1.0])},
        {"array": "state/before/V", "value": np.ones((2, 2))},
        {"array": "state/before"},
        {"array": "state/before/V"},
        {"array": "random/key", "value": np.zeros(3, dtype=np.uint32)},
        {"owner": None},
        {"owner": "[]"},
        {"told": "{"},
        {"tried": None},
        {"tried": '"x"'},
        {"random": "3"},
        {"random": '["MT19937", 1000000000, 0, 0.0]'},
        {"random": '["MT19937", -5, 0, 0.0]'},
    ],
)
def test_a_damaged_checkpoint_is_refused_in_one_sentence(tmp_path, change):
    path = tmp_path / "run.checkpoint"
    terms, solver, state = start_of("bcd")
    saved = Checkpoint(path, NAMES, OWNER, 1)
    saved.rng = np.random.RandomState(0)
    result = run(state, terms, solver, max_iter=3, tol=0)
    saved.write(result.state, result.objective, result.memory)
    if change.get("array") == "state/before":
        change = {"array": "state/before", "value": np.ones((2, 2))}
    rewritten(path, **change)
    with pytest.raises(ValueError, match=r"^checkpoint='\S+' (is damaged|belongs to another run)[^\n]*$"):
        saved.read(type(state), state.data, placed, state.U.shape[1])


def test_a_checkpoint_with_another_number_of_parts_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    narrow = State(state.data, state.U[:, :1], state.V[:, :1])
    Checkpoint(path, NAMES, OWNER, 1).write(narrow, np.array([1.0]), {})
    with pytest.raises(ValueError, match="is damaged"):
        Checkpoint(path, NAMES, OWNER, 1).read(State, state.data, placed, state.U.shape[1])


def test_every_bit_of_a_checkpoint_counts(tmp_path):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    Checkpoint(path, NAMES, OWNER, 1).write(state, np.array([1.0]), {})
    content = path.read_bytes()
    for place in np.random.default_rng(0).choice(8 * len(content), 200, replace=False).tolist():
        other = bytearray(content)
        other[place // 8] ^= 1 << place % 8
        path.write_bytes(other)
        with pytest.raises(ValueError, match=r"(torn or not|not a checkpoint|damaged|another run)[^\n]*$"):
            read(path, state)


def test_the_generator_stands_where_it_stood(tmp_path):
    path = tmp_path / "run.checkpoint"
    _, _, state = start_of("mu")
    saved, again = (Checkpoint(path, NAMES, OWNER, 1) for _ in range(2))
    saved.rng, again.rng = np.random.RandomState(3), np.random.RandomState(3)
    saved.rng.normal(size=5)
    saved.write(state, np.array([1.0]), {})
    again.read(State, state.data, placed)
    assert again.rng.normal() == saved.rng.normal()
    assert again.rng.randint(10**6) == saved.rng.randint(10**6)


def test_two_runs_on_one_path_are_kept_apart(tmp_path):
    pytest.importorskip("fcntl", reason="this system has no such locks")
    first, second = (Checkpoint(tmp_path / "run", NAMES, OWNER, 1) for _ in range(2))
    with first.held(), pytest.raises(ValueError, match=r"checkpoint='\S+' is being written by another process"):
        second.held().__enter__()
    with second.held():
        pass


def test_another_file_is_refused(tmp_path):
    path = tmp_path / "run.checkpoint"
    write_arrays(path, {"objective": np.zeros(1)}, {"format": "something else"})
    with pytest.raises(ValueError, match="is not a checkpoint of ours: name another file"):
        read(path, start_of("mu")[2])
    with pytest.raises(TypeError, match="checkpoint=3 must be the path of a file"):
        Checkpoint(3, NAMES, OWNER, 1)


def test_a_checkpoint_of_a_former_version_is_refused():
    """Written by JointNMF with "bcd" after five iterations, in a former format: it may not give the same numbers."""
    X = np.random.default_rng(0).random((40, 8))
    file = Path(__file__).parents[1] / "files" / "joint-checkpoint-2.safetensors"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(file, folder)
        model = AffinityNMF(n_components=3, random_state=0, max_iter=10, tol=0)
        with pytest.raises(ValueError, match=r"\(it was written by manifact a former version, and this is "):
            model.fit(X, checkpoint=Path(folder) / file.name)
        assert (Path(folder) / file.name).read_bytes() == file.read_bytes()


def interrupted_at(call, work):
    """Run ``work`` until so many functions of solvers and terms have been called, and how many were."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        file = frame.f_code.co_filename
        if event == "call" and ("solvers" in file or "terms" in file):
            calls += 1
            if calls == call:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(count)
    try:
        return work(), calls
    finally:
        sys.setprofile(None)


@pytest.mark.parametrize("name", SUMS)
def test_an_interrupt_inside_a_step_leaves_what_a_run_goes_on_from(name):
    """Products that a step has made by then are not part of the iterate: with them the next would differ."""
    terms, solver, state = start_of(name)
    whole, calls = interrupted_at(0, lambda: run(state, terms, solver, max_iter=8, tol=0))
    for call in range(calls // 3, calls, max(1, calls // 15)):
        terms, solver, state = start_of(name)
        found, _ = interrupted_at(call, lambda t=terms, w=solver, s=state: run(s, t, w, max_iter=8, tol=0))
        assert found.reason == "interrupted"
        rest = run(found.state, terms, solver, max_iter=8, tol=0, history=found.objective, memory=found.memory)
        np.testing.assert_array_equal(whole.objective, rest.objective)
        assert_same_state(whole.state, rest.state)


def test_a_checkpoint_that_cannot_be_written_is_told_once(tmp_path, monkeypatch):
    def full(*args):
        raise OSError("no room")

    _, _, state = start_of("mu")
    monkeypatch.setattr("manifact.solvers.checkpoint.write_arrays", full)
    checkpoint = Checkpoint(tmp_path / "run", NAMES, [], 1)
    with pytest.warns(UserWarning, match="no room; the run goes on, and tries again"):
        checkpoint.keep(state, np.array([1.0]), {})
    checkpoint.keep(state, np.array([1.0]), {})  # a second warning would be an error
