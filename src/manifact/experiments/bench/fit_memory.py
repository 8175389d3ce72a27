"""How far memory rises while a model is fitted, each in a process of its own, beside what was estimated before."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact import models
from manifact.datasets import synthetic_documents
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.separate_process import in_new_process, stored
from manifact.utils.memory import held_bytes
from manifact.utils.sparse_matrices import sorted_csr

RANK = 20
ITERATIONS = 5
MANY: dict[str, tuple[str, dict[str, Any]]] = {
    "NMF": ("NMF", {}),
    "NMF, divergence": ("NMF", {"loss": "kullback-leibler"}),
    "A-LPNMF": ("ALPNMF", {"solver": "newton", "init": "random", "graph_reg": 100.0}),
}
#: Of fewer samples: these look at pairs of them.
FEW = MANY | {
    "GNMF": ("GNMF", {}),
    "LPNMF": ("LPNMF", {}),
    "A-LPNMF": ("ALPNMF", {}),
    "SPNMF": ("SPNMF", {}),
    "AffinityNMF": ("AffinityNMF", {}),
    "LCF": ("LCF", {}),
}
#: Dense samples, as of images.
PIXELS = 600


def measure(setting: Setting) -> Outcome:
    """A row for each kind of data and model."""
    setting.show("memory: documents")
    scale, rng = setting.scale, np.random.default_rng(0)
    # Narrow indices, as the models keep them.
    rows = _rows(setting, "documents", sorted_csr(synthetic_documents(scale.memory_documents).X), MANY)
    rows += _rows(setting, "documents", sorted_csr(synthetic_documents(scale.memory_samples).X), FEW)
    rows += _rows(setting, "images", rng.random((scale.memory_samples // 2, PIXELS)), FEW)
    worst = max(rows, key=lambda row: abs(np.log(row["estimate / rise"])))
    note = (
        "Synthetic documents as counts in CSR, float32, and dense samples in float64, "
        f"k = {RANK}, {ITERATIONS} iterations, each model in a process of its own that has X in memory and its kernels "
        "compiled; the rise is the peak during fit minus what was resident before. The estimate is what a fit is "
        f"refused by where less is free: it is off most for {worst['model']} of {worst['n']} {worst['data']}, "
        f"{worst['estimate / rise']:.2f} times the rise."
    )
    return rows, note


def _rows(setting: Setting, data: str, X: Any, chosen: dict[str, tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    rows = []
    with stored(X) as folder:
        for name, (make, settings) in chosen.items():
            setting.show(f"memory: {name}, {X.shape[0]} {data}")
            # A tolerance of 0 would ask for linear systems solved to the last digits.
            common = {"n_components": RANK, "max_iter": ITERATIONS, "tol": 1e-12, "random_state": 0}
            found = in_new_process(folder, make, common | settings)
            estimate = estimated(getattr(models, make)(**(common | settings)), X)
            rows.append(
                {
                    "data": data,
                    "model": name,
                    "n": X.shape[0],
                    "X MB": held_bytes(X) / 1e6,
                    "rise MB": found["rise"] / 1e6,
                    "estimate MB": estimate / 1e6,
                    "estimate / rise": estimate / max(found["rise"], 1.0),
                    "seconds": found["seconds"],
                }
            )
    return rows


def estimated(model: Any, X: Any) -> float:
    """Bytes by which a fit is refused where less is free: by the model, or by its graph."""
    if hasattr(model, "tau"):
        model.n_components_ = model.n_components
        return max(model._fit_bytes(X), model._builder.memory_needed(X))
    return float(max(model._fit_bytes(X), model._sketch_bytes(X, None)))
