"""The graph that finds its own features, beside the papers' and beside Leiden.

    MANIFACT_DATA=<folder> python benchmarks/graphs.py

Nothing is given but the number of clusters, which is that of the classes, and a seed; where k is open, not even that.
Images at unit length (of MNIST the 10,000 test images), texts (1 + log tf) idf at unit length, cells log(1 + counts) at
unit length. NMI by the larger entropy, in hundredths: mean over ten seeds ± their standard deviation; NMF, k-means and
GNMF over three. "raw" is the papers' graph: five neighbours in all features, weights 0 and 1. "chosen": `AutoGraph`'s.
Spectral clustering on "raw" is Ng, Jordan and Weiss' with k-means, on "chosen" by `even_eigenvectors` and `clusters`.
Models as constructed; NMF's clusters are its largest parts. "largest": the largest cluster of AffinityNMF beside the
largest class, in hundredths of the samples. No label is looked at but for the scores. The constants of the choice
(`graphs/graph_choice.py`) were set with these sets in view: "left out" is what spectral clustering gets on the graph
that is chosen by constants which are best on all the other sets.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from defaults import SETS, samples
from manifact import GNMF, NMF, AffinityNMF
from manifact.backends import threads
from manifact.baselines import NCut
from manifact.experiments.result_tables import write
from manifact.graphs import AutoGraph, KNNGraph
from manifact.graphs import graph_choice as choice_rules
from manifact.graphs.builder import as_samples
from manifact.graphs.eigenvector_clusters import clusters
from manifact.graphs.feature_halves import distinct
from manifact.graphs.graph_choice import FEATURES, NEIGHBORS, GraphChoice
from manifact.graphs.spectral import even_eigenvectors
from manifact.metrics import nmi

#: What spectral clustering and AffinityNMF are asked to reach, and BASEHOCK beside its raw graph.
ASKED = {
    "pie": 99, "coil20": 92.5, "orl": 84, "umist": 81, "pbmc3k": 75, "tdt2": 88, "yale": 54, "binalpha": 62,
    "reuters": 50, "mnist": 74, "digits": 88, "news20": 52, "bbc_news": 80, "m10": 32,
}  # fmt: skip
SEEDS, FEWER = 10, 3
#: Constants that are tried for "left out".
ENOUGH, CLEARLY = (0.8, 0.85, 0.9, 0.93, 0.95, 0.97, 1.0), (0.0, 0.5, 1.0, 2.0, 3.0)


def data(name):
    X, y = samples(name)
    if name == "mnist":
        X, y = X[60_000:], y[60_000:]
    return X, y


def scores(y, labels):
    return {
        "nmi": 100 * nmi(y, labels), "ari": 100 * adjusted_rand_score(y, labels), "k": len(np.unique(labels)),
        "largest": 100 * float(np.bincount(labels[labels >= 0]).max()) / len(y),
    }  # fmt: skip


def timed(work):
    begun = time.perf_counter()
    found = work()
    return found, time.perf_counter() - begun


def spectral(graph, k):
    return clusters(even_eigenvectors(graph, k)[1])


def leiden(graph, seed):
    """At resolution 1, its default in scanpy, on the weights of the graph."""
    import igraph
    import leidenalg

    upper = graph.W.tocoo()
    upper = [(int(a), int(b), float(w)) for a, b, w in zip(upper.row, upper.col, upper.data, strict=True) if a < b]
    net = igraph.Graph(n=graph.n_samples, edges=[(a, b) for a, b, _ in upper])
    found = leidenalg.find_partition(
        net, leidenalg.RBConfigurationVertexPartition, weights=[w for *_, w in upper], resolution_parameter=1.0,
        seed=seed, n_iterations=-1,
    )  # fmt: skip
    return np.array(found.membership)


def by_choice(name, seed):
    """Everything on the chosen graph, with k known and open."""
    X, y = data(name)
    k = int(y.max()) + 1
    (chosen, graph), seconds = timed(lambda: AutoGraph(random_state=seed).choose_and_build(X, k))
    model, fitting = timed(lambda: AffinityNMF(k, graph=graph, random_state=seed).fit(X))
    yield "spectral, chosen", spectral(graph, k), {"features": str(chosen.features), "neighbors": chosen.n_neighbors}
    yield "AffinityNMF", model.labels_, {"seconds choosing": seconds, "seconds fitting": fitting}
    yield "Leiden, chosen", leiden(graph, seed), {}
    if seed < FEWER:
        yield "GNMF, chosen", GNMF(k, graph=graph, random_state=seed).fit(X).labels_, {}
    (chosen, graph), seconds = timed(lambda: AutoGraph(random_state=seed).choose_and_build(X))
    model, fitting = timed(lambda: AffinityNMF(chosen.n_components, graph=graph, random_state=seed).fit(X))
    facts = {"features": str(chosen.features), "neighbors": chosen.n_neighbors}
    yield "AffinityNMF, k open", model.labels_, facts | {"seconds choosing": seconds, "seconds fitting": fitting}
    yield "Leiden, chosen with k open", leiden(graph, seed), {}


def by_raw(name, seed):
    """Everything that looks for neighbours in all features, or for none."""
    X, y = data(name)
    k = int(y.max()) + 1
    graph = KNNGraph().build(X)
    yield "spectral, raw", NCut(k, graph=graph, random_state=seed).fit_predict(X), {}
    yield "AffinityNMF, raw", AffinityNMF(k, graph=graph, random_state=seed).fit(X).labels_, {}
    yield "Leiden, raw", leiden(graph, seed), {}
    if seed < FEWER:
        yield "GNMF, raw", GNMF(k, graph=graph, random_state=seed).fit(X).labels_, {}
        yield "NMF", NMF(k, assign="argmax", random_state=seed).fit(X).labels_, {}
        yield "k-means", KMeans(k, n_init=10, random_state=seed).fit_predict(X), {}


def by_candidate(name, seed):
    """Spectral clustering on every candidate, and what halves of the features say of each."""
    X, y = data(name)
    k = int(y.max()) + 1
    choice_rules.BEHIND = -np.inf
    seen = distinct(as_samples(X))
    found = choice_rules._Findings([k], choice_rules._counts(NEIGHBORS, seen.shape[0]))
    found.look(seen, choice_rules._possible(FEATURES, seen), choice_rules.PAIRS, np.random.RandomState(seed))
    for features, count in found._bits:
        graph = GraphChoice(features, count, k).builder().build(X)
        facts = {"features": list(features), "neighbors": count, "bits": found.bits((features, count))[:, 0].tolist()}
        yield "candidate", spectral(graph, k), facts


def run(kind, name, seed):
    found = []
    with threadpool_limits(1), threads.limit(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _, y = data(name)
        for method, labels, facts in kind(name, seed):
            found.append({"data": name, "seed": seed, "method": method} | scores(y, np.asarray(labels)) | facts)
    return found


def left_out(rows):
    """For each set, spectral clustering on what is chosen by constants that are best on the other sets."""
    by = {}
    for row in rows:
        by.setdefault((row["data"], row["seed"]), []).append(row)

    def chosen(group, enough, clearly):
        ways = {}
        for row in group:
            ways.setdefault(tuple(row["features"]), {})[row["neighbors"]] = row
        pooled = {way: np.mean([row["bits"] for row in counts.values()], axis=0) for way, counts in ways.items()}
        plain = next(iter(ways))
        best = max(ways, key=lambda way: pooled[way].mean())
        more = pooled[best] - pooled[plain]
        best = best if more.mean() > clearly * np.std(more, ddof=1) / np.sqrt(len(more)) else plain
        said = {count: np.mean(row["bits"]) for count, row in ways[best].items()}
        most = max(said.values())
        return ways[best][next(c for c in sorted(said) if said[c] >= enough * most or said[c] >= most)]["nmi"]

    grid = list(itertools.product(ENOUGH, CLEARLY))
    values = {
        name: np.array(
            [np.mean([chosen(group, *pair) for (data, _), group in by.items() if data == name]) for pair in grid]
        )
        for name in dict.fromkeys(name for name, _ in by)
    }
    out = {}
    for name in values:
        others = np.mean([value for other, value in values.items() if other != name], axis=0)
        out[name] = float(values[name][others.argmax()]), grid[int(others.argmax())]
    return out


def told(values):
    return f"{np.mean(values):.1f} ± {np.std(values, ddof=1) if len(values) > 1 else 0:.1f}"


def tables(found):
    """A line for each set, with the number of clusters known, and another with it open."""
    by = {}
    for row in found:
        by.setdefault((row["data"], row["method"]), []).append(row)

    def values(name, method, what="nmi"):
        return [row[what] for row in by[name, method]]

    without = left_out([row for row in found if row["method"] == "candidate"])
    names = [name for name in SETS if (name, "AffinityNMF") in by]
    known = (
        "AffinityNMF", "spectral, chosen", "spectral, raw", "AffinityNMF, raw", "GNMF, chosen", "GNMF, raw", "NMF",
        "k-means",
    )  # fmt: skip
    first, second = [], []
    for name in names:
        common = max(
            set(values(name, "spectral, chosen", "features")), key=values(name, "spectral, chosen", "features").count
        )
        _, y = data(name)
        row = {"data": name, "samples": len(y), "k": int(y.max()) + 1, "asked": ASKED.get(name, "")}
        row |= {method: told(values(name, method)) for method in known}
        row |= {"left out": f"{without[name][0]:.1f}"}
        row |= {
            "largest": f"{max(values(name, 'AffinityNMF', 'largest')):.0f} of {100 * max(np.bincount(y)) / len(y):.0f}",
            "mostly chosen": f"{common}, {int(np.median(values(name, 'spectral, chosen', 'neighbors')))} neighbours",
            "choosing / fitting, s": f"{np.median(values(name, 'AffinityNMF', 'seconds choosing')):.1f} / "
            f"{np.median(values(name, 'AffinityNMF', 'seconds fitting')):.1f}",
        }
        first.append(row)
        line = {"data": name, "k": row["k"], "AffinityNMF, k known": told(values(name, "AffinityNMF"))}
        for method in ("AffinityNMF, k open", "Leiden, chosen", "Leiden, chosen with k open", "Leiden, raw"):
            line[method] = f"{told(values(name, method))}, ARI {np.mean(values(name, method, 'ari')):.1f}"
            line[f"{method}: clusters"] = int(np.median(values(name, method, "k")))
        line["choosing / fitting, s"] = (
            f"{np.median(values(name, 'AffinityNMF, k open', 'seconds choosing')):.1f} / "
            f"{np.median(values(name, 'AffinityNMF, k open', 'seconds fitting')):.1f}"
        )
        second.append(line)
    mean = {"data": "mean", "samples": "", "k": "", "asked": ""}
    mean |= {method: f"{np.mean([np.mean(values(name, method)) for name in names]):.1f}" for method in known}
    mean |= {"left out": f"{np.mean([without[name][0] for name in names]):.1f}"}
    first.append(mean | dict.fromkeys(("largest", "mostly chosen", "choosing / fitting, s"), ""))
    mean = {"data": "mean", "k": "", "AffinityNMF, k known": mean["AffinityNMF"]}
    for method in ("AffinityNMF, k open", "Leiden, chosen", "Leiden, chosen with k open", "Leiden, raw"):
        both = [np.mean([np.mean(values(name, method, what)) for name in names]) for what in ("nmi", "ari")]
        mean |= {method: f"{both[0]:.1f}, ARI {both[1]:.1f}", f"{method}: clusters": ""}
    second.append(mean | {"choosing / fitting, s": ""})
    return first, second


def main():
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--runs", type=Path, help="where runs are kept, and taken from if they are there")
    asked.add_argument("--seconds", type=float, default=np.inf, help="start no run after so long")
    options = asked.parse_args()
    kept = (
        [json.loads(line) for line in options.runs.read_text().splitlines()]
        if options.runs and options.runs.exists()
        else []
    )
    done = {(row["data"], row["seed"], row["kind"]) for row in kept}
    kinds = {"candidates": by_candidate, "choice": by_choice, "raw": by_raw}
    sizes = {name: data(name)[0].shape[0] for name in SETS}
    jobs = [
        (kind, name, seed)
        for seed in range(SEEDS)
        for kind in kinds
        for name in sorted(SETS, key=lambda name: -sizes[name])
        if (kind != "candidates" or seed < FEWER) and (name, seed, kind) not in done
    ]
    begun = time.perf_counter()

    def one(kind, name, seed):
        if time.perf_counter() - begun > options.seconds:
            return []
        return [row | {"kind": kind} for row in run(kinds[kind], name, seed)]

    with open(options.runs or os.devnull, "a", encoding="utf-8") as file:
        for rows in Parallel(n_jobs=-1, return_as="generator_unordered")(delayed(one)(*job) for job in jobs):
            kept += rows
            file.writelines(json.dumps(row, default=float) + "\n" for row in rows)
            file.flush()
    first, second = tables(kept)
    note = (__doc__ or "").split("\n\n")[2].strip()
    print(write("graphs", "The graph that finds its own features", note, first))
    brief = ("data", "samples", "k", "AffinityNMF", "spectral, raw", "GNMF, raw", "NMF", "k-means")
    short = (
        "NMI in hundredths of clusters with the classes, given nothing but their number, over ten seeds (GNMF, NMF, "
        'k-means: three); "raw" is the papers\' graph. All of it, and how it was measured: `results/graphs.md`.'
    )
    print(
        write("graphs-brief", "Clusters without tuning", short, [{name: row[name] for name in brief} for row in first])
    )
    note = (
        "As `graphs.md`; the number of clusters is open as well. Leiden (leidenalg, resolution 1) on the graph that is "
        "chosen for the known number of clusters, on that which is chosen without it, and on raw neighbours. NMI ± "
        "standard deviation over ten seeds, adjusted Rand index, and the median number of clusters."
    )
    print(write("graphs-open", "With the number of clusters open", note, second))


if __name__ == "__main__":
    main()
