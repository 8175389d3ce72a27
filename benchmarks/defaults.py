"""Every model as constructed, on every data set: does it collapse?

    MANIFACT_DATA=<folder> python benchmarks/defaults.py

Nothing is given but the number of parts, which is that of the classes, and a seed. Images at unit length, texts
(1 + log tf) idf at unit length, cells log(1 + counts) at unit length; at most 5,000 samples for SPNMF and the concept
models. "share": of the samples, those whose largest part is the most common one; "at most" is 1.5 times what a plain
NMF has there, or the largest class if that is more. "closest": the largest cosine of two parts; "below" is that of the
two closest class means for images, 0.95 for texts and cells. NMI (by the larger entropy) of the largest part and of
`labels_` with the classes. The worst share and cosine of the seeds, the mean NMI. Three seeds, one beyond 5,000
samples. The constants of the starts, λ and the numbers of iterations were chosen with a look at these very sets.
"""

from __future__ import annotations

import gzip
import time
import warnings

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer
from threadpoolctl import threadpool_limits

from manifact.backends import threads
from manifact.datasets import load, load_digits, load_stdlib_docs, tfidf, unit_length
from manifact.datasets.home import data_home
from manifact.experiments.result_tables import write
from manifact.metrics import nmi
from manifact.models import registry

IMAGES = ("coil20", "pie", "yale", "orl", "umist", "binalpha", "mnist")
COUNTS = {
    "tdt2": "tdt2", "reuters": "reuters21578", "news20": "news20", "basehock": "basehock", "pcmac": "pcmac",
}  # fmt: skip
WORDS = {"bbc_news": "bbc_news.tsv.gz", "m10": "m10.tsv.gz"}
SETS = ("digits", "stdlib_docs", *IMAGES, *COUNTS, *WORDS, "pbmc3k")
FEW = ("SPNMF", "CF", "LCCF", "LCF")
MOST, LARGE = 5_000, 5_000
TIMES, ALIKE = 1.5, 0.95


def samples(name):
    """X, as the papers prepare it, in single precision, and the classes from 0."""
    if name == "digits":
        X, y = unit_length(load_digits().X), load_digits().y
    elif name == "stdlib_docs":
        docs = load_stdlib_docs()
        X, y = tfidf(docs.X), docs.y
    elif name in IMAGES:
        data = load(name)
        X, y = unit_length(np.asarray(data.X, dtype=np.float32)), data.y
    elif name in WORDS:
        with gzip.open(data_home() / WORDS[name], "rt", encoding="utf-8") as lines:
            texts, classes = zip(
                *((line.split("\t")[0], line.rstrip("\n").split("\t")[2]) for line in lines), strict=True
            )
        X, y = (
            tfidf(CountVectorizer(analyzer=str.split).fit_transform(texts)),
            np.unique(classes, return_inverse=True)[1],
        )
    else:
        stem = COUNTS.get(name, name)
        counts = sparse.csr_array(sparse.load_npz(data_home() / f"{stem}.npz"), dtype=np.float64)
        y = np.load(data_home() / f"{stem}_y.npy")
        # Of Reuters the 30 largest classes, as the papers; cells without a type are left out.
        known = (y >= 0) & (y < (30 if name == "reuters" else np.inf))
        X, y = counts[known], y[known]
        X = unit_length(X.log1p()) if name == "pbmc3k" else tfidf(X)
    return X.astype(np.float32), np.unique(y, return_inverse=True)[1]


def some(X, y, most):
    """A sample of the samples, with all classes numbered anew."""
    if len(y) <= most:
        return X, y
    rows = np.sort(np.random.default_rng(0).permutation(len(y))[:most])
    return X[rows], np.unique(y[rows], return_inverse=True)[1]


def closest(parts):
    """The largest cosine of two rows."""
    lengths = np.linalg.norm(parts, axis=1, keepdims=True)
    gram = (parts / np.where(lengths > 0, lengths, 1)) @ (parts / np.where(lengths > 0, lengths, 1)).T
    np.fill_diagonal(gram, -1)
    return float(gram.max())


def class_means(X, y):
    members = sparse.csr_array((np.ones(len(y)), (y, np.arange(len(y)))))
    means = members @ X
    return means.toarray() if sparse.issparse(means) else np.asarray(means)


def fitted(name, model, seed):
    """One fit: share, closest parts and agreement."""
    X, y = some(*samples(name), MOST if model in FEW else np.inf)
    k = int(y.max()) + 1
    estimator = registry.entries()[model].cls(k, random_state=seed)
    begun = time.perf_counter()
    with threadpool_limits(1), threads.limit(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        V = np.asarray(estimator.fit_transform(X))
        seconds = time.perf_counter() - begun
        labels = estimator.labels_
    largest = V.argmax(axis=1)
    return {
        "data": name, "model": model, "seed": seed, "samples": len(y), "parts": k,
        "share": float(np.bincount(largest).max()) / len(y), "class": float(np.bincount(y).max()) / len(y),
        "closest": closest(np.asarray(estimator.components_, dtype=np.float64)),
        "means": closest(class_means(X, y)) if name in (*IMAGES, "digits") else ALIKE,
        "largest part": 100 * nmi(y, largest), "labels": 100 * nmi(y, labels), "seconds": seconds,
    }  # fmt: skip


def rows(found):
    """A line for each set and model, beside what NMF does on as many samples."""
    by = {}
    for one in found:
        by.setdefault((one["data"], one["model"]), []).append(one)
    plain = {data: runs for (data, model), runs in by.items() if model == "NMF"}
    for data, model in by:
        runs = by[data, model]
        bar = TIMES * max(float(np.mean([one["share"] for one in plain[data]])), runs[0]["class"])
        share, close = max(one["share"] for one in runs), max(one["closest"] for one in runs)
        missed = " and ".join(["share"] * (share > bar) + ["closest"] * (close > runs[0]["means"]))
        yield {
            "data": data, "samples": runs[0]["samples"], "parts": runs[0]["parts"], "model": model,
            "share": f"{share:.3f}", "at most": f"{min(bar, 1.0):.3f}", "closest": f"{close:.3f}",
            "below": f"{runs[0]['means']:.3f}",
            "NMI, largest part": f"{np.mean([one['largest part'] for one in runs]):.1f}",
            "NMI, labels_": f"{np.mean([one['labels'] for one in runs]):.1f}",
            "seconds": f"{np.median([one['seconds'] for one in runs]):.1f}",
            "holds": f"no: {missed}" if missed else "yes",
        }  # fmt: skip


def main():
    models = [entry.cls.__name__ for entry in registry.on_command_line().values()]
    sizes = {name: len(samples(name)[1]) for name in SETS}
    jobs = [
        (name, model, seed)
        for name in sorted(SETS, key=lambda name: -sizes[name])
        for model in models
        for seed in range(3 if sizes[name] <= LARGE else 1)
    ]
    found = Parallel(n_jobs=-1, verbose=1)(delayed(fitted)(*job) for job in jobs)
    order = [(name, model) for name in SETS for model in models]
    table = sorted(rows(found), key=lambda row: order.index((row["data"], row["model"])))
    held = sum(row["holds"] == "yes" for row in table)
    note = (__doc__ or "").split("\n\n")[2].strip() + f"\n\n{held} of {len(table)} lines hold."
    print(write("defaults", "Every model as constructed", note, table))


if __name__ == "__main__":
    main()
