"""``manifact bench`` on tiny data: that it measures what it says, not how fast."""

import json
import math
from statistics import median

import numpy as np
import pytest
from rich.console import Console
from scipy import sparse

from manifact.experiments.bench import (
    SECTIONS,
    benchmark_samples,
    bytes_moved,
    fit_memory,
    frobenius_descent,
    gnmf_descent,
    iteration_age,
    kl_iteration,
    lpnmf_iteration,
    mnist_digits,
    neighbour_search,
    online_passes,
    peer_objectives,
    rcppml,
    run_benchmarks,
    serial_share,
    slow_corners,
    thread_counts,
    timing,
)
from manifact.experiments.bench.benchmark_settings import QUICK, Scale, Setting, UnavailableError
from manifact.experiments.bench.measured_models import MODELS, graph_of
from manifact.experiments.bench.reference_objectives import constrained, divergence, entropic, squared_error
from manifact.experiments.bench.separate_process import in_new_process, rise, stored
from manifact.graphs import KNNGraph
from manifact.models import NMF

TINY = Scale(
    kl_ranks=(2, 3),
    kl_iterations=2,
    frobenius_ranks=(2,),
    frobenius_iterations=6,
    gnmf_iterations=20,
    peer_rank=3,
    peer_iterations=10,
    lpnmf_rank=3,
    lpnmf_iterations=3,
    graph_documents=150,
    product_rows=32,
    age_rank=3,
    age_iterations=12,
    thread_rank=3,
    thread_iterations=5,
    serial_documents=120,
    memory_documents=300,
    stream_rank=3,
    stream_documents=300,
    memory_samples=200,
)


@pytest.fixture(scope="module")
def documents():
    few = benchmark_samples.documents(80, 300, 30)
    return benchmark_samples.Samples(few.name, few.X, 3, few.metric)


@pytest.fixture
def images(rng):
    X = rng.random((90, 12), dtype=np.float32)
    return benchmark_samples.Samples("mnist", benchmark_samples.unit_length(X), 3, "euclidean")


@pytest.fixture
def setting(documents):
    return Setting(documents, repeats=2, scale=TINY)


def numbers(rows):
    return [value for row in rows for value in row.values() if not isinstance(value, str)]


def assert_finite(rows, note):
    assert rows
    assert all(math.isfinite(number) for number in numbers(rows))
    json.dumps(rows)
    assert note.endswith(".")
    assert "nan" not in note


def test_turns_alternate():
    order = []
    tasks = {name: lambda turn, name=name: order.append((name, turn)) or turn for name in "ABC"}
    told = []
    found = timing.in_turns(tasks, 2, told.append)
    assert order == [("A", 0), ("B", 0), ("C", 0), ("A", 1), ("B", 1), ("C", 1)]
    assert found == {"A": [0, 1], "B": [0, 1], "C": [0, 1]}
    assert told[0] == "A, 1 of 2"


def test_an_iteration_is_what_a_longer_run_takes_more(monkeypatch):
    clock = iter([0.0, 5.0, 5.0, 16.0])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    asked = []
    assert timing.per_iteration(asked.append, 3) == 2.0
    assert asked == [2, 5]


def test_what_is_done_beside_does_not_count(monkeypatch):
    clock = iter([0.0, 1.0, 100.0, 101.0])
    monkeypatch.setattr(timing.time, "perf_counter", lambda: next(clock))
    watch = timing.Stopwatch()
    assert watch.beside(lambda: "done") == "done"
    assert watch.read() == 2.0


def test_a_watched_model_iterates_as_fit_does(documents):
    start = benchmark_samples.random_start(documents.X, 3, seed=0)
    model = NMF(3, init=start, max_iter=7, tol=0, normalize=None)
    numbers_seen = []
    result = timing.watched(model, documents.X, lambda iteration: numbers_seen.append(iteration.number))
    model.fit(documents.X)
    assert numbers_seen == list(range(8))
    np.testing.assert_array_equal(result.objective, model.objective_)
    np.testing.assert_array_equal(result.state.V, model.representation_)


def test_an_interrupt_is_passed_on(documents):
    def interrupt(iteration):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        timing.watched(NMF(2), documents.X, interrupt)


@pytest.mark.parametrize("as_data", [sparse.csr_array, np.asarray])
def test_objectives_are_the_plain_ones(rng, as_data):
    X, U, V = rng.random((20, 9)), rng.random((9, 3)), rng.random((20, 3))
    error = ((X - V @ U.T) ** 2).sum()
    assert squared_error(as_data(X))(U, V) == pytest.approx(error)
    graph = KNNGraph(3).build(X)
    lengths = np.linalg.norm(U, axis=0)
    L = np.diag(graph.degrees) - graph.W.toarray()
    expected = error + 7 * np.trace((V * lengths).T @ L @ (V * lengths))
    assert constrained(as_data(X), graph, 7.0)(U, V) == pytest.approx(expected)
    # Scale that is moved from V to U changes nothing.
    assert constrained(as_data(X), graph, 7.0)(2 * U, V / 2) == pytest.approx(expected)


@pytest.mark.parametrize("as_data", [sparse.csr_array, np.asarray])
def test_divergences_are_the_plain_ones(rng, as_data):
    X, U, V = rng.random((20, 9)), rng.random((9, 3)), rng.random((20, 3))
    Y = V @ U.T
    error = (X * np.log(X / Y) - X + Y).sum()
    assert divergence(as_data(X))(U, V) == pytest.approx(error)
    graph = KNNGraph(3).build(X)
    whole = V * U.sum(axis=0)
    expected = error + 7 * np.trace(whole.T @ (np.diag(graph.degrees) - graph.W.toarray()) @ np.log(whole))
    assert entropic(as_data(X), graph, 7.0)(U, V) == pytest.approx(expected)
    # Scale that is moved from V to U changes nothing.
    assert entropic(as_data(X), graph, 7.0)(2 * U, V / 2) == pytest.approx(expected)


def test_the_twin_has_the_shape_of_tdt2():
    X = benchmark_samples.twin().X
    assert X.shape == (9394, 36771)
    assert X.nnz == pytest.approx(1_224_135, rel=0.005)
    assert X.dtype == np.float32
    assert X.indices.dtype == np.int32


def test_kl(setting):
    rows, note = kl_iteration.measure(setting)
    assert_finite(rows, note)
    assert [row["k"] for row in rows] == [2, 3]
    for row in rows:
        assert row["ratio"] == row["sklearn ms"] / row["ours ms"]
        assert row["share of gather"] == pytest.approx(row["ours GB/s"] / row["gather GB/s"])
        n_bytes = 2 * setting.samples.X.nnz * (4 * row["k"] + 8)
        assert row["ours GB/s"] == pytest.approx(n_bytes / row["ours ms"] / 1e6)


def test_kl_of_dense_data_has_no_gathers(images):
    rows, note = kl_iteration.measure(Setting(images, repeats=1, scale=TINY))
    assert_finite(rows, note)
    assert "gather GB/s" not in rows[0]


def test_ratios_are_quotients_of_medians(setting, monkeypatch):
    times = {"ours": [1.0, 2.0, 9.0], "scikit-learn": [6.0, 1.0, 8.0], "gather": [0.5] * 3, "product": [0.4] * 3}
    monkeypatch.setattr(kl_iteration, "in_turns", lambda tasks, repeats, show: times)
    row = kl_iteration.measure(setting)[0][0]
    assert row["ratio"] == median(times["scikit-learn"]) / median(times["ours"]) == 3.0
    assert (row["share of gather"], row["share of product"]) == (0.25, 0.2)
    assert row["ours ms iqr"] == pytest.approx(1e3 * 4.0)


def test_frobenius(setting):
    rows, note = frobenius_descent.measure(setting)
    assert_finite(rows, note)
    by = {row["method"]: row for row in rows}
    baseline = by["sklearn cd"]
    assert (baseline["ratio"], baseline["reached"], baseline["above goal"]) == (1.0, 2, 0.0)
    assert {"ours auto", "ours mu"} <= set(by)
    for row in rows:
        if row["s to goal"] != "never":
            assert row["ratio"] == baseline["s"] / row["s to goal"]


def test_a_goal_that_is_never_reached_is_said(setting, documents):
    start = benchmark_samples.random_start(documents.X, 2, seed=0)
    run = frobenius_descent._ours(
        frobenius_descent._model(2, "mu", start, 3), documents.X, squared_error(documents.X), goal=1e-9
    )
    assert run.reached == math.inf
    row = frobenius_descent._summary([run], baseline=1.0)
    assert (row["s to goal"], row["ratio"], row["reached"]) == ("never", "never", 0)


def test_a_goal_is_reached_at_its_iterate(documents):
    start = benchmark_samples.random_start(documents.X, 2, seed=0)
    objective = squared_error(documents.X)
    goal = NMF(2, init=start, solver="mu", max_iter=3, tol=0).fit(documents.X).objective_[-1] * (1 + 1e-6)
    run = frobenius_descent._ours(frobenius_descent._model(2, "mu", start, 9), documents.X, objective, goal)
    assert 0 < run.reached < run.seconds
    assert run.objective < goal


def test_gnmf(setting):
    rows, note = gnmf_descent.measure(setting)
    assert_finite(rows, note)
    (row,) = rows
    assert row["mu lowest objective"] <= row["mu objective"]
    assert row["k"] == 3
    if row["ratio"] != "never":
        assert row["ratio"] == row["mu s"] / row["bcd s"]


def test_gnmf_without_named_data_takes_what_is_there(documents, monkeypatch):
    monkeypatch.setattr("manifact.experiments.bench.benchmark_settings.present", {"coil20": documents}.get)
    assert list(Setting().sets("coil20", "tdt2")) == [documents]
    monkeypatch.setattr("manifact.experiments.bench.benchmark_settings.present", lambda name: None)
    monkeypatch.setattr("manifact.experiments.bench.benchmark_settings.twin", lambda: documents)
    assert list(Setting().sets("coil20", "tdt2")) == [documents]


def test_lpnmf(setting):
    rows, note = lpnmf_iteration.measure(setting)
    assert_finite(rows, note)
    assert [row["method"] for row in rows] == ["NMF, mu", "LPNMF, mu", "LPNMF, newton"]
    for row in rows:
        assert row["ratio"] == row["iteration ms"] / rows[0]["iteration ms"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_peers(setting):
    rows, note = peer_objectives.measure(setting)
    assert_finite(rows, note)
    assert {(row["loss"], row["peer"]) for row in rows} >= set(peer_objectives.GOALS)
    for row in rows:
        if row["ratio"] != "never":
            assert row["ratio"] == pytest.approx(row["peer s"] / row["ours s"])
        if row["goal"] != "":
            assert row["holds"] == (row["ratio"] != "never" and row["ratio"] >= row["goal"])


def test_a_goal_of_a_peer_is_reached_at_its_iterate(documents):
    value = divergence(documents.X)
    run = timing.watched(peer_objectives._model(3, "kullback-leibler", 0, 3), documents.X, lambda iteration: None)
    goal = value(run.state.U, run.state.V)
    model = peer_objectives._model(3, "kullback-leibler", 0, 9)
    assert peer_objectives._reached(model, documents.X, value, goal) < math.inf
    assert len(model.objective_) == 4
    assert peer_objectives._reached(model, documents.X, value, goal / 1e6) == math.inf


def test_rcppml_is_asked_for_where_r_is(monkeypatch, rng):
    rcppml.installed.cache_clear()
    monkeypatch.setattr(rcppml.shutil, "which", lambda name: None)
    assert rcppml.installed() is None
    rcppml.installed.cache_clear()

    def as_r_does(command, **options):
        # The files that R reads and writes, and what it prints.
        folder, k = rcppml.Path(command[3]), int(command[4])
        n, m = rcppml.io.mmread(folder / "X.mtx").shape
        np.savetxt(folder / "V.txt", np.ones((n, k)))
        np.savetxt(folder / "U.txt", np.full((m, k), 2.0))
        return type("Done", (), {"stdout": "0.25"})

    monkeypatch.setattr(rcppml.subprocess, "run", as_r_does)
    spent, V, U = rcppml.factorised(rng.random((6, 4)), 1, 3)
    assert (spent, V.shape, U.shape) == (0.25, (6, 1), (4, 1))


def test_corners(setting, monkeypatch):
    monkeypatch.setattr(slow_corners, "_run", lambda command, environment: None)
    rows, note = slow_corners.measure(setting)
    assert_finite(rows, note)
    names = {row["corner"] for row in rows}
    assert {"LPNMF", "LPNMF, newton", "A-LPNMF", "SPNMF", "NCut", "AutoGraph", "select"} <= names
    assert {"first LPNMF", "manifact fit"} <= names
    for row in rows:
        if row["ratio"] != "never":
            assert row["ratio"] == row["s"] / row["beside s"]
            assert row["holds"] == (row["ratio"] <= row["goal"])


def test_a_first_fit_finds_no_kernels(monkeypatch):
    seen = []
    monkeypatch.setattr(slow_corners, "_run", lambda command, environment: seen.append((command, environment)))
    slow_corners._first_fit("NMF", "dense")
    ((command, environment),) = seen
    assert command[-2:] == ["NMF", "dense"]
    assert environment["NUMBA_CACHE_DIR"] != slow_corners.os.environ.get("NUMBA_CACHE_DIR")
    assert len(slow_corners._texts()) == slow_corners.DOCUMENTS


def test_graph(setting):
    rows, note = neighbour_search.measure(setting)
    assert_finite(rows, note)
    assert [row["n"] for row in rows] == [80, 150]
    assert rows[0]["ratio"] == rows[0]["sklearn s"] / rows[0]["ours s"]


def test_mnist(setting, images, monkeypatch):
    monkeypatch.setattr(mnist_digits, "prepared", lambda name: images)
    rows, note = mnist_digits.measure(setting)
    assert_finite(rows, note)
    by = {row["measure"]: row["value"] for row in rows}
    assert by["ratio"] == by["sklearn NMF s"] / by["projection graph + GNMF s"]
    assert by["share of product"] == by["exact graph GFLOP/s"] / by["product GFLOP/s"]
    assert 0 < by["recall"] <= 1


def test_mnist_is_skipped_where_it_is_not(setting, monkeypatch, tmp_path):
    monkeypatch.setenv("MANIFACT_DATA", str(tmp_path))
    benchmark_samples.prepared.cache_clear()
    with pytest.raises(UnavailableError, match=r"mnist is not in .*: put mnist\.npz there"):
        mnist_digits.measure(setting)


def test_recall_is_the_share_of_edges(rng):
    exact = KNNGraph(3).build(rng.random((30, 4)))
    assert mnist_digits.recall(exact, exact) == 1.0
    fewer = KNNGraph(1).build(exact._X)
    assert mnist_digits.recall(fewer, exact) == fewer.W.nnz / exact.W.nnz


def test_age(setting):
    rows, note = iteration_age.measure(setting)
    assert_finite(rows, note)
    assert [(row["loss"], row["type"]) for row in rows] == [
        (loss, kind) for loss in ("frobenius", "kullback-leibler") for kind in ("float32", "float64")
    ]
    for row in rows:
        assert row["ratio"] == row["late ms"] / row["early ms"]
        # Such numbers are what the runs begin with, and none of them is left.
        assert row["subnormal at start"] > 0.01
        assert row["subnormal at end"] == 0


def test_shares_of_subnormal_numbers_are_counted():
    tiny = np.finfo(np.float32).smallest_normal
    assert iteration_age.share_of_subnormal(np.array([0, 1, tiny, tiny / 2], dtype=np.float32)) == 0.25


def test_threads(setting):
    rows, note = thread_counts.measure(setting)
    assert_finite(rows, note)
    assert [row["model"] for row in rows] == list(MODELS)
    for row in rows:
        first, *_, last = (value for name, value in row.items() if name.endswith(" ms"))
        assert row["speed-up"] == first / last


def test_threads_are_doubled_up_to_all():
    assert [thread_counts.doublings(most) for most in (1, 2, 6, 16)] == [[1], [1, 2], [1, 2, 4, 6], [1, 2, 4, 8, 16]]


def test_serial(setting):
    rows, note = serial_share.measure(setting)
    assert_finite(rows, note)
    assert [row["model"] for row in rows] == [*serial_share.NAMES, *serial_share.NAMES]
    assert [row["n"] for row in rows[:: len(serial_share.NAMES)]] == [80, 120]
    for row in rows:
        parts = row["shared ms"] + row["small kernels ms"] + row["one thread ms"]
        assert parts == pytest.approx(row["iteration ms"])
        assert row["serial share"] == pytest.approx(1 - row["shared ms"] / row["iteration ms"])
        assert row["kernels"] > 0


def test_bytes(setting, images):
    for samples in (setting.samples, images):
        rows, note = bytes_moved.measure(Setting(samples, repeats=2, scale=TINY))
        assert_finite(rows, note)
        (n, m), k = samples.X.shape, 3
        entries = samples.X.nnz * (k + 2) + n + 1 if sparse.issparse(samples.X) else n * m
        edges = graph_of(samples).W.nnz * (4 * k + 12)
        assert [row["rule"] for row in rows] == ["NMF", "NMF, bcd", "GNMF", "GNMF, bcd"]
        for row in rows:
            tied = edges if "GNMF" in row["rule"] else 0
            assert row["must move MB"] == pytest.approx(1e-6 * (8 * (entries + (n + m) * k) + tied))
            # One rule reads dense X once.
            saved = 0 if sparse.issparse(samples.X) or row["rule"] != "NMF, bcd" else 4e-6 * n * m
            assert row["moved MB"] + saved > row["must move MB"]
            assert row["share of bound"] == pytest.approx(row["bound ms"] / row["iteration ms"])


def test_memory(setting, monkeypatch):
    monkeypatch.setattr(fit_memory, "MANY", {"NMF": fit_memory.MANY["NMF"]})
    monkeypatch.setattr(fit_memory, "FEW", {"GNMF": fit_memory.FEW["GNMF"]})
    rows, note = fit_memory.measure(setting)
    assert_finite(rows, note)
    assert {row["model"] for row in rows if row["data"] == "images"} == set(fit_memory.FEW)
    for row in rows:
        assert row["estimate / rise"] == pytest.approx(row["estimate MB"] / row["rise MB"])


def test_streams(setting, monkeypatch):
    monkeypatch.setattr(online_passes, "BLOCK", 40)
    monkeypatch.setattr(online_passes, "VOCABULARY", 60)
    rows, note = online_passes.measure(setting)
    assert_finite(rows, note)
    assert [row["method"] for row in rows] == 4 * [online_passes.OURS, online_passes.PEER]
    assert {row["n"] for row in rows} == {80, 300}
    for ours, peer in zip(rows[::2], rows[1::2], strict=True):
        for row in (ours, peer):
            assert row["lowest error"] <= row["error % above, pass 3"] <= row["highest error"]
            # The error is the root of the loss; medians of two are means, of which this is true nearly.
            squared = (1 + row["error % above, pass 3"] / 100) ** 2
            assert squared == pytest.approx(1 + row["loss % above, pass 3"] / 100, rel=1e-3)
        assert ours["error % above, pass 3"] < peer["error % above, pass 3"]
        assert peer["ratio"] == peer["CPU ratio"] == 1
        assert ours["CPU ratio"] == pytest.approx(peer["CPU s per pass"] / ours["CPU s per pass"], rel=0.9)
    # Whoever reads the page learns what it is not.
    assert "In full there are 1000000 synthetic documents and 5 seeds." in note


def test_documents_are_as_many_as_asked_for():
    scale = QUICK.of_documents(12_345)
    assert scale.stream_documents == scale.cluster_documents == scale.block_documents == 12_345
    assert scale.memory_documents == QUICK.memory_documents
    assert QUICK.of_documents(None) is QUICK


def test_the_rise_is_that_of_the_work():
    seconds, risen = rise(lambda: np.ones(10_000_000).sum())
    assert seconds > 0
    # Memory that is free already may serve a part of it.
    assert 40e6 < risen < 160e6


def test_dense_data_are_read_by_the_other_process(images):
    with stored(images.X) as folder:
        found = in_new_process(folder, "NMF", {"n_components": 2, "max_iter": 2})
    assert found["seconds"] > 0
    assert math.isfinite(found["rise"])


def one_row(setting):
    setting.show("measuring")
    return [{"k": 10, "ratio": 2.5}], "A note."


@pytest.fixture
def sections(monkeypatch):
    """Sections that measure nothing, in place of the real ones."""
    monkeypatch.setattr(kl_iteration, "measure", one_row)
    monkeypatch.setattr(neighbour_search, "measure", one_row)
    return monkeypatch


def run(folder, only=("kl", "graph")):
    console = Console(record=True, width=100)
    run_benchmarks.bench(only, results=folder, console=console)
    return console.export_text()


def test_sections_are_printed_and_written_whole(sections, tmp_path):
    text = run(tmp_path / "results")
    assert all(SECTIONS[name].title in text for name in ("kl", "graph"))
    names = [f"bench-{name}.{kind}" for name in ("graph", "kl") for kind in ("json", "md")]
    assert sorted(file.name for file in (tmp_path / "results").iterdir()) == names
    record = json.loads((tmp_path / "results" / "bench-kl.json").read_text())
    assert record["rows"] == [{"k": 10, "ratio": 2.5}]
    assert record["note"] == "A note."
    assert "| 10 | 2.5 |" in (tmp_path / "results" / "bench-kl.md").read_text()


def test_an_interrupt_keeps_the_sections_before_it(sections, tmp_path):
    def interrupted(setting):
        raise KeyboardInterrupt

    sections.setattr(neighbour_search, "measure", interrupted)
    with pytest.raises(KeyboardInterrupt, match="interrupted in graph"):
        run(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bench-kl.json", "bench-kl.md"]


def test_a_section_that_cannot_run_does_not_stop_the_others(sections, tmp_path):
    def unavailable(setting):
        raise UnavailableError("mnist is not in here")

    sections.setattr(kl_iteration, "measure", unavailable)
    assert "not measured. mnist is not in here" in run(tmp_path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bench-graph.json", "bench-graph.md"]


def test_quick_measures_less(sections, tmp_path):
    seen = []
    sections.setattr(kl_iteration, "measure", lambda setting: seen.append(setting) or one_row(setting))
    run_benchmarks.bench(("kl",), quick=True, results=tmp_path, console=Console(quiet=True))
    run_benchmarks.bench(("kl",), repeats=7, results=tmp_path, console=Console(quiet=True))
    quick, full = seen
    assert (quick.repeats, quick.scale.memory_documents, quick.scale.graph_documents) == (3, 10**5, 0)
    assert (full.repeats, full.scale.memory_documents, full.scale.graph_documents) == (7, 10**6, 10**5)


def test_what_the_peer_prints_is_not_shown(capfd):
    import os

    from manifact.experiments.bench.other_packages import _silence

    with _silence():
        os.write(1, b"chatter")
    os.write(1, b"ours")
    assert capfd.readouterr().out == "ours"
