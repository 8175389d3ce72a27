"""Factorisation on a GPU: the same numbers as the CPU's, what an iteration costs, and whole fits from host to host.

    python benchmarks/gpu.py [agreement] [iterations] [fits] [streaming] [mnist] [--samples N]

Writes results/gpu.md and .json. Iterations run on synthetic documents of RCV1's size (804,414 x 47,236, about 58
million entries, their words drawn by rank as in a language, float32), k = 64, and are timed by events of the device.
"GB asked for" are the bytes that kernels read and write: entries of X (index, value), a row of a factor for each of
them, factors. Rows that are met again come from cache, so that their rate may pass that of a copy; "GB of memory" are
those that cannot: each entry once a pass, each factor once for every time that it is read or written.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings

import numpy as np
import torch
from scipy import sparse

from manifact import ALPNMF, NMF, AffinityNMF
from manifact.backends import as_data
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.tensors import sparse_csr
from manifact.experiments.result_tables import table, write
from manifact.graphs import AffinityGraph, KNNGraph, LandmarkGraph
from manifact.graphs.landmark import LandmarkOperator
from manifact.solvers import all_solvers  # noqa: F401 - declares them
from manifact.solvers.engine import run
from manifact.solvers.solver import SOLVERS
from manifact.terms import EntropicSmoothness, Frobenius, KullbackLeibler, Smoothness
from manifact.terms.state import State

DEVICE = "cuda"
N, M, ENTRIES, K = 804_414, 47_236, 58_000_000, 64
ITERATIONS = 105
LANDMARKS, NEAREST = 1000, 5
#: Edges that a sample draws; with those that it is drawn by, 8 on average.
EDGES = 4


def documents(n, m, entries, offset=20, seed=1):
    """A sparse CSR tensor with lengths of documents and ranks of words as in a language, made on the device.

    A larger ``offset`` makes words more alike, as genes are.
    """
    made = torch.Generator(device=DEVICE).manual_seed(seed)
    weight = 1 / (torch.arange(m, device=DEVICE, dtype=torch.float64) + offset)
    weight /= weight.sum()
    words = torch.randperm(m, device=DEVICE, generator=made)
    lengths = torch.exp(0.5 * torch.randn(n, device=DEVICE, generator=made, dtype=torch.float64))
    lengths = torch.clamp(lengths / lengths.mean() * (entries / n), 1, 0.7 * m)
    rows = torch.repeat_interleave(torch.arange(n, device=DEVICE), _draws(lengths, weight))
    drawn = torch.rand(len(rows), device=DEVICE, generator=made, dtype=torch.float64)
    columns = words[torch.searchsorted(torch.cumsum(weight, 0), drawn).clamp(max=m - 1)]
    places = torch.unique(rows * m + columns)
    counts = torch.bincount(places // m, minlength=n)
    indptr = torch.zeros(n + 1, dtype=torch.int32, device=DEVICE)
    indptr[1:] = torch.cumsum(counts, 0)
    values = torch.rand(len(places), device=DEVICE, generator=made) + 0.1
    return sparse_csr(indptr, (places % m).int(), values, (n, m), DEVICE)


def _draws(lengths, weight):
    """How many words to draw so that so many are different."""
    tried = torch.unique(torch.logspace(0, 5, 200, device=DEVICE, dtype=torch.float64).long())
    different = torch.stack([torch.sum(1 - (1 - weight) ** count) for count in tried])
    return tried[torch.searchsorted(different, lengths).clamp(max=len(tried) - 1)]


def on_the_host(X):
    """The same as SciPy's."""
    parts = (X.values(), X.col_indices(), X.crow_indices())
    return sparse.csr_array(tuple(part.cpu().numpy() for part in parts), shape=tuple(X.shape))


def random_graph(n, edges, seed=2):
    """Every sample tied to so many others."""
    rng = np.random.default_rng(seed)
    rows, columns = np.repeat(np.arange(n), edges), rng.integers(0, n, n * edges)
    W = sparse.csr_array((np.ones(n * edges), (rows, columns)), shape=(n, n))
    W = W.maximum(W.T)
    W.setdiag(0)
    W.eliminate_zeros()
    W.data[:] = 1
    return AffinityGraph(sparse.csr_array(W))


def landmarks(n, seed=3):
    """Every sample a mixture of a few landmarks."""
    rng = np.random.default_rng(seed)
    index = (rng.integers(0, LANDMARKS, (n, 1)) + np.arange(NEAREST) * 97) % LANDMARKS
    share = rng.random((n, NEAREST)) + 0.1
    share /= share.sum(axis=1, keepdims=True)
    Z = sparse.csr_array((share.ravel(), index.ravel(), np.arange(0, n * NEAREST + 1, NEAREST)), shape=(n, LANDMARKS))
    return LandmarkOperator(Z, np.zeros((LANDMARKS, 1)), NEAREST, 1.0)


def factors(n, m, k, dtype=torch.float32, seed=4):
    made = torch.Generator(device=DEVICE).manual_seed(seed)
    U, V = (torch.rand((size, k), device=DEVICE, generator=made, dtype=dtype) + 0.01 for size in (m, n))
    return U / U.sum(dim=0), V


def copy_rate():
    """Bytes read and written per second by a copy of 2 GiB."""
    source = torch.rand(1 << 29, device=DEVICE)
    target = torch.empty_like(source)
    spent = []
    for _ in range(10):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        target.copy_(source)
        end.record()
        torch.cuda.synchronize()
        spent.append(begin.elapsed_time(end) / 1000)
    return 2 * source.numel() * 4 / float(np.median(spent[2:]))


class Clock:
    """A callback that marks every iteration in the device's own time."""

    def __init__(self):
        self.events = []

    def __call__(self, iteration):
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        self.events.append(event)

    def spent(self):
        torch.cuda.synchronize()
        return np.array([a.elapsed_time(b) for a, b in zip(self.events, self.events[1:], strict=False)])


def timed_run(X, terms, solver, iterations=ITERATIONS, k=K):
    U, V = factors(*X.shape, k)
    state = SOLVERS[solver].begin(terms, State(as_data(X), U, V))
    # Once before, so that kernels are compiled and X has its copy by columns.
    run(state, terms, SOLVERS[solver], max_iter=2, tol=0)
    clock = Clock()
    result = run(state, terms, SOLVERS[solver], max_iter=iterations, tol=0, callbacks=[clock])
    return result, clock.spent()


def iterations(n, rate):
    """What an iteration costs, and whether the same run gives the same bits."""
    entries = int(ENTRIES * n / N)
    begun = time.perf_counter()
    X = documents(n, M, entries)
    graph, mixed = random_graph(n, EDGES), landmarks(n)
    torch.cuda.synchronize()
    stored, edges = X.values().numel(), graph.W.nnz
    print(f"made {stored:,} entries and {edges:,} edges in {time.perf_counter() - begun:.1f} s", flush=True)
    # Two passes over X; rows that graphs gather; times that a factor is read or written.
    smooth, mixtures = Smoothness(graph, 1.0), NEAREST * n
    cases = {
        "NMF KL mu": ("mu", [KullbackLeibler()], 0, 6, 8.0),
        "A-LPNMF mu, p = 1000": ("mu", [KullbackLeibler(), EntropicSmoothness(mixed, 20.0)], 6 * mixtures, 24, 12.0),
        "GNMF mu": ("mu", [Frobenius(), smooth], 3 * edges, 14, 15.0),
        "GNMF bcd": ("bcd", [Frobenius(), smooth], 6 * edges, 40, 15.0),
    }
    rows = []
    for name, (solver, terms, gathered, times, goal) in cases.items():
        least = 8 * (2 * stored + gathered) + 4 * n * K * times
        moved = least + 4 * K * (2 * stored + gathered)
        try:
            result, spent = timed_run(X, terms, solver)
            again, _ = timed_run(X, terms, solver, 10)
            same = np.array_equal(again.objective, result.objective[:11])
            median = float(np.median(spent[2:]))
            rows.append({
                "case": name, "ms an iteration": median, "goal": goal, "second": float(np.median(spent[1:4])),
                "hundredth": float(np.median(spent[-6:])), "GB asked for": moved / 1e9, "TB/s": moved / median / 1e9,
                "of a copy": moved / median * 1000 / rate, "GB of memory": least / 1e9, "same bits": same,
            })  # fmt: skip
            print(table(rows[-1:]), flush=True)
            del result, again
        except Exception as trouble:
            print(name, "failed:", repr(trouble)[:500], flush=True)
    return rows


def agreement():
    """Factors after 20 iterations on the GPU beside the CPU's, relative to their norms."""
    rows = []
    for dtype in (torch.float32, torch.float64):
        X = documents(3000, 800, 120_000).to(dtype)
        host = on_the_host(X)
        graph, mixed = random_graph(3000, EDGES), landmarks(3000)
        cases = {
            "NMF KL mu": ("mu", [KullbackLeibler()]), "NMF bcd": ("bcd", [Frobenius()]),
            "A-LPNMF mu": ("mu", [KullbackLeibler(), EntropicSmoothness(mixed, 1.0)]),
            "LPNMF newton": ("newton", [KullbackLeibler(), EntropicSmoothness(graph, 0.1)]),
            "GNMF mu": ("mu", [Frobenius(), Smoothness(graph, 1.0)]),
            "GNMF bcd": ("bcd", [Frobenius(), Smoothness(graph, 1.0)]),
        }  # fmt: skip
        U, V = factors(3000, 800, 10, dtype)
        for name, (solver, terms) in cases.items():
            try:
                found = []
                for data, to in ((as_data(X), lambda P: P), (as_data(host), lambda P: P.cpu().numpy())):
                    state = SOLVERS[solver].begin(terms, State(data, to(U), to(V)))
                    found.append(run(state, terms, SOLVERS[solver], max_iter=20, tol=0))
                there, here = found
                apart = {
                    f"{block} apart": float(
                        np.linalg.norm(there.state[block].cpu().numpy() - here.state[block])
                        / np.linalg.norm(here.state[block])
                    )
                    for block in ("U", "V")
                }
                objective = float(there.objective[-1] / here.objective[-1] - 1)
                rows.append({"case": name, "type": str(dtype), **apart, "objective apart": objective})
                print(table(rows[-1:]), flush=True)
            except Exception as trouble:
                print(name, dtype, "failed:", repr(trouble)[:500], flush=True)
    return rows


def fits():
    """Whole fits, host to host; the first of each kind compiles kernels and is not counted."""
    rows = []
    host = on_the_host(documents(40_000, 5_000, 33_000_000, offset=1000))
    rng = np.random.default_rng(0)
    start = rng.random((40_000, 20), dtype=np.float32), rng.random((20, 5_000), dtype=np.float32)
    settings = {"init": start, "max_iter": 20, "tol": 0}
    spent = []
    for _ in range(4):
        seconds, model = _timed(lambda: NMF(20, device=DEVICE, **settings).fit(host))
        spent.append(seconds)
    print("seconds of each fit", spent, flush=True)
    seconds_here, here = _timed(lambda: NMF(20, **settings).fit(host))
    rows.append({
        "case": f"NMF bcd, 40,000 x 5,000, {host.nnz:,} entries, k = 20, 20 iterations",
        "s": float(np.median(spent[1:])), "goal": 0.5, "s on the CPU": seconds_here,
        "objective apart": float(model.objective_[-1] / here.objective_[-1] - 1),
    })  # fmt: skip
    print(table(rows[-1:]), flush=True)
    host = on_the_host(documents(N, M, ENTRIES))
    torch.cuda.empty_cache()
    settings = {"init": "random", "solver": "mu", "tol": 0, "random_state": 0, "assign": "argmax", "device": DEVICE}
    ALPNMF(K, graph=LandmarkGraph(100), max_iter=2, **settings).fit(host[:20_000])
    seconds, model = _timed(lambda: ALPNMF(K, graph=LandmarkGraph(LANDMARKS), max_iter=100, **settings).fit(host))
    rows.append({
        "case": f"A-LPNMF mu of RCV1's size, {model.n_iter_} iterations, landmarks and Z included", "s": seconds,
        "goal": 10.0,
    })  # fmt: skip
    print(table(rows[-1:]), flush=True)
    return rows


def streaming():
    """X that stays on the host, beside X on the device: what copying costs where it is not hidden."""
    n = N // 4
    X = documents(n, M, ENTRIES // 4)
    there = as_data(X)
    rows = []
    for name, data in (("on the device", there), ("streamed", as_data(HostSamples(on_the_host(X), DEVICE, 1 << 26)))):
        U, V = factors(n, M, K)
        state, clock = State(data, U, V), Clock()
        result = run(state, [KullbackLeibler()], SOLVERS["mu"], max_iter=10, tol=0, callbacks=[clock])
        rows.append({
            "case": f"NMF KL mu, {n:,} documents, X {name}", "ms an iteration": float(np.median(clock.spent()[2:])),
            "objective": float(result.objective[-1]),
        })  # fmt: skip
        print(table(rows[-1:]), flush=True)
    return rows


def mnist():
    """All digits of MNIST; the first of each kind compiles kernels and is not counted."""
    from manifact.datasets import load

    X = np.asarray(load("mnist").X, dtype=np.float32)
    rows = []
    there = torch.as_tensor(X, device=DEVICE)
    for _ in range(2):
        seconds, _graph = _timed(lambda: KNNGraph(5).build(there))
    rows.append({"case": f"exact 5 neighbours of {len(X):,} images", "s": seconds, "goal": 1.0})
    print(table(rows[-1:]), flush=True)
    AffinityNMF(10, random_state=0, device=DEVICE, max_iter=3).fit(X[::20])
    seconds, model = _timed(lambda: AffinityNMF(random_state=0, device=DEVICE).fit(X))
    rows.append({"case": f"AffinityNMF, everything auto, {model.n_iter_} iterations", "s": seconds, "goal": 10.0})
    print(table(rows[-1:]), flush=True)
    return rows


def _timed(work):
    torch.cuda.synchronize()
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = work()
    torch.cuda.synchronize()
    return time.perf_counter() - begun, found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=["agreement", "iterations", "fits", "streaming", "mnist"])
    parser.add_argument("--samples", type=int, default=N)
    parser.add_argument("--folder", default=os.environ.get("OUT", "results"))
    options = parser.parse_args()
    rate = copy_rate()
    chip = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, a copy moves {rate / 1e12:.2f} TB/s"
    print(chip, flush=True)
    known = {"agreement": agreement, "iterations": lambda: iterations(options.samples, rate), "fits": fits,
             "streaming": streaming, "mnist": mnist}  # fmt: skip
    rows, parts = [], []
    for section in options.sections:
        try:
            found = known[section]()
        except Exception as trouble:
            print(section, "failed:", repr(trouble)[:1000], flush=True)
            continue
        rows += [{"section": section, **row} for row in found]
        parts.append(f"## {section}\n\n{table(found)}")
    note = f"{chip}.\n\n{__doc__.split('results/gpu.md and .json. ')[1].strip()}"
    page = write("gpu", "Factorisation on a GPU", note, rows, options.folder)
    text = page.read_text("utf-8")
    page.write_text(text.replace(table(rows), "\n\n".join(parts)), "utf-8")
    print(page)


if __name__ == "__main__":
    main()
