"""Factorisation on a GPU: the same numbers as the CPU's, what an iteration costs, and whole fits from host to host.

    python benchmarks/gpu.py [agreement] [iterations] [fits] [streaming] [mnist] [cards] [--samples N]

Writes results/gpu.md and .json after every section, and beside them the pages that the README and the documentation
show (`python benchmarks/readme.py` copies their tables). "cards" needs no GPU. Iterations run on synthetic documents of
RCV1's size (804,414 x 47,236, about 58 million entries, their words drawn by rank as in a language, float32), k = 64,
and are timed by events of the device. "GB of memory" are bytes that cannot come from cache: each entry of X (index,
value) once a pass, each edge of a graph once for every time that it is applied, V once for every time that it, or an
array of its size, is read or written. "GB asked for" adds the row of a factor that every entry and every edge asks for:
rows that are met again come from cache, so that their rate may pass that of a copy.
"""

from __future__ import annotations

import argparse
import time
import traceback
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from scipy import sparse

from manifact import ALPNMF, NMF, AffinityNMF
from manifact.backends import as_data
from manifact.backends.torch.host_samples import HostSamples
from manifact.backends.torch.tensors import sparse_csr
from manifact.experiments.result_tables import dumps, table, write
from manifact.graphs import AffinityGraph, KNNGraph, LandmarkGraph
from manifact.graphs.landmark import LandmarkOperator
from manifact.solvers import all_solvers  # noqa: F401 - declares them
from manifact.solvers.engine import run
from manifact.solvers.solver import SOLVERS
from manifact.terms import EntropicSmoothness, Frobenius, KullbackLeibler, Smoothness
from manifact.terms.state import State
from manifact.utils.environment import environment, provenance

DEVICE = "cuda"
N, M, ENTRIES, K = 804_414, 47_236, 58_000_000, 64
ITERATIONS = 105
LANDMARKS, NEAREST = 1000, 5
#: Edges that a sample draws; with those that it is drawn by, 8 on average.
EDGES = 4
#: Bytes a second of the memory of two cards, from their makers' sheets: a card for games and an older one.
CARDS = {"RTX 4090": 1008e9, "RTX 3060": 360e9}


class Cost(NamedTuple):
    """What an iteration moves: how often rows of a graph are asked for, and reads and writes of arrays of V's size."""

    graph: int
    factors: int
    #: ms an iteration at RCV1's size on an H200.
    goal: float

    def of_memory(self, n, entries, edges, k=K, b=4, i=4):
        """Bytes that cannot come from cache; X is read twice."""
        return (b + i) * (2 * entries + self.graph * edges) + self.factors * n * k * b

    def asked_for(self, n, entries, edges, k=K, b=4, i=4):
        """Those, and a row of a factor for each entry and each edge."""
        return self.of_memory(n, entries, edges, k, b, i) + k * b * (2 * entries + self.graph * edges)


#: Counted in the operations that an iteration starts.
COSTS = {
    # Pass by rows: V read, products written. Step: both read, V written. Sums of V. Pass by columns: V read.
    "NMF KL mu": Cost(0, 7, 8.0),
    # The same passes; V times products; the solve applies Ẑ, Ẑᵀ and adds, divides; the objective's log V and its
    # energy in float64, for which Ẑ is applied twice.
    "A-LPNMF mu, p = 1000": Cost(6, 32, 12.0),
    # X U; V UᵀU, λ W V, both sums and the step; VᵀV; XᵀV; the objective's <X U, V> and its energy, of both ends of an
    # edge.
    "GNMF mu": Cost(3, 23, 15.0),
    # Points ahead of V (twice) and of X U; two sweeps, each with its pull; what the graph costs a column; unit columns;
    # the objective as above.
    "GNMF bcd": Cost(6, 47, 15.0),
}


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
    smooth, mixtures = Smoothness(graph, 1.0), NEAREST * n
    cases = {
        "NMF KL mu": ("mu", [KullbackLeibler()], 0),
        "A-LPNMF mu, p = 1000": ("mu", [KullbackLeibler(), EntropicSmoothness(mixed, 20.0)], mixtures),
        "GNMF mu": ("mu", [Frobenius(), smooth], edges),
        "GNMF bcd": ("bcd", [Frobenius(), smooth], edges),
    }
    rows = []
    for name, (solver, terms, ties) in cases.items():
        least, moved = (count(n, stored, ties) for count in (COSTS[name].of_memory, COSTS[name].asked_for))
        try:
            result, spent = timed_run(X, terms, solver)
            again, _ = timed_run(X, terms, solver, 10)
            same = np.array_equal(again.objective, result.objective[:11])
            median = float(np.median(spent[2:]))
            rows.append({
                "case": name, "ms an iteration": median, "goal": COSTS[name].goal,
                "second": float(np.median(spent[1:4])), "hundredth": float(np.median(spent[-6:])),
                "GB of memory": least / 1e9, "TB/s": least / median / 1e9, "of a copy": least / median * 1000 / rate,
                "GB asked for": moved / 1e9, "TB/s asked for": moved / median / 1e9,
                "same bits": "yes" if same else "no",
            })  # fmt: skip
            print(table(rows[-1:]), flush=True)
            del result, again
        except Exception:
            print(name, "failed:", traceback.format_exc()[-2000:], flush=True)
    return rows


def cards():
    """What the same iterations take at the least on cards of other bandwidths: bytes of memory over bytes a second."""
    rows = []
    for name, cost in COSTS.items():
        ties = NEAREST * N if "LPNMF" in name else 2 * EDGES * N if cost.graph else 0
        least, asked = (count(N, ENTRIES, ties) for count in (cost.of_memory, cost.asked_for))
        row = {
            "model": name,
            "g": cost.graph,
            "c": cost.factors,
            "GB of memory": least / 1e9,
            "GB asked for": asked / 1e9,
        }
        rows.append(row | {f"at least ms on an {card}": 1000 * least / rate for card, rate in CARDS.items()})
    print(table(rows), flush=True)
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
            except Exception:
                print(name, dtype, "failed:", traceback.format_exc()[-2000:], flush=True)
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
    NMF(20, init="random", max_iter=2, tol=0).fit(host[:2000])
    seconds_here, here = _timed(lambda: NMF(20, **settings).fit(host))
    rows.append({
        "case": f"NMF bcd, 40,000 x 5,000, {host.nnz:,} entries, k = 20, 20 iterations",
        "s": float(np.median(spent[1:])), "goal": 0.5, "first": spent[0], "s on the CPU": seconds_here,
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


class Counted(HostSamples):
    """Samples of the host that know how many bytes have gone to the device."""

    walked = 0

    def blocks(self):
        held = self.host
        self.walked += held.nnz * (held.dtype.itemsize + held.indices.itemsize)
        return super().blocks()


def streaming():
    """X that stays on the host, beside X on the device: what copying costs where it is not hidden."""
    n = N // 2
    X = documents(n, M, ENTRIES // 2)
    streamed = Counted(on_the_host(X), DEVICE, 1 << 25)
    rows = []
    for where, data in (("on the device", as_data(X)), ("streamed", as_data(streamed))):
        U, V = factors(n, M, K)
        clock, walks = Clock(), []
        told = [clock, lambda iteration, walks=walks: walks.append(streamed.walked)]
        result = run(State(data, U, V), [KullbackLeibler()], SOLVERS["mu"], max_iter=10, tol=0, callbacks=told)
        spent, walked = clock.spent(), float(np.median(np.diff(walks)))
        row = {"case": f"NMF KL mu, {n:,} documents, X {where}", "ms an iteration": float(np.median(spent[2:]))}
        if where == "streamed":
            row |= {"GB over the bus": walked / 1e9, "GB/s": walked / 1e6 / row["ms an iteration"]}
        rows.append(row | {"objective": float(result.objective[-1])})
        print(table(rows[-1:]), flush=True)
    return rows


def mnist():
    """All digits of MNIST, host to host but for the graph; the second of each kind finds its kernels compiled."""
    from manifact.datasets import load

    X = np.asarray(load("mnist").X, dtype=np.float32)
    there = torch.as_tensor(X, device=DEVICE)
    work = {
        f"exact 5 neighbours of {len(X):,} images": (lambda: KNNGraph(5).build(there), 1.0),
        "AffinityNMF, everything auto": (lambda: AffinityNMF("auto", random_state=0, device=DEVICE).fit(X), 10.0),
        "AffinityNMF, k = 10": (lambda: AffinityNMF(10, random_state=0, device=DEVICE).fit(X), 10.0),
    }
    rows = []
    for name, (one, goal) in work.items():
        (first, _), (second, found) = _timed(one), _timed(one)
        made = f", {found.n_components_} parts, {found.n_iter_} iterations" if hasattr(found, "n_iter_") else ""
        rows.append({"case": name + made, "s": second, "goal": goal, "first": first})
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


#: What sections are about, by their names; those that are shown elsewhere have pages of their own.
TITLES = {
    "agreement": "Twenty iterations beside the CPU's, relative to the norms",
    "iterations": "An iteration",
    "fits": "Whole fits, from host arrays to host arrays",
    "streaming": "Samples larger than the device",
    "mnist": "MNIST",
    "cards": "What to expect of other cards",
}
#: What other cards are thought to work on.
SIZES = f"{N:,} x {M:,}, {ENTRIES:,} entries, k = {K}, float32, {2 * EDGES} edges a sample or {NEAREST} landmarks."
SHOWN = {"iterations": "gpu-iterations", "fits": "gpu-fits", "mnist": "gpu-mnist", "cards": "gpu-cards"}


def written(found, note, folder):
    """All sections so far on one page, and those that are shown elsewhere on their own."""
    facts = environment()
    parts = [f"## {TITLES[section]}\n\n{columns_of_all(rows)}" for section, rows in found.items()]
    rows = [{"section": section, **row} for section, several in found.items() for row in several]
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    record = {"title": "Factorisation on a GPU", "note": note, "environment": facts, "rows": rows}
    (target / "gpu.json").write_text(dumps(record), "utf-8")
    text = "\n\n".join([f"# {record['title']}", note, *parts, provenance(facts)])
    (target / "gpu.md").write_text(text + "\n", "utf-8")
    for section, name in SHOWN.items():
        if section in found:
            first = SIZES if section == "cards" else note.partition("\n\n")[0]
            write(name, TITLES[section], first, found[section], folder)


def columns_of_all(rows):
    """A table whose rows need not have the same columns."""
    names = dict.fromkeys(name for row in rows for name in row)
    return table([{name: row.get(name, "") for name in names} for row in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", default=list(TITLES))
    parser.add_argument("--samples", type=int, default=N)
    parser.add_argument("--folder", default="results")
    options = parser.parse_args()
    if options.sections == ["cards"]:
        print(write(SHOWN["cards"], TITLES["cards"], SIZES, cards(), options.folder))
        return
    rate = copy_rate()
    chip = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, a copy moves {rate / 1e12:.2f} TB/s."
    print(chip, flush=True)
    note = f"{chip}\n\n{' '.join(__doc__.split('needs no GPU. ')[1].split())}"
    known = {"agreement": agreement, "iterations": lambda: iterations(options.samples, rate), "fits": fits,
             "streaming": streaming, "mnist": mnist, "cards": cards}  # fmt: skip
    found = {}
    for section in options.sections:
        begun = time.perf_counter()
        try:
            rows = known[section]()
            torch.cuda.empty_cache()
        except Exception:
            print(section, "failed:", traceback.format_exc()[-3000:], flush=True)
            continue
        print(f"{section}: {time.perf_counter() - begun:.1f} s", flush=True)
        if rows:
            found[section] = rows
            written(found, note, options.folder)


if __name__ == "__main__":
    main()
