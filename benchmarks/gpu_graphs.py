"""Graphs and whole fits on a GPU: times, and how far clusters agree with those of the host.

    MANIFACT_DATA=<folder> python benchmarks/gpu_graphs.py [mnist] [sets] [--folder results]

MNIST's 70,000 images in float32, from host arrays to host arrays; and in float64 every set that fits the time, fitted
on both devices from the same start. Times are those of a second run: the first compiles kernels.
"""

from __future__ import annotations

import sys
import time
from functools import partial

import numpy as np
import torch
from sklearn.metrics import adjusted_rand_score

from manifact import ALPNMF, GNMF, AffinityNMF
from manifact.backends.devices import placed
from manifact.datasets import load, tfidf
from manifact.experiments.result_tables import write
from manifact.graphs import KNNGraph, LandmarkGraph

SETS = ("coil20", "yale", "orl", "umist", "pie", "binalpha", "pbmc3k", "reuters", "tdt2", "news20")
MODELS = {"AffinityNMF": AffinityNMF, "GNMF": GNMF}


def timed(work, repeats=2):
    """The result, and the seconds of the last of several runs."""
    for _ in range(repeats):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        found = work()
        torch.cuda.synchronize()
        seconds = time.perf_counter() - begun
    return found, seconds


def mnist():
    """What a person waits for, with the data in the host's memory: the rows so far, after each of them."""
    images = load("mnist").X.astype(np.float32)
    images /= images.max()
    there = placed(images, "cuda")
    model, whole = timed(partial(fitted, AffinityNMF, 10, "cuda", images))
    work = {
        "samples to the device": lambda: placed(images, "cuda"),
        "exact graph of 5 neighbours": lambda: KNNGraph().build(there),
        "exact graph of 30 neighbours among 50 balanced directions": lambda: KNNGraph(
            30, weight="local", directions=50, balance=0.5
        ).build(there),
        "1,000 landmarks and each sample's 5 nearest": lambda: LandmarkGraph().build(there),
        "GNMF(10), clusters included": partial(fitted, GNMF, 10, "cuda", images),
        "ALPNMF(10), clusters included": partial(fitted, ALPNMF, 10, "cuda", images),
        "clusters of 10,000 new images": lambda: model.predict(images[:10_000]),
    }
    rows = [{"work": "AffinityNMF(10), graph chosen, clusters included", "s": whole}]
    yield rows
    for name, one in work.items():
        try:
            rows.append({"work": name, "s": timed(one)[1]})
            print(rows[-1], flush=True)
        except Exception as error:
            print(name, type(error).__name__, error, flush=True)
        yield rows


def labelled(model, X):
    """A fitted model whose clusters are made."""
    model.fit(X).labels_  # noqa: B018 - made when they are read
    return model


def fitted(model, k, device, X):
    return labelled(model(k, device=device, random_state=0), X)


def agreement(name):
    """Of clusters of both devices, and the seconds of both fits."""
    data = load(name)
    X = tfidf(data.X) if hasattr(data.X, "tocsr") else np.asarray(data.X, dtype=np.float64)
    X = X.astype(np.float64)
    rows = []
    for called, model in MODELS.items():
        here, seconds = timed(partial(fitted, model, data.n_classes, "cpu", X), 1)
        (first, _), (there, on_gpu) = (timed(partial(fitted, model, data.n_classes, "cuda", X), 1) for _ in range(2))
        row = {"data": name, "size": f"{X.shape[0]:,} x {X.shape[1]:,}", "model": called}
        row["ARI"] = float(adjusted_rand_score(here.labels_, there.labels_))
        row["twice the same bits"] = "yes" if np.array_equal(first.components_, there.components_) else "no"
        row |= {"host s": seconds, "GPU s": on_gpu}
        rows.append(row)
        print(rows[-1], flush=True)
    return rows


def main(asked, folder):
    if not torch.cuda.is_available():
        raise SystemExit("PyTorch finds no GPU here: run this where torch.cuda.is_available() is true")
    card = f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}"
    if "mnist" in asked:
        note = f"70,000 images of 784 pixels in float32 on one {card}, from host arrays to host arrays; a second run."
        for rows in mnist():
            write("gpu-graphs", "Graphs and fits of MNIST on a GPU", note, rows, folder)
    if "sets" in asked:
        note = f"float64, the same start on the host and on one {card}: the adjusted Rand index of their clusters."
        rows = []
        for name in SETS:
            try:
                rows += agreement(name)
            except Exception as error:
                print(name, type(error).__name__, error, flush=True)
            write("gpu-agreement", "Clusters of the GPU and of the host", note, rows, folder) if rows else None


if __name__ == "__main__":
    arguments = sys.argv[1:]
    place = arguments[arguments.index("--folder") + 1] if "--folder" in arguments else "results"
    main([one for one in arguments if one in ("mnist", "sets")] or ["mnist", "sets"], place)
