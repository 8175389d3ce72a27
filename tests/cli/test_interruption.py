"""Commands that are ended, and runs that go on: the last iterate is kept, and no good file is touched."""

import errno
import os
import signal
import tempfile
from pathlib import Path

import numpy as np
import pytest
from tests.cli.test_fit import run

import manifact
from manifact.cli import interruption, outputs
from manifact.io.model_files import load
from manifact.models.clustering import Clusters
from manifact.solvers import engine
from manifact.utils.locks import only_writer

NMF = ("-m", "nmf", "-k", "3", "--tol", "0", "--max-iter", "12", "-q")


@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    np.save("a.npy", np.random.default_rng(0).random((40, 9)))
    return "a.npy"


@pytest.fixture
def good(data):
    """A model that somebody made before."""
    run("fit", data, "-m", "nmf", "-k", "2", "-q")
    return Path("a.safetensors").read_bytes()


def at_call(monkeypatch, owner, name, number, action):
    """Do something when a function is called for the so manieth time."""
    original, calls = getattr(owner, name), []

    def called(*arguments, **options):
        calls.append(1)
        if len(calls) == number:
            action()
        return original(*arguments, **options)

    monkeypatch.setattr(owner, name, called)


def interrupt():
    raise KeyboardInterrupt


def terminate():
    os.kill(os.getpid(), signal.SIGTERM)


def left():
    return sorted(name for name in os.listdir() if name.startswith(".") or name.endswith(".safetensors"))


@pytest.mark.parametrize(("action", "code"), [(interrupt, 130), (terminate, 143)])
@pytest.mark.parametrize(
    ("owner", "name", "number", "iterations"),
    [(engine, "total", 5, 3), (Clusters, "_make", 1, 12), (manifact, "save", 1, 12), (np, "argsort", 1, 12)],
)
def test_whoever_ends_a_fit_has_its_last_iterate_and_the_good_file(
    good, data, monkeypatch, owner, name, number, iterations, action, code
):
    at_call(monkeypatch, owner, name, number, action)
    result = run("fit", data, *NMF, "--overwrite", code=code)
    assert Path("a.safetensors").read_bytes() == good
    assert result.stderr.endswith(": the model holds the last iterate, and a-interrupted.safetensors has it\n")
    model = load("a-interrupted.safetensors")
    assert model.n_iter_ == iterations
    assert model.predict(np.load(data)).shape == (40,)
    assert left() == ["a-interrupted.safetensors", "a.safetensors"]


def test_the_last_iterate_goes_where_there_is_no_good_file(data, monkeypatch):
    at_call(monkeypatch, Clusters, "_make", 1, interrupt)
    run("fit", data, *NMF, code=130)
    model = load("a.safetensors")
    assert (model.n_iter_, model._clusters.labels) == (12, None)
    assert model.source_["path"] == data


def test_a_model_that_is_written_stays_written(good, data, monkeypatch):
    at_call(monkeypatch, outputs, "write_clusters", 1, terminate)
    run("fit", data, *NMF, "--overwrite", "--clusters", "c.csv", code=143)
    assert load("a.safetensors").n_iter_ == 12
    assert left() == ["a.safetensors"]


def test_who_hears_no_signals_goes_on_as_before():
    before = signal.getsignal(signal.SIGTERM)
    with interruption.ending_by_signals(), interruption.signals_wait():
        terminate()
    assert signal.getsignal(signal.SIGTERM) is before


def test_a_run_goes_on_from_its_checkpoint_and_ends_with_the_same_bytes(data, monkeypatch):
    command = ("fit", data, *NMF, "--checkpoint", "c", "--every", "2")
    run(*command, "-o", "whole.safetensors", "--clusters", "whole.csv")
    os.remove("c")
    with monkeypatch.context() as patch:
        at_call(patch, engine, "total", 9, interrupt)
        run(*command, "-o", "a.safetensors", code=130)
    os.remove("a.safetensors")
    # Killed between the model and the other files: what is there is its own, and may be replaced.
    with monkeypatch.context() as patch:
        at_call(patch, outputs, "write_clusters", 1, interrupt)
        run(*command, "-o", "a.safetensors", "--clusters", "a.csv", code=130)
    run(*command, "-o", "a.safetensors", "--clusters", "a.csv")
    assert Path("a.safetensors").read_bytes() == Path("whole.safetensors").read_bytes()
    assert Path("a.csv").read_text() == Path("whole.csv").read_text()
    refused = run(*command, "-k", "4", "-o", "b.safetensors", code=2).stderr
    assert (
        refused == "--checkpoint='c' belongs to another run (-k=3 there and 4 here): delete it or name another file\n"
    )


def test_a_file_of_another_run_is_not_replaced(good, data):
    run("fit", data, *NMF, "--checkpoint", "c", "-o", "b.safetensors")
    refused = run("fit", data, *NMF, "--checkpoint", "c", "-o", "a.safetensors", code=2).stderr
    assert "is there already: pass --overwrite" in refused
    assert Path("a.safetensors").read_bytes() == good


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--every", "3"], "--every=3 says how often to write a checkpoint: name its file with --checkpoint="),
        (["--checkpoint", "a.npy"], "--checkpoint='a.npy' is another file of this command: name another"),
        (["--checkpoint", "no/c"], "--checkpoint='no/c' is in a folder that does not exist: make 'no' first"),
    ],
)
def test_checkpoints_that_cannot_be_are_refused(data, options, sentence):
    assert run("fit", data, *NMF, *options, code=2).stderr.startswith(sentence)
    assert left() == []


def test_the_second_of_two_fits_to_one_file_is_told(data):
    pytest.importorskip("fcntl", reason="this system has no such locks")
    with only_writer("output", Path("a.safetensors")):
        refused = run("fit", data, *NMF, code=2).stderr
    assert (
        "a.safetensors' is being written by another process: wait until it has ended, or name another file" in refused
    )
    assert left() == []


def full_disk(monkeypatch, folder, inside=False):
    """No new file fits into a folder; with ``inside`` none into those in it, either."""
    fsync, begin = os.fsync, f"{folder}{os.sep}" + ("" if inside else ".")

    def full(handle):
        if os.readlink(f"/proc/self/fd/{handle}").startswith(begin):
            raise OSError(errno.ENOSPC, "No space left on device")
        fsync(handle)

    monkeypatch.setattr(os, "fsync", full)


needs_names_of_handles = pytest.mark.skipif(
    not os.path.exists("/proc/self/fd"), reason="this system does not say what a handle is of"
)


@needs_names_of_handles
def test_a_full_disk_costs_neither_the_run_nor_the_model(good, data, tmp_path, tmp_path_factory, monkeypatch):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    full_disk(monkeypatch, tmp_path)
    told = run("fit", data, *NMF, "--overwrite", "--checkpoint", "c", "--every", "3").stderr.splitlines()
    (model,) = elsewhere.glob("manifact-*/a.safetensors")
    assert told == [
        "note: c cannot be written (No space left on device): name another file; the run goes on, and tries again",
        "note: a.safetensors cannot be written (No space left on device): name another file; the model is at "
        f"{model}: move it to where there is room",
    ]
    assert Path("a.safetensors").read_bytes() == good
    assert load(model).n_iter_ == 12
    # Others may read the folder of all temporary files, and lay links there; this one is ours.
    assert model.parent.stat().st_mode & 0o777 == 0o700
    assert left() == ["a.safetensors"]


@needs_names_of_handles
def test_who_interrupts_on_a_full_disk_has_the_last_iterate_all_the_same(
    good, data, tmp_path, tmp_path_factory, monkeypatch
):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.setattr(tempfile, "tempdir", str(elsewhere))
    full_disk(monkeypatch, tmp_path)
    at_call(monkeypatch, engine, "total", 9, interrupt)
    told = run("fit", data, *NMF, "--overwrite", code=130).stderr
    (model,) = elsewhere.glob("manifact-*/a-interrupted.safetensors")
    assert f"and {model} has it" in told
    assert load(model).n_iter_ == 7
    assert Path("a.safetensors").read_bytes() == good


@needs_names_of_handles
def test_where_nothing_can_be_written_anywhere_nothing_is_left(good, data, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    full_disk(monkeypatch, tmp_path, inside=True)
    told = run("fit", data, *NMF, "--overwrite", code=2).stderr
    assert told == "a.safetensors cannot be written (No space left on device): name another file\n"
    assert Path("a.safetensors").read_bytes() == good
    assert list((tmp_path / "temporary").iterdir()) == []
