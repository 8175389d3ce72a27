"""What AffinityNMF does on raw neighbours, five of them with weights 0 and 1, and what was left out.

    MANIFACT_DATA=<folder> python benchmarks/affinity.py [--quick]

Runs are stored as they are done (where `manifact reproduce` stores its own), so an interrupted command goes on where it
was. ``--quick`` takes the three smallest sets and two seeds, and writes to build/affinity. The graph that the model
chooses for itself: `graphs.py`.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import affinity_report as report
from affinity_runs import READINGS, SETS, measured
from manifact.experiments.result_tables import write
from manifact.utils.files import write_text

SEEDS = 10
FEW = 3
SPLITS = 5
METHODS = ("spectral", "GNMF", "NMF", "k-means")
TAUS = (0.1, 0.3, 1.0, 2.0, 5.0, 20.0, 100.0)
#: One seed has to do for the less important tables.
SLOW = ("pie", "news20")
#: Set -> seeds.
OTHERS = {"digits": 5, "pbmc3k": 5, "mnist": 5, "news20": 3}
TEXTS = ("reuters", "tdt2")
#: PIE is too large for plain loops.
NOT_PIE = tuple(name for name in SETS if name != "pie")
#: What is said of it -> the task, its settings, and its sets (None: all).
VARIANTS = {
    "S = D^(−½) W D^(−½) for F Fᵀ, τ = 10": ("variant", {"kind": "affinity", "tau": 10.0}, NOT_PIE),
    "S = D^(−½) W D^(−½) for F Fᵀ, τ = 100": ("variant", {"kind": "affinity", "tau": 100.0}, NOT_PIE),
    "V near a rotation of F, τ = 0.3": ("variant", {"kind": "rotation", "tau": 0.3}, NOT_PIE),
    "V near a rotation of F, τ = 1": ("variant", {"kind": "rotation", "tau": 1.0}, NOT_PIE),
    "parts for V alone (no A)": ("fit", {"once": True}, None),
    "‖X‖² for ‖P X‖²": ("fit", {"by_all": True}, None),
    "random start": ("fit", {"init": "random"}, None),
    "divergence, τ = 0.5": ("variant", {"kind": "divergence", "tau": 0.5}, TEXTS),
    "divergence, τ = 2": ("variant", {"kind": "divergence", "tau": 2.0}, TEXTS),
    "divergence, τ = 8": ("variant", {"kind": "divergence", "tau": 8.0}, TEXTS),
}  # fmt: skip


def runs(task, name, seeds, **settings):
    """Each number of a task as an array over seeds."""
    found = [measured(task, name, seed=seed, **settings) for seed in range(seeds)]
    return {key: np.array([run[key] for run in found]) for key in found[0]}


def at(tau, name, seeds):
    return runs("fit", name, seeds, **({} if tau == 2.0 else {"tau": tau}))


def longer(name, seeds):
    """Ten times the iterations that the tolerance took, seed by seed."""
    found = []
    for seed in range(seeds):
        iterations = measured("fit", name, seed=seed)["iterations"]
        found.append(measured("fit", name, seed=seed, max_iter=10 * iterations, tol=0))
    return {key: np.array([run[key] for run in found]) for key in found[0]}


def readings(name, seeds):
    """Way to read clusters off V -> its scores."""
    found = runs("readings", name, seeds)
    return {how: {key: found[f"{how} {key}"] for key in ("NMI", "NMI sqrt", "AC", "seconds")} for how in READINGS}


def variants(name, seeds):
    return {
        said: runs(task, name, seeds, **settings)
        for said, (task, settings, only) in VARIANTS.items()
        if only is None or name in only
    } | readings(name, seeds)


def everything(sets, others, seeds, few, splits):
    """All that the tables are made of, by set."""
    return {
        "clusters": {
            name: {"AffinityNMF": runs("fit", name, seeds)}
            | {method: runs("clusters", name, seeds, method=method) for method in METHODS}
            for name in sets
        },
        "errors": {name: runs("others-error", name, few) for name in sets},
        "heldout": {name: runs("new-samples", name, splits) for name in sets},
        "others": {
            name: {"AffinityNMF": runs("fit", name, count)}
            | readings(name, count)
            | {method: runs("clusters", name, count, method=method) for method in METHODS[:3]}
            for name, count in others.items()
        },
        "taus": {name: {tau: at(tau, name, _fewer(name, few)) for tau in TAUS} for name in sets},
        "variants": {name: variants(name, _fewer(name, few)) for name in sets},
        "longer": {name: longer(name, _fewer(name, few)) for name in (*sets, *others)},
        "chosen": {name: runs("chosen", name, few) for name in sets},
    }


def _fewer(name, few):
    """Seeds where a fit takes long."""
    return 1 if name in SLOW else few


def main(quick):
    if quick:
        found = everything(list(SETS)[:3], {"digits": 2}, 2, 2, 2)
    else:
        found = everything(list(SETS), OTHERS, SEEDS, FEW, SPLITS)
    folder = Path("build/affinity" if quick else "results")
    for name, (title, note, rows) in report.tables(found).items():
        print(write(name, title, note, rows, folder))
    write_text(folder / "affinity-tau.svg", report.picture(found))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the three smallest sets, two seeds")
    main(parser.parse_args().quick)
