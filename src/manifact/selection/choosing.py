"""The number of components, of neighbours, and the weight of the graph, chosen without labels."""

from __future__ import annotations

import time
from collections.abc import Iterable
from numbers import Integral
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.base import clone
from sklearn.utils import check_random_state

from manifact.graphs import AffinityGraph, Graph, GraphBuilder, KNNGraph, as_builder
from manifact.graphs.builder import as_samples
from manifact.selection.reproducible import Evidence, averaged, reproducible
from manifact.selection.result import Selection
from manifact.selection.sampling import SAMPLES, draws
from manifact.utils import checks
from manifact.utils.errors import BadTypeError, BadValueError
from manifact.utils.progress import showing, steps

#: Largest number of components that is tried unasked, and how much larger each is than the one before.
MOST_COMPONENTS, RATIO = 100, 1.15
#: Samples per component at the least, among those that are looked at.
SMALLEST = 3
#: Tried in this order until the graph holds together. With more neighbours clusterings are about as reproducible, and
#: the clusters worse, so that the criterion cannot choose them.
NEIGHBORS = (5, 8, 12, 20)
#: Share of the samples that the largest pieces of a graph must hold.
TOGETHER = 0.95
#: Weight of the graph: between 1 and 4 the NMI of seven sets with known classes changes by 1.3 points at the most.
TAU = 2.0
#: Clusters are clear where they say so large a share of what as many even ones could say, by a standard error. It was
#: 0.9 to 1 for planted groups, 0.7 to 0.9 for digits, objects, flowers and wines, and below 0.65 for faces, letters and
#: news; for cells about 0.65, now and then more.
CLEAR = 0.7
#: Standard errors by which a modularity must be below the best one to count as lower.
SURE = 2.0
#: Pairs of clusterings that are compared.
PAIRS = 8


def select(
    X: Any,
    *,
    n_components: int | str | Iterable[int] = "auto",
    n_neighbors: int | str | Iterable[int] = "auto",
    tau: float | str = "auto",
    graph: Any = None,
    random_state: Any = 0,
    verbose: bool = False,
) -> Selection:
    """Return the number of components, of neighbours and τ for `AffinityNMF` on X, chosen without labels.

    Two clusterings of the graph, each without a fifth of its edges, say something of a sample alike, I − E[I] bits
    beyond chance, and something differently, H − I bits. The difference is the net reproducible information. Too few
    components merge what belongs apart and say little; too many cut at random, so that the clusterings differ.

    Where some k have clear clusters, which come near the log2 k bits that k even clusters can say, the k that comes
    nearest is chosen. Elsewhere it is the k with the most net information, but none below the finest whose modularity
    is within two standard errors of the best: modularity is known to merge small clusters.

    Means over eight pairs count. At most 1500 samples are looked at, drawn anew for each pair: of more samples ever
    finer clusters can be told apart, without end.

    Parameters
    ----------
    X : array or sparse matrix, n_samples x n_features
    n_components : "auto", int or several, default="auto"
        What to choose from; "auto" means 2 to 100 (a third of the samples at the most), each about 15% larger than the
        one before.
    n_neighbors : "auto", int or several, default="auto"
        "auto" is 5, or where that graph falls apart into more than 100 pieces (copies that have only each other for
        neighbours), the first of 8, 12 and 20 that does not. Of several the smallest that does not is chosen.
    tau : "auto" or float, default="auto"
        "auto" is 2: no criterion is known that does better.
    graph : graph builder, n x n affinity or None, default=None
        As in `AffinityNMF`. Neighbours can be chosen for None and for `KNNGraph`, which keeps its own with "auto".
    random_state : int, RandomState or None, default=0
        Which samples and edges are left out.
    verbose : bool, default=False
        Show a progress bar.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from manifact.selection import select
    >>> X, _ = make_blobs(300, n_features=20, centers=6, random_state=0)
    >>> selection = select(X - X.min())
    >>> selection
    Selection(n_components=6, n_neighbors=5, tau=2.0)
    >>> V = selection.model().fit_transform(X - X.min())
    """
    return select_and_build(
        X, n_components=n_components, n_neighbors=n_neighbors, tau=tau, graph=graph, random_state=random_state,
        verbose=verbose,
    )[0]  # fmt: skip


def select_and_build(
    X: Any, *, n_components: Any, n_neighbors: Any, tau: Any, graph: Any, random_state: Any, verbose: bool
) -> tuple[Selection, Graph | None]:
    """What `select` returns, and the chosen graph of all samples where that had to be built."""
    begun = time.perf_counter()
    X = as_samples(X)
    sizes = _sizes(n_components, X.shape[0])
    weight = _tau(tau)
    rng = check_random_state(random_state)
    with showing(bool(verbose)):
        builders = _builders(graph, n_neighbors, X.shape[0])
        chosen, built = _first_together(builders, X)
        # With "auto" the others were only there in case the graph falls apart.
        looked_at = [chosen] if isinstance(n_neighbors, str) else list(builders)
        known = {} if built is None else {chosen: built}
        evidence = {count: _evidence(X, builders[count], known.get(count), sizes, rng) for count in looked_at}
    rows = [
        _row(k, count, weight, what) for count, found in evidence.items() for k, what in zip(sizes, found, strict=True)
    ]
    best = {"n_components": _best(sizes, evidence[chosen]), "n_neighbors": chosen, "tau": weight}
    given = graph is not None and chosen is None
    seconds = time.perf_counter() - begun
    return Selection(rows, best, graph if given else builders[chosen], random_state, seconds=seconds), built


def _best(sizes: list[int], evidence: list[Evidence | None]) -> int:
    """The number of components that the evidence speaks for."""
    found = [what for what in evidence if what is not None]
    if not found:
        return sizes[0]
    # Of the log2 k bits that k even clusters can say.
    bits = {k: (what, np.log2(k)) for k, what in zip(sizes, found, strict=True) if k > 1}
    clear = {k: what.net / most for k, (what, most) in bits.items() if what.net - what.net_error >= CLEAR * most}
    if clear:
        return max(clear, key=lambda k: clear[k])
    # Modularity merges small clusters: its best is too coarse if anything, and so is what is as good but for the error.
    top = max(found, key=lambda what: what.modularity)
    first = max(i for i, what in enumerate(found) if what.modularity >= top.modularity - SURE * top.modularity_error)
    return sizes[max(range(first, len(sizes)), key=lambda i: found[i].net)]


def _evidence(
    X: Any, builder: GraphBuilder, built: Graph | None, sizes: list[int], rng: np.random.RandomState
) -> list[Evidence | None]:
    """For each of ``sizes``; ``built`` is the graph of all samples, where it is known."""
    if len(sizes) == 1:
        return [None]
    pairs = []
    with steps("components", total=PAIRS) as advance:
        for W in draws(X, builder, PAIRS, rng, built):
            pairs.append(reproducible(W, sizes, rng))
            advance(1)
    return [averaged(both) for both in zip(*pairs, strict=True)]


def _row(k: int, n_neighbors: int | None, tau: float, what: Evidence | None) -> dict[str, Any]:
    values = {"n_components": k, "n_neighbors": n_neighbors, "tau": tau}
    if what is None:
        return values | dict.fromkeys(("agreed", "disagreed", "net", "modularity"))
    return values | {
        "agreed": what.agreed, "disagreed": what.disagreed, "net": what.net, "modularity": what.modularity
    }  # fmt: skip


def _sizes(n_components: Any, n: int) -> list[int]:
    """Candidates, smallest first."""
    most = min(n, SAMPLES) // SMALLEST
    if not isinstance(n_components, str):
        return _integers("n_components", n_components, most=n if isinstance(n_components, Integral) else most)
    checks.option("n_components", n_components, ("auto",))
    if most < 2:
        raise BadValueError(
            "{n_components}='auto' needs at least {} samples, got n_samples = {}: pass a number", 2 * SMALLEST, n
        )
    sizes = [2]
    while (following := max(sizes[-1] + 1, round(sizes[-1] * RATIO))) <= min(most, MOST_COMPONENTS):
        sizes.append(following)
    return sizes


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


def _builders(graph: Any, n_neighbors: Any, n: int) -> dict[int | None, GraphBuilder]:
    """A graph builder for each number of neighbours; None where the graph has no such number."""
    auto = isinstance(n_neighbors, str)
    if auto:
        checks.option("n_neighbors", n_neighbors, ("auto",))
    if graph is not None and not isinstance(graph, KNNGraph):
        if not auto:
            raise BadValueError(
                "{n_neighbors}={!r} needs {graph}=None or KNNGraph(), got {}", n_neighbors, type(graph).__name__
            )
        return {None: as_builder(graph)}
    if auto and graph is not None:
        return {graph.n_neighbors: graph}
    counts = [NEIGHBORS[0], *(c for c in NEIGHBORS[1:] if c < n)] if auto else _integers("n_neighbors", n_neighbors)
    base = KNNGraph() if graph is None else graph
    return {count: clone(base).set_params(n_neighbors=count) for count in counts}


def _first_together(builders: dict[int | None, GraphBuilder], X: Any) -> tuple[int | None, Graph | None]:
    """The first whose graph holds together, and that graph: almost all samples are in its largest pieces.

    As many pieces as clusters are looked for may well be clusters; more are crumbs, such as copies that have only each
    other for neighbours. The last is not looked at: it is what is left.
    """
    *others, last = builders
    for count in others:
        graph = builders[count].build(X)
        assert isinstance(graph, AffinityGraph)
        sizes = np.sort(np.bincount(connected_components(graph.W, directed=False)[1]))[::-1]
        if sizes[:MOST_COMPONENTS].sum() >= TOGETHER * X.shape[0]:
            return count, graph
    return last, None
