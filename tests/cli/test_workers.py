"""Processes of Dask's that fit and place samples for the command line."""

from contextlib import nullcontext

import numpy as np
import pytest
from tests.cli.test_fit import run

import manifact
from manifact.backends import clusters

pytest.importorskip("distributed", reason="Dask's cluster is not installed: manifact's extra [dask]")


@pytest.fixture
def table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    file = tmp_path / "counts.npy"
    np.save(file, rng.gamma(0.5, size=(90, 4)) @ rng.gamma(0.5, size=(4, 12)))
    return file


def test_two_processes_give_the_model_of_one(table):
    options = ["-m", "nmf", "-k", 3, "--set", "solver=mu", "--max-iter", 15]
    run("fit", table, *options, "-o", "one.safetensors", "-q")
    told = run("fit", table, *options, "--cluster", "local:2", "-o", "two.safetensors")
    one, two = manifact.load("one.safetensors"), manifact.load("two.safetensors")
    np.testing.assert_allclose(two.components_, one.components_, atol=1e-8)
    np.testing.assert_allclose(two.representation_, one.representation_, atol=1e-8)
    assert "2 workers of Dask's, to be watched at http://" in told.stderr


class Workers:
    """Those of a cluster, in this process."""

    n_workers = 2

    def mapped(self, function, items):
        return map(function, items)


@pytest.mark.parametrize("memory", [[], ["--memory", "2K"]])
def test_workers_place_samples_as_one_does(table, memory, monkeypatch):
    run("fit", table, "-m", "nmf", "-k", 3, "-o", "m.safetensors", "-q")
    run("transform", "m.safetensors", table, "-o", "V.npy", "-q")
    expected = run("predict", "m.safetensors", table).stdout
    monkeypatch.setattr(clusters, "cluster", lambda address: nullcontext(address and Workers()))
    run("transform", "m.safetensors", table, *memory, "--cluster", "local:2", "-o", "W.npy", "-q")
    np.testing.assert_allclose(np.load("W.npy"), np.load("V.npy"))
    assert run("predict", "m.safetensors", table, *memory, "--cluster", "local:2", "-q").stdout == expected


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("local:none", "--cluster='local:none' must be local:N, N processes on this machine, or the address"),
        ("local:0", "--cluster='local:0' must be local:N"),
        ("nonsense://here", "--cluster='nonsense://here' is no address: give a scheduler's, such as tcp://host:8786"),
        ("tcp://127.0.0.1:9", "--cluster='tcp://127.0.0.1:9' does not answer within 1 s: check the address"),
    ],
)
def test_what_is_no_cluster_is_told_in_one_sentence(table, address, sentence, monkeypatch):
    monkeypatch.setattr("manifact.backends.dask.dask_cluster.ANSWER", 1)
    told = run("fit", table, "-m", "nmf", "-k", 3, "--cluster", address, code=2)
    assert told.stderr.startswith(sentence)
    assert len(told.stderr.splitlines()) == 1


def test_a_cluster_without_dask_says_what_to_install(table, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(clusters, "import_module", missing)
    told = run("fit", table, "-m", "nmf", "-k", 3, "--cluster", "local:2", code=2)
    assert told.stderr == "--cluster='local:2' needs Dask, manifact's extra [dask]: pip install distributed\n"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            ["-m", "cf"],
            "--model cf looks at all samples at once, and these come in blocks of rows: choose --model alpnmf, "
            "affinity, gnmf, lpnmf or nmf, or ",
        ),
        (
            ["-m", "gnmf", "--graph", "knn"],
            "--graph knn compares all features of all samples, and these come in blocks of rows: leave it out, so that "
            "samples are tied to landmarks (--landmarks says how many), give --directions 50 as well (affinity, gnmf), "
            "or ",
        ),
    ],
)
@pytest.mark.parametrize(
    ("where", "remedy"),
    [
        (["--cluster", "local:2"], "leave out --cluster"),
        (["--memory", "2K"], "raise --memory=…"),
        (["--cluster", "local:2", "--memory", "2K"], "leave out --cluster and raise --memory=…"),
    ],
)
def test_what_blocks_cannot_have_is_refused_before_anybody_works(table, options, sentence, where, remedy, monkeypatch):
    monkeypatch.setattr("manifact.cli.fit.at_work", lambda *asked: pytest.fail("a cluster was started"))
    told = run("fit", table, "-k", 3, *options, *where, code=2)
    assert told.stderr == f"{sentence}{remedy}\n"


def test_a_model_without_a_graph_says_so_of_blocks_too(table):
    told = run("fit", table, "-k", 3, "-m", "nmf", "--graph", "knn", "--memory", "2K", "-q", code=2)
    assert told.stderr.startswith("--graph needs a model with a graph, --model nmf has none")


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (["-m", "lpnmf"], "use LandmarkGraph() (on the command line: leave out --graph)"),
        (["-m", "gnmf", "--solver", "bcd"], "use --solver='mu', or LandmarkGraph() (on the command line: leave out"),
    ],
)
def test_what_only_landmarks_can_is_told_as_it_is_typed(table, options, remedy):
    graph = ["--graph", "knn", "--directions", 4]
    told = run("fit", table, "-k", 3, *options, *graph, "--memory", "2K", "-q", code=2)
    assert remedy in told.stderr
    assert "=LandmarkGraph()" not in told.stderr
    run("fit", table, "-k", 3, *options, "--memory", "2K", "-q")
