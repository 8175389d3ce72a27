"""What docstrings of models say of the parameters and attributes that they share, as each of them has these."""

from __future__ import annotations

import re
from collections.abc import Callable
from textwrap import wrap
from typing import Any

from manifact.solvers.all_solvers import SOLVERS
from manifact.terms import LOSSES

GRAPH_PARAMETERS = """\
graph_reg : float, default={default of graph_reg}
    λ, unscaled as in the paper. The default goes with the start and the few iterations of this model as it comes;
    `as_published` has the authors' value.
graph : graph builder, n x n affinity or None, default=None
    How samples are neighbours: `KNNGraph`, `LabelGraph`, a sum of them, or a symmetric sparse matrix such as
    ``adata.obsp["connectivities"]``. None means ``KNNGraph(5, weight="binary")``; pass an instance to search
    ``graph__n_neighbors``."""

COMMON_PARAMETERS = """\
n_components : int, default={default of n_components}
    k, the number of parts.
solver : {solvers}, default={default of solver}
    {what solvers do}
init : {"auto", "random", "nndsvd", "nndsvda", "kmeans", "spectral"} or {own arrays}, default={default of init}
    The start. "auto" {own start}. The others: "random", uniform on (0, 1); "nndsvd" and "nndsvda", the non-negative
    halves of an SVD, its zeros kept or filled; "kmeans", clusters of the samples; "spectral", clusters of the graph (of
    ``KNNGraph()``, where the model has none); or arrays of your own, n x k and {size of parts}.
max_iter : int or None, default={default of max_iter}
    The most iterations to run. None means {iterations}.
tol : float or None, default=None
    Stop when ten iterations change the objective by less than this fraction. None means {tolerance}. 0 runs exactly
    ``max_iter``.
normalize : {"basis", None}, default={default of normalize}
    At the end, give the basis columns unit length, move their scale into V and order parts by weight; or leave the
    iterates as they are.
assign : {"kmeans", "argmax", "nearest", "graph"}, default={default of assign}
    How samples are clustered, when ``labels_`` or `predict` are first asked for: by k-means on V (20 starts), by the
    largest part, or by "nearest", the part whose own samples (those that have most of it) point, on average, most
    nearly in the same direction; "graph" (`AffinityNMF` alone) goes by the mean directions of the graph's own clusters,
    in V and in the graph's eigenvectors together. Cluster i is that of part i: clusters of k-means and of the graph are
    matched to parts one to one, by how much of each part (its column of V scaled to sum 1) the samples of a cluster
    have on average.
n_init, init_iter : int, default=1 and 30
    Each of several starts runs ``init_iter`` iterations, and the best of them goes on.
warm_start : bool, default=False
    Go on from where the last fit stopped.
alpha_V, alpha_U : float, default=0 and "same"
    Strength of the penalties on V and U, scaled as in scikit-learn's NMF.
l1_ratio : float, default=0
    Share of L1 in these penalties, the rest is L2.
random_state : int, RandomState or None, default=None
    Seed of the start and of the clustering.
verbose : bool, default=False
    Show a progress bar.
device : {"cpu", "cuda", "auto"}, default="cpu"
    Where arrays are worked on: "cuda" is a GPU, by PyTorch ("cuda:1" the second one), "auto" a GPU if there is one.
    Samples are placed there once, and results are NumPy's again. Tensors of PyTorch, and arrays of packages that speak
    DLPack, such as CuPy's, are worked on where they are, and results are of that kind and in that place. A fitted model
    works on machines without the device, too."""

COMMON_ATTRIBUTES = """\
components_ : array, k x m
    Uᵀ: a part in each row.
representation_ : array, n x k
    V of the training samples, as `fit_transform` returns it.
objective_ : array of ``n_iter_`` + 1
    The true objective at every iterate, the start included.
n_iter_, converged_, solver_ : int, bool, str
    Iterations done, whether the tolerance was reached, and the solver that was used.
device_ : str
    Where the arrays were worked on.
reconstruction_err_ : float
    ‖X − V Uᵀ‖, or sqrt(2 KL), as in scikit-learn.
labels_ : array, n
    The cluster of each sample, as ``assign`` says, which is the number of a part; −1 for a sample that cannot be
    placed, since its row of V is zero, or its row of X is and it has no neighbours. Made at the first use."""

GRAPH_ATTRIBUTES = """\
graph_ : Graph
    The graph as an operator.
smoothness_ : float
    Tr(VᵀLV) / Tr(VᵀDV): 0 where neighbours are equal. Compare it with its value at ``graph_reg=0`` to see what the
    graph did."""

KERNEL_PARAMETERS = """\
kernel : str, default="linear"
    "linear" forms no matrix larger than X; any other name that scikit-learn's ``pairwise_kernels`` knows forms the
    n x n kernel matrix; "precomputed" means that X holds kernel values (new samples are then rows of
    k(x, training samples); ``score``, and `LCF` for new samples, would also need k(x, x) and are refused).
kernel_params : dict or None, default=None
    Parameters of a named kernel, such as ``{"gamma": 0.1}``."""

CONCEPT_ATTRIBUTES = """\
concepts_ : array, k x n
    Cᵀ: what each concept is made of. ``components_`` exists with the linear kernel only."""

#: What stands for these texts in the docstring of a class.
SHARED = {
    "{kernel parameters}": KERNEL_PARAMETERS,
    "{concept attributes}": CONCEPT_ATTRIBUTES,
    "{graph parameters}": GRAPH_PARAMETERS,
    "{common parameters}": COMMON_PARAMETERS,
    "{graph attributes}": GRAPH_ATTRIBUTES,
    "{common attributes}": COMMON_ATTRIBUTES,
}


def shared_text(text: str, cls: Any, said: set[str]) -> str:
    """A shared text as it is of ``cls``, without the entries that its docstring has itself."""
    entries = [entry for entry in re.split(r"\n(?=\w)", text) if entry.partition(" : ")[0] not in said]
    return "\n".join(_entry(entry, cls) for entry in entries)


def _entry(entry: str, cls: Any) -> str:
    head, *body = entry.splitlines()
    for mark, written in _OF_THE_CLASS.items():
        if mark in entry:
            head, body = head.replace(mark, written(cls)), [line.replace(mark, written(cls)) for line in body]
    told = wrap(" ".join(map(str.strip, body)), 112, break_on_hyphens=False)
    return "\n    ".join([head, *told])


def solvers(cls: Any) -> str:
    """The names that ``solver`` takes."""
    return f"{{{', '.join(map(_quoted, ('auto', *_names(cls))))}}}"


def what_solvers_do(cls: Any) -> str:
    """Which of them "auto" is, and what they are."""
    usual = {loss: made._solver_name for loss, made in _made(cls).items()}
    names = _names(cls)
    exact = [name for name in names if name in _EXACT]
    meant = " and ".join(f"{_quoted(name)}{f' for {_quoted(loss)}' if loss else ''}" for loss, name in usual.items())
    if len(set(usual.values())) == 1:
        meant = _quoted(next(iter(usual.values())))
    told = [f'"auto" is {meant}']
    if cls._stops_early and exact and "mu" in usual.values():
        told[0] += (
            ", since the early stop of that rule keeps V from being smoothed away (without a graph: the exact one)"
        )
    told += [f"{_quoted(name)} {words}" for name, words in _ABOUT_SOLVERS.items() if name in names]
    if exact:
        who = " and ".join(f"{_quoted(name)} ({_EXACT[name][0]})" for name in exact)
        told.append(
            f"{who} take{'s' if len(exact) == 1 else ''} exact steps, which never raise the objective (up to rounding) "
            "and reach a given value of it many times sooner"
        )
    if exact and cls._stops_early:
        held = " or ".join(f"{_EXACT[name][1]} ({_quoted(name)})" for name in exact)
        told.append(
            f"They keep basis vectors at {held} unless U has a penalty, so that the graph's does not fade as scale "
            "moves into the basis"
        )
    return ". ".join(told) + "."


def iterations(cls: Any) -> str:
    """How long a model goes on where nobody says."""
    usual = {name: cls._published_iterations if _published(name) else cls._iterations for name in _names(cls)}
    few = getattr(cls, "_few_iterations", None)
    if few is not None:
        return (
            f'{few} from the "auto" start by the "auto" solver, since that start is near the answer; otherwise '
            f"{_by_value(usual)}"
        )
    first = {made._solver_name for made in _made(cls).values()}
    if len({usual[name] for name in first}) > 1:
        return _by_value(usual)
    number = usual[next(iter(first))]
    others = {name: value for name, value in usual.items() if value != number}
    return f"{number}{f', {_by_value(others)}' if others else ''}"


def tolerance(cls: Any) -> str:
    """When a model stops where nobody says."""
    early = [name for name in _names(cls) if cls._stops_early and _published(name)]
    if not early:
        return f"{_power(cls._tolerance)}"
    to_the_end = (
        f"that {' and '.join(map(_quoted, early))} runs all its iterations: when to stop is part of that method"
    )
    if len(early) == len(_names(cls)):
        return to_the_end
    return f"{_power(cls._tolerance)}, except {to_the_end}"


_OF_THE_CLASS: dict[str, Callable[[Any], str]] = {
    "{solvers}": solvers,
    "{what solvers do}": what_solvers_do,
    "{own start}": lambda cls: str(cls._start_meant_by_auto),
    "{own arrays}": lambda cls: "(V0, concepts0)" if _of_concepts(cls) else "(V0, components0)",
    "{size of parts}": lambda cls: "k x n" if _of_concepts(cls) else "k x m",
    "{iterations}": iterations,
    "{tolerance}": tolerance,
}
_ABOUT_SOLVERS = {
    "mu": "is the published rule",
    "affinity": "takes each entry of V to the exact minimum of a quartic and never raises the objective",
    "simplex": "holds basis vectors at sum 1, shortens its step until the objective falls and so never raises it",
    "columns": "goes column by column, each to its exact minimum",
    "projected": "is the published rule",
}
#: Solvers that minimise to the end: the loss that they are for, and what they hold basis vectors at beside a graph.
_EXACT = {"bcd": ("squared error", "length 1"), "newton": ("divergence", "sum 1")}


def _made(cls: Any) -> dict[str, Any]:
    """The model as it comes, for each loss that it may have."""
    return {name: cls(loss=name) for name in LOSSES} if hasattr(cls, "loss") else {"": cls()}


def _names(cls: Any) -> list[str]:
    return list(dict.fromkeys(name for made in _made(cls).values() for name in made._solvers))


def _of_concepts(cls: Any) -> bool:
    return bool(cls._state_type.kind == "concepts")


def _published(name: str) -> bool:
    return name in SOLVERS and SOLVERS[name].published


def _by_value(values: dict[str, int]) -> str:
    """``100 for "mu", 500 for "bcd" and "newton"``."""
    return ", ".join(
        f"{value} for {' and '.join(_quoted(name) for name, other in values.items() if other == value)}"
        for value in dict.fromkeys(values.values())
    )


def _power(value: float) -> str:
    """As people write it: 1e-4."""
    return f"{value:g}" if value >= 1e-3 else f"{value:.0e}".replace("e-0", "e-")


def _quoted(name: str) -> str:
    return f'"{name}"'
