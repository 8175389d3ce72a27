"""Digests of the factors of every model for fixed seeds, with one thread and with several.

    python benchmarks/digests.py [THREADS ...]

Rows of `results/determinism.md` are models on dense and sparse data in both precisions. "digest" is the sha256 of V,
the basis and the objective with one thread; "threads" are the numbers of threads (1, 2, 3, 4 unless given) that give
the same, to the last bit. All work is shared out here, however small. Run it on two machines and compare: what
differs between them is named in the note when the other file lies at `results/determinism-other.json`.
"""

from __future__ import annotations

import json
import sys
import warnings
from hashlib import sha256
from pathlib import Path

import numpy as np
from scipy import sparse

from manifact import ALPNMF, CF, GNMF, LCCF, LCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.backends import threads
from manifact.experiments.result_tables import write
from manifact.graphs import KNNGraph, LandmarkGraph

OTHER = Path("results/determinism-other.json")
K, ITERATIONS = 5, 8
COMMON = {"max_iter": ITERATIONS, "tol": 0, "random_state": 0}
MODELS = {
    "NMF": lambda: NMF(K, **COMMON),
    "NMF, mu": lambda: NMF(K, solver="mu", **COMMON),
    "NMF, divergence": lambda: NMF(K, loss="kullback-leibler", **COMMON),
    "NMF, nndsvda": lambda: NMF(K, init="nndsvda", **COMMON),
    "GNMF": lambda: GNMF(K, **COMMON),
    "GNMF, bcd": lambda: GNMF(K, solver="bcd", **COMMON),
    "GNMF, divergence": lambda: GNMF(K, loss="kullback-leibler", solver="newton", **COMMON),
    "LPNMF": lambda: LPNMF(K, **COMMON),
    "LPNMF, newton": lambda: LPNMF(K, solver="newton", **COMMON),
    "A-LPNMF": lambda: ALPNMF(K, graph=LandmarkGraph(30), **COMMON),
    "SPNMF": lambda: SPNMF(K, **COMMON),
    "CF": lambda: CF(K, **COMMON),
    "LCCF": lambda: LCCF(K, **COMMON),
    "LCF": lambda: LCF(K, **COMMON),
    "AffinityNMF": lambda: AffinityNMF(K, graph=KNNGraph(), **COMMON),
    "AffinityNMF, auto": lambda: AffinityNMF(K, **COMMON),
}


def samples() -> dict[str, object]:
    """Integers, so that no machine draws others: 5 groups in 300 samples of 60 features."""
    rng = np.random.RandomState(0)
    groups = rng.randint(0, 5, (K, 60)) * (rng.randint(0, 3, (K, 60)) == 0)
    X = (rng.poisson(1 + 3 * groups[rng.randint(0, K, 300)]) * (rng.randint(0, 2, (300, 60)) == 0)).astype(np.float64)
    return {
        "dense, float64": X,
        "dense, float32": X.astype(np.float32),
        "sparse, float64": sparse.csr_array(X),
        "sparse, float32": sparse.csr_array(X.astype(np.float32)),
    }


def digest(make: object, X: object, count: int) -> str:
    """Of V, the basis and the objective after a fit with so many threads."""
    with threads.limit(count), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make().fit(X)
    basis = model.concepts_ if hasattr(model, "concepts_") else model.components_
    found = sha256()
    for array in (model.representation_, basis, np.asarray(model.objective_)):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()[:16]


def rows(counts: list[int]) -> list[dict[str, object]]:
    """A row for each model and kind of data."""
    made = []
    for data, X in samples().items():
        for name, make in MODELS.items():
            digests = {count: digest(make, X, count) for count in [1, *counts]}
            same = [str(count) for count in counts if digests[count] == digests[1]]
            made.append({"model": name, "data": data, "digest": digests[1], "threads": " ".join(same)})
            print(*made[-1].values(), flush=True)
    return made


def compared(mine: list[dict[str, object]]) -> str:
    """What another machine found otherwise."""
    if not OTHER.exists():
        return ""
    other = json.loads(OTHER.read_text())
    theirs = {(row["model"], row["data"]): row["digest"] for row in other["rows"]}
    differ = [
        f"{row['model']} ({row['data']})" for row in mine if theirs.get((row["model"], row["data"])) != row["digest"]
    ]
    machine = other["environment"]["machine"]
    same = f"{len(mine) - len(differ)} of {len(mine)} are the same, to the last bit, on {machine}"
    return f" {same}." if not differ else f" {same}; others are {', '.join(differ)}."


def main() -> None:
    threads.SMALL_WORK = 1
    counts = [int(text) for text in sys.argv[1:]] or [1, 2, 3, 4]
    found = rows(counts)
    whole = sum(len(str(row["threads"]).split()) == len(counts) for row in found)
    note = (
        f"300 samples of 60 features, k = {K}, {ITERATIONS} iterations, all work shared out among threads. "
        f"{whole} of {len(found)} rows are the same, to the last bit, with {', '.join(map(str, counts))} threads."
    )
    print(write("determinism", "Same seed, same bits", note + compared(found), found))


if __name__ == "__main__":
    main()
