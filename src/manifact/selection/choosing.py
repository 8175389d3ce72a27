"""The graph, the number of components and the weight of the graph, chosen without labels."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from numbers import Integral
from typing import Any

from sklearn.base import clone
from sklearn.utils import check_random_state

from manifact.backends import comes_in_blocks
from manifact.backends.devices import chosen_device, placed
from manifact.graphs import AutoGraph, Graph, GraphBuilder, KNNGraph, LandmarkGraph, as_builder
from manifact.graphs.auto import SMALLEST, nearness, possible_sizes
from manifact.graphs.builder import as_samples
from manifact.graphs.cluster_counts import CountEvidence, best_count, count_evidence
from manifact.graphs.feature_halves import Features
from manifact.graphs.graph_choice import choose_graph
from manifact.graphs.some_samples import some_of
from manifact.selection.result import COUNTS, GRAPHS, Selection
from manifact.selection.sampling import SAMPLES, sampled
from manifact.utils import checks
from manifact.utils.errors import BadTypeError, BadValueError
from manifact.utils.progress import showing, steps

#: Weight of the graph: between 1 and 4 the NMI of seven sets with known classes changes by 1.3 points at the most.
TAU = 2.0


def select(
    X: Any,
    *,
    n_components: int | str | Iterable[int] = "auto",
    n_neighbors: int | str | Iterable[int] = "auto",
    tau: float | str = "auto",
    graph: Any = None,
    random_state: Any = 0,
    verbose: bool = False,
    device: str = "cpu",
) -> Selection:
    """Return the graph, the number of components and τ for `AffinityNMF` on X, chosen without labels.

    Ways to look for neighbours are compared by `AutoGraph`: the features are split at random into two halves, and the
    samples are clustered in each. What both say of a sample alike, beyond chance, is about the samples, since noise
    differs from feature to feature.

    The number of components is the k with the largest sum of two shares: of what clusterings by two halves of the
    features say, that which they say alike beyond chance; and of the edges, those inside clusters beyond chance
    (modularity). The first falls where clusters are cut at random, the second where they are merged or split. Where the
    graph is given as an affinity, clusterings that each do without a fifth of its edges stand for the halves. At most
    3000 samples are looked at: of more, ever finer clusters can be told apart, without end.

    Parameters
    ----------
    X : array or sparse matrix, n_samples x n_features
    n_components : "auto", int or several, default="auto"
        What to choose from; "auto" means 2 to 100 (a third of the samples at the most), each about a fifth larger than
        the one before.
    n_neighbors : "auto", int or several, default="auto"
        "auto" is 5 or 30, or what a `KNNGraph` that is given has.
    tau : "auto" or float, default="auto"
        "auto" is 2: no criterion is known that does better.
    graph : graph builder, n x n affinity, "auto" or None, default=None
        As in `AffinityNMF`; None and "auto" mean `AutoGraph`. A `KNNGraph` keeps its features.
    random_state : int, RandomState or None, default=0
        Which samples, features and edges are looked at together.
    verbose : bool, default=False
        Show a progress bar.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where all samples are looked at, as in models. The few that are clustered to compare graphs are on the host.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from manifact.selection import select
    >>> X, _ = make_blobs(300, n_features=20, centers=6, random_state=0)
    >>> selection = select(X - X.min())
    >>> selection.best["n_components"]
    6
    >>> V = selection.model().fit_transform(X - X.min())
    """
    X = placed(as_samples(X), chosen_device(device))
    return select_and_build(
        X, n_components=n_components, n_neighbors=n_neighbors, tau=tau, graph=graph, random_state=random_state,
        verbose=verbose,
    )[0]  # fmt: skip


def select_and_build(
    X: Any, *, n_components: Any, n_neighbors: Any, tau: Any, graph: Any, random_state: Any, verbose: bool
) -> tuple[Selection, Graph]:
    """What `select` returns, and the chosen graph of all samples."""
    begun = time.perf_counter()
    X = as_samples(X)
    if comes_in_blocks(X):
        return _from_some(
            X, n_components=n_components, n_neighbors=n_neighbors, tau=tau, graph=graph, random_state=random_state,
            verbose=verbose,
        )  # fmt: skip
    sizes = _sizes(n_components, X.shape[0])
    weight = _tau(tau)
    with showing(bool(verbose)):
        if is_automatic(graph) or isinstance(graph, KNNGraph):
            chosen, builder, built = _by_features(X, sizes, n_neighbors, graph, random_state)
        else:
            _refuse_neighbors(n_neighbors, graph)
            chosen, built = _by_edges(X, sizes, graph, random_state)
            builder = graph
    best, rows = chosen
    seconds = time.perf_counter() - begun
    return Selection(rows, best | {"tau": weight}, builder, random_state, _criterion(rows), seconds), built


def _from_some(X: Any, *, graph: Any, **choices: Any) -> tuple[Selection, Graph]:
    """The same of samples in blocks: chosen from some of them, and a graph of all; through landmarks, if it is open."""
    some = some_of(X)
    few = X.rows(some)
    if len(some) == X.shape[0]:
        return select_and_build(few, graph=graph, **choices)
    if not (is_automatic(graph) or isinstance(graph, GraphBuilder)):
        # The user's own graph of all samples: that of some of them says how many clusters there are.
        built = as_builder(graph).build(X)
        return select_and_build(few, graph=built.of_samples(some), **choices)[0], built
    selection, _ = select_and_build(few, graph=graph, **choices)
    builder = LandmarkGraph() if is_automatic(graph) else graph
    best = {name: selection.best[name] for name in ("n_components", "tau")}
    return replace(selection, graph=builder, best=best), builder.build(X)


def _criterion(rows: list[dict[str, Any]]) -> str:
    """How what was found was found."""
    counts, graphs = (any(row.get(what) is not None for row in rows) for what in ("share", "bits"))
    return "; ".join([COUNTS] * counts + [GRAPHS] * graphs)


def is_automatic(graph: Any) -> bool:
    """Whether the graph is left to `AutoGraph`, by one who may choose it."""
    return graph is None or isinstance(graph, AutoGraph) or (isinstance(graph, str) and graph == "auto")


def _by_features(
    X: Any, sizes: list[int], n_neighbors: Any, graph: Any, random_state: Any
) -> tuple[tuple[dict[str, Any], list[dict[str, Any]]], Any, Graph]:
    """What was chosen and from which rows, its builder, and the graph."""
    if isinstance(graph, KNNGraph):
        own = Features(graph.roots, graph.directions, graph.balance)
        _auto("n_neighbors", n_neighbors)
        counts = [graph.n_neighbors] if isinstance(n_neighbors, str) else _integers("n_neighbors", n_neighbors)
        choice = choose_graph(X, sizes, check_random_state(random_state), counts, [own])
        builder = clone(graph).set_params(n_neighbors=choice.n_neighbors)
        built: Any = builder.build(X)
    else:
        automatic = clone(graph) if isinstance(graph, AutoGraph) else AutoGraph(random_state=random_state)
        if not (isinstance(n_neighbors, str) and n_neighbors == "auto"):
            automatic.set_params(n_neighbors=n_neighbors)
        choice, built = automatic.choose_and_build(X, sizes)
        builder = choice.builder(metric=nearness(X))
    best = {"n_components": choice.n_components, "features": str(choice.features), "n_neighbors": choice.n_neighbors}
    return (best, choice.candidates()), builder, built


def _by_edges(
    X: Any, sizes: list[int], graph: Any, random_state: Any
) -> tuple[tuple[dict[str, Any], list[dict[str, Any]]], Graph]:
    """What was chosen and from which rows, and the graph."""
    builder = as_builder(graph)
    built = builder.build(X)
    rng = check_random_state(random_state)
    evidence: list[CountEvidence] = []
    if len(sizes) > 1:
        with steps("components", total=1) as advance:
            evidence = count_evidence(sampled(X, built, rng), sizes, rng)
            advance(1)
    rows = [_row(k, evidence[at] if evidence else None) for at, k in enumerate(sizes)]
    return ({"n_components": best_count(sizes, evidence) if evidence else sizes[0]}, rows), built


def _row(k: int, what: CountEvidence | None) -> dict[str, Any]:
    return {"n_components": k} | (dict.fromkeys(CountEvidence._fields) if what is None else what._asdict())


def _sizes(n_components: Any, n: int) -> list[int]:
    """Candidates, smallest first."""
    if not isinstance(n_components, str):
        most = min(n, SAMPLES) // SMALLEST
        return _integers("n_components", n_components, most=n if isinstance(n_components, Integral) else most)
    checks.option("n_components", n_components, ("auto",))
    if n < 2 * SMALLEST:
        raise BadValueError(
            "{n_components}='auto' needs at least {} samples, got n_samples = {}: pass a number", 2 * SMALLEST, n
        )
    return possible_sizes(n)


def _integers(name: str, values: Any, most: int | None = None) -> list[int]:
    """One or several whole numbers ≥ 1, in rising order, each once."""
    several = list(values) if isinstance(values, Iterable) else [values]
    if not several:
        raise ValueError(f"{name} is empty: give 'auto', a number or several to choose from")
    for value in several:
        checks.integer(name, value, at_least=1)
        if most is not None and value > most:
            raise ValueError(f"{name}={value} is too many to compare here: give at most {most}")
    return sorted({int(value) for value in several})


def _tau(tau: Any) -> float:
    if isinstance(tau, str):
        checks.option("tau", tau, ("auto",))
        return TAU
    if isinstance(tau, Iterable):
        raise BadTypeError("{tau}={!r} must be 'auto' or a number: nothing here can tell which of several is best", tau)
    checks.real("tau", tau, at_least=0)
    return float(tau)


def _auto(name: str, value: Any) -> None:
    if isinstance(value, str):
        checks.option(name, value, ("auto",))


def _refuse_neighbors(n_neighbors: Any, graph: Any) -> None:
    _auto("n_neighbors", n_neighbors)
    if not isinstance(n_neighbors, str):
        raise BadValueError(
            "{n_neighbors}={!r} needs {graph}=None, 'auto' or KNNGraph(), got {}", n_neighbors, type(graph).__name__
        )
