"""Whole fits, as users run them, beside what they are held against; and a first use, with nothing compiled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from math import inf
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from sklearn import decomposition

from manifact.baselines import NCut
from manifact.datasets import load_stdlib_docs
from manifact.experiments.bench.benchmark_samples import Samples
from manifact.experiments.bench.benchmark_settings import Outcome, Setting
from manifact.experiments.bench.reference_objectives import Objective, entropic
from manifact.experiments.bench.timing import Stopwatch, in_turns, seconds, warm
from manifact.graphs import AutoGraph, KNNGraph
from manifact.models import ALPNMF, GNMF, LPNMF, SPNMF, AffinityNMF
from manifact.selection import select
from manifact.solvers.engine import Iteration

SEED = 0
#: Documents of the first use and of the command.
DOCUMENTS = 300
FIRST_FIT = """
import sys
from scipy import sparse
import manifact
X = sparse.random_array((300, 200), density=0.1, random_state=0, format="csr")
getattr(manifact, sys.argv[1])(5, random_state=0).fit(X if sys.argv[2] == "sparse" else X.toarray()).labels_
"""


class Corner(NamedTuple):
    """What is measured, what it is held against, and how many times as long it may take; None: so many seconds."""

    name: str
    data: str
    ours: Callable[[], float]
    beside_name: str
    beside: Callable[[], float] | None
    goal: float


def measure(setting: Setting) -> Outcome:
    """A row for each corner and data set."""
    rows = [_row(setting, corner) for corner in chain(_fits(setting), _choices(setting), _first_uses())]
    short = [f"{row['corner']} on {row['data']}" for row in rows if not row["holds"]]
    note = (
        "Whole fits with defaults, graph included, in seconds, and how many times as long as what stands beside them; "
        "the goal is the most that this may be. LPNMF by newton and by the published rule start at the same clusters "
        "with λ = 100 and the same graph: newton's time is that to the lowest objective that the rule has within its "
        "50 iterations, both with Σ_i u_ik = 1, and the rule's that of those iterations. scikit-learn's NMF runs to "
        "its own tolerance, 200 iterations at the most. What chooses a graph (AutoGraph, at the number of classes) or "
        "the number of components as well (select) stands beside a fit of AffinityNMF that has nothing to choose. "
        "First fits have a folder of their own for compiled kernels, which is empty, and are measured once, as is the "
        "command, whose kernels are compiled; all else in "
        f"{setting.repeats} turns, medians. "
        + (f"Above the goal: {', '.join(short)}." if short else "All goals are reached.")
    )
    return rows, note


def _row(setting: Setting, corner: Corner) -> dict[str, Any]:
    tasks: dict[str, Callable[[int], float]] = {"ours": lambda turn: corner.ours()}
    beside = corner.beside
    if beside is not None:
        tasks["beside"] = lambda turn: beside()
    # A first use is long, and one like another.
    repeats = 1 if beside is None else setting.repeats
    found = in_turns(tasks, repeats, lambda text: setting.show(f"{corner.name}, {corner.data}: {text}"))
    ours = median(found["ours"])
    against = median(found["beside"]) if beside is not None else 1.0
    ratio = ours / against
    return {
        "corner": corner.name,
        "data": corner.data,
        "s": "never" if ours == inf else ours,
        "beside": corner.beside_name,
        "beside s": against,
        "ratio": "never" if ours == inf else ratio,
        "goal": corner.goal,
        "holds": ratio <= corner.goal,
    }


def _fits(setting: Setting) -> Iterator[Corner]:
    for samples in setting.sets("tdt2", "pie", "coil20"):
        X, k, name = samples.X, samples.n_classes, samples.name
        for model in (GNMF, LPNMF, SPNMF, ALPNMF):
            warm(model(k, random_state=SEED).fit, X)
        gnmf, lpnmf = (partial(_fit, model, k, X) for model in (GNMF, LPNMF))
        yield Corner("LPNMF", name, lpnmf, "sklearn NMF, divergence", partial(_scikit_learn, k, X), 1.0)
        yield _descent(samples)
        yield Corner("A-LPNMF", name, partial(_fit, ALPNMF, k, X), "GNMF", gnmf, 2.0)
        yield Corner("SPNMF", name, partial(_fit, SPNMF, k, X), "GNMF", gnmf, 3.0)
        ncut = partial(seconds, partial(NCut(k, random_state=SEED).fit, X))
        yield Corner("NCut", name, ncut, "graph", partial(seconds, partial(KNNGraph().build, X)), 1.5)


def _choices(setting: Setting) -> Iterator[Corner]:
    for samples in setting.sets("tdt2", "coil20", "pbmc3k"):
        X, k, name = samples.X, samples.n_classes, samples.name
        plain = AffinityNMF(k, graph=KNNGraph(weight="local"), random_state=SEED)
        fit = partial(seconds, partial(plain.fit, X))
        warm(plain.fit, X)
        yield Corner("AutoGraph", name, partial(seconds, partial(AutoGraph(k).build, X)), "AffinityNMF", fit, 2.0)
        yield Corner("select", name, partial(seconds, partial(select, X)), "AffinityNMF", fit, 5.0)


def _fit(model: Any, k: int, X: Any) -> float:
    return seconds(lambda: model(k, random_state=SEED).fit(X))


def _scikit_learn(k: int, X: Any) -> float:
    settings = {"solver": "mu", "beta_loss": "kullback-leibler", "init": "random", "random_state": SEED}
    return seconds(lambda: decomposition.NMF(k, **settings).fit(X))


def _descent(samples: Samples) -> Corner:
    """Newton's time to the objective of the published rule."""
    X, k = samples.X, samples.n_classes
    graph = KNNGraph(copies="each").build(X)
    value = entropic(X, graph, 100.0)
    published = partial(LPNMF.as_published, k, graph=graph, random_state=SEED, normalize=None)
    first: list[Any] = []
    lowest: list[float] = []

    def look(iteration: Iteration) -> None:
        if iteration.number == 0:
            first[:] = [iteration.state.V.copy(), iteration.state.U.T.copy()]
        else:
            lowest.append(value(iteration.state.U, iteration.state.V))

    published().fit(X, callbacks=look)
    newton = LPNMF(k, solver="newton", graph=graph, graph_reg=100.0, init=tuple(first), tol=0, normalize=None)
    goal = min(lowest)
    return Corner(
        "LPNMF, newton", samples.name, lambda: _reached(newton, X, value, goal), "LPNMF, published rule",
        lambda: _iterations(published().set_params(init=tuple(first)), X), 0.2,
    )  # fmt: skip


def _reached(model: LPNMF, X: Any, value: Objective, goal: float) -> float:
    """Seconds from the first iterate until the objective is at most the goal; infinite where it never is."""
    clock, reached = Stopwatch(), inf

    def arrived(iteration: Iteration) -> bool:
        nonlocal clock, reached
        if iteration.number == 0:
            clock = Stopwatch()
            return False
        now, state = clock.read(), iteration.state
        if clock.beside(lambda: value(state.U, state.V)) <= goal:
            reached = now
        return reached < inf

    model.fit(X, callbacks=arrived)
    return reached


def _iterations(model: LPNMF, X: Any) -> float:
    """Seconds of all iterations."""
    clock, last = Stopwatch(), 0.0

    def look(iteration: Iteration) -> None:
        nonlocal clock, last
        if iteration.number == 0:
            clock = Stopwatch()
        last = clock.read()

    model.fit(X, callbacks=look)
    return last


def _first_uses() -> Iterator[Corner]:
    for model, kind in (("NMF", "dense"), ("GNMF", "sparse"), ("AffinityNMF", "dense"), ("LPNMF", "sparse")):
        yield Corner(f"first {model}", f"{kind}, 300 x 200", partial(_first_fit, model, kind), "", None, 10.0)
    yield Corner("manifact fit", f"{DOCUMENTS} short documents", _command, "", None, 4.0)


def _first_fit(model: str, kind: str) -> float:
    """Seconds of a process that imports, compiles and fits; nothing that is compiled is there before."""
    with TemporaryDirectory(prefix="manifact-bench-") as folder:
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        return seconds(partial(_run, [sys.executable, "-c", FIRST_FIT, model, kind], environment))


def _command() -> float:
    """Seconds of ``manifact fit`` on a file of documents, kernels compiled."""
    with TemporaryDirectory(prefix="manifact-bench-") as folder:
        file = Path(folder) / "documents.txt"
        file.write_text("\n".join(_texts()), encoding="utf-8")
        model = str(file.with_suffix(".safetensors"))
        command = [sys.executable, "-m", "manifact", "fit", str(file), "--output", model, "--overwrite"]
        _run(command, os.environ)
        return seconds(partial(_run, command, os.environ))


def _texts() -> list[str]:
    """Docstrings, as the words that count in them."""
    data = load_stdlib_docs()
    assert data.feature_names is not None
    rows = np.linspace(0, data.X.shape[0] - 1, DOCUMENTS).astype(int)
    return [" ".join(data.feature_names[data.X[[row]].indices]) for row in rows]


def _run(command: list[str], environment: Any) -> None:
    subprocess.run(command, env=dict(environment), check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
