"""70,000 digits: neighbours against the machine's matrix products, a converged GNMF against scikit-learn's NMF."""

from __future__ import annotations

from statistics import median
from typing import Any

from sklearn import decomposition

from manifact.experiments.bench.benchmark_samples import prepared
from manifact.experiments.bench.benchmark_settings import Outcome, Setting, UnavailableError
from manifact.experiments.bench.timing import in_turns, seconds, summary, warm
from manifact.graphs import Graph, KNNGraph
from manifact.models import GNMF

NEIGHBORS = 5
RANK = 10
LAMBDA = 100.0
ITERATIONS = 200
#: Exact blocks from a random start, until they converge.
EXACT: dict[str, Any] = {"solver": "bcd", "init": "random", "graph_reg": LAMBDA}


def measure(setting: Setting) -> Outcome:
    """One row of measures."""
    try:
        samples = prepared("mnist")
    except FileNotFoundError as error:
        raise UnavailableError(str(error)) from error
    X = samples.X
    n, m = X.shape
    exact, projection = KNNGraph(NEIGHBORS), KNNGraph(NEIGHBORS, search="projection")
    for builder in (exact, projection):
        warm(lambda builder: GNMF(RANK, graph=builder, max_iter=1, **EXACT).fit(X[:2000]), builder)

    graphs: dict[str, Graph] = {}

    def build(name: str, builder: KNNGraph) -> float:
        return seconds(lambda: graphs.update({name: builder.build(X)}))

    def theirs(turn: int) -> float:
        return seconds(lambda: decomposition.NMF(RANK, max_iter=ITERATIONS, tol=0, random_state=turn).fit(X))

    def ours(turn: int) -> float:
        model = GNMF(RANK, graph=graphs["projection"], random_state=turn, **EXACT)
        return seconds(lambda: model.fit(X))

    # Two blocks: of one with itself NumPy computes a half only.
    rows = setting.scale.product_rows
    left, right = X[:rows], X[-rows:].T
    warm(lambda: left @ right)
    tasks = {
        "matrix product": lambda turn: seconds(lambda: left @ right),
        "exact graph": lambda turn: build("exact", exact),
        "projection graph": lambda turn: build("projection", projection),
        "GNMF": ours,
        "scikit-learn": theirs,
    }
    found = in_turns(tasks, setting.repeats, lambda text: setting.show(f"mnist: {text}"))
    whole = [sum(parts) for parts in zip(found["projection graph"], found["GNMF"], strict=True)]
    product_rate = 2 * rows**2 * m / median(found["matrix product"]) / 1e9
    graph_rate = 2 * n**2 * m / median(found["exact graph"]) / 1e9
    row: dict[str, Any] = {
        "product GFLOP/s": product_rate,
        **summary("exact graph s", found["exact graph"]),
        "exact graph GFLOP/s": graph_rate,
        "share of product": graph_rate / product_rate,
        **summary("projection graph s", found["projection graph"]),
        "recall": recall(graphs["projection"], graphs["exact"]),
        **summary("projection graph + GNMF s", whole),
        **summary("sklearn NMF s", found["scikit-learn"]),
        "ratio": median(found["scikit-learn"]) / median(whole),
    }
    note = (
        f"{samples}, unit length, {NEIGHBORS} neighbours; medians and interquartile ranges of {setting.repeats} turns. "
        f"The exact graph counts 2 n² m operations, though distances are symmetric, at {row['share of product']:.2f} "
        f"of the rate of a float32 product of {rows} with {rows} samples; search='projection' finds "
        f"{row['recall']:.4f} of its edges. scikit-learn's NMF({RANK}, max_iter={ITERATIONS}, tol=0) takes "
        f"{row['ratio']:.2f} times as long as that graph and GNMF({RANK}, solver='bcd', init='random', "
        f"graph_reg={LAMBDA:g}) together."
    )
    return [{"measure": name, "value": value} for name, value in row.items()], note


def recall(found: Any, exact: Any) -> float:
    """The share of the exact graph's edges that was found."""
    return float((found.W > 0).multiply(exact.W > 0).sum() / exact.W.nnz)
