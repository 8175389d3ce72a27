"""How far memory rises while a model is fitted, each in a process of its own."""

from __future__ import annotations

from typing import Any

from manifact.datasets import synthetic_documents
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.separate_process import in_new_process, stored
from manifact.utils.sparse_matrices import sorted_csr

RANK = 20
ITERATIONS = 5
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "NMF": ("NMF", {}),
    "NMF, divergence": ("NMF", {"loss": "kullback-leibler"}),
    "A-LPNMF": ("ALPNMF", {"solver": "newton", "init": "random", "graph_reg": 100.0}),
}


def measure(setting: Setting) -> Outcome:
    """A row for each model."""
    setting.show("memory: documents")
    # Narrow indices, as the models keep them: X then has the size that the bound speaks of.
    X = sorted_csr(synthetic_documents(setting.scale.memory_documents).X)
    (n, m), itemsize = X.shape, X.dtype.itemsize
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    factors = (n + m) * RANK * itemsize
    bound = 3 * size + 6 * factors
    rows: list[dict[str, Any]] = []
    with stored(X) as folder:
        del X
        for name, (make, settings) in MODELS.items():
            setting.show(f"memory: {name}")
            # A tolerance of 0 would ask for linear systems solved to the last digits.
            common = {"n_components": RANK, "max_iter": ITERATIONS, "tol": 1e-12, "random_state": 0}
            found = in_new_process(folder, make, common | settings)
            rows.append(
                {
                    "model": name,
                    "n": n,
                    "X MB": size / 1e6,
                    "factors MB": factors / 1e6,
                    "rise MB": found["rise"] / 1e6,
                    "bound MB": bound / 1e6,
                    "share of bound": found["rise"] / bound,
                    "seconds": found["seconds"],
                }
            )
    shares = ", ".join(f"{row['share of bound']:.2f} ({row['model']})" for row in rows)
    note = (
        f"{n} synthetic documents as counts in CSR, float32, k = {RANK}, {ITERATIONS} iterations from a random start, "
        "each model in a process of its own that has X in memory and its kernels compiled; the rise is the peak during "
        f"fit minus what was resident before. The bound is 3 X + 6 factors; of it are used {shares}."
    )
    return rows, note
