"""How a model is declared: a dataclass whose fields are its parameters, with the shared ones documented once."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeVar, dataclass_transform, overload

from manifact.models.registry import Entry, register

T = TypeVar("T")

GRAPH_PARAMETERS = """\
graph_reg : float, default={default of graph_reg}
    λ, unscaled as in the paper. The default goes with the start and the few iterations of this model as it comes;
    `as_published` has the authors' value.
graph : graph builder, n x n affinity or None, default=None
    How samples are neighbours: `KNNGraph`, `LabelGraph`, a sum of them, or a symmetric sparse matrix such as
    ``adata.obsp["connectivities"]``. None means ``KNNGraph(5, weight="binary")``; pass an instance to search
    ``graph__n_neighbors``."""

COMMON_PARAMETERS = """\
n_components : int, default=10
    k, the number of parts.
solver : str, default="auto"
    "mu" is the paper's own rule. "bcd" (squared error) and "newton" (divergence) take exact steps, never raise the
    objective (up to rounding) and reach a given value of it many times sooner; where V has a penalty and U has none,
    they keep basis vectors at length 1 ("bcd") or sum 1 ("newton"), so that the penalty does not fade as scale moves
    into the basis. `AffinityNMF` ("affinity") and `SPNMF` ("simplex") have solvers of their own that never raise it
    either. "auto" is "mu" where V is smooth on a graph, since the early stop of that rule keeps V from being smoothed
    away (SPNMF: "simplex"); otherwise the exact solver, or "mu" where there is none. ``solver_`` says which.
init : {"auto", "random", "nndsvd", "nndsvda", "kmeans", "spectral"} or (V0, components0), default={default of init}
    The start. "auto" is "random" for models without a graph; where V is smooth on a graph it is the graph's clusters
    (or those of a plain NMF, where the graph's are a crowd and some crumbs), with parts that leave out what all samples
    share, unless ``solver`` asks for another than "auto" takes, which starts at random; for `CF` and `LCF` it is
    k-means clusters, with concepts that are the means of typical samples (`LCF`: of all). The others: uniform on
    (0, 1); the non-negative halves of an SVD, its zeros kept or filled; k-means clusters; clusters of the graph; or
    your own n x k and k x m arrays.
max_iter : int or None, default={default of max_iter}
    The most iterations to run. None means {iterations}.
tol : float or None, default=None
    Stop when ten iterations change the objective by less than this fraction. None means 1e-4, except that
    "mu" with a graph then runs all its iterations: when to stop is part of that method. 0 runs exactly ``max_iter``.
normalize : {"basis", None}, default={default of normalize}
    At the end, give the basis columns unit length, move their scale into V and order parts by weight; or leave the
    iterates as they are.
assign : {"kmeans", "argmax", "nearest"}, default={default of assign}
    How samples are clustered, when ``labels_`` or `predict` are first asked for: by k-means on V (20 starts), by the
    largest part, or by "nearest", the part whose own samples (those that have most of it) point, on average, most
    nearly in the same direction. Cluster i is that of part i: clusters of k-means are matched to parts one to one, by
    how much of each part (its column of V scaled to sum 1) the samples of a cluster have on average.
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
device : {"cpu"}, default="cpu"
    Where the work is done."""

COMMON_ATTRIBUTES = """\
components_ : array, k x m
    Uᵀ: a part in each row.
representation_ : array, n x k
    V of the training samples, as `fit_transform` returns it.
objective_ : array of ``n_iter_`` + 1
    The true objective at every iterate, the start included.
n_iter_, converged_, solver_ : int, bool, str
    Iterations done, whether the tolerance was reached, and the solver that was used.
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

_SHARED = {
    "{kernel parameters}": KERNEL_PARAMETERS,
    "{concept attributes}": CONCEPT_ATTRIBUTES,
    "{graph parameters}": GRAPH_PARAMETERS,
    "{common parameters}": COMMON_PARAMETERS,
    "{graph attributes}": GRAPH_ATTRIBUTES,
    "{common attributes}": COMMON_ATTRIBUTES,
}
#: A default that models differ in: it stands in the class, and nowhere else.
_DEFAULT = re.compile(r"\{default of (\w+)\}")


@overload
def model(cls: type[T]) -> type[T]: ...
@overload
def model(
    *,
    name: str = "",
    paper: str = "",
    command_line: Mapping[str, Any] | None = None,
    published: Mapping[str, Any] | None = None,
    formerly: tuple[str, ...] = (),
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(kw_only_default=True, eq_default=False)
def model(cls: type[T] | None = None, **facts: Any) -> Any:
    """Turn annotated fields into constructor parameters and complete the docstring.

    With facts (``paper`` at least) the class also enters the registry: ``name`` on the command line, what the
    ``command_line`` fills in, the parameters it was ``published`` with, and what the class was ``formerly`` called.
    """
    if cls is not None:
        return _declared(cls)

    def declare(cls: type[T]) -> type[T]:
        declared = _declared(cls)
        register(Entry(declared, **{key: value for key, value in facts.items() if value is not None}))
        return declared

    return declare


def _declared(cls: type[T]) -> type[T]:
    doc = inspect.cleandoc(cls.__doc__ or "")
    for mark, text in _SHARED.items():
        doc = doc.replace(mark, text)
    declared = dataclass(eq=False, repr=False, kw_only=True)(cls)
    defaults = {parameter.name: parameter.default for parameter in fields(declared)}  # type: ignore[arg-type]
    doc = _DEFAULT.sub(lambda found: _written(defaults[found[1]]), doc)
    declared.__doc__ = doc.replace("{iterations}", _iterations_of(declared)) if "{iterations}" in doc else doc
    return declared


def _iterations_of(cls: Any) -> str:
    """How long a model goes on where nobody says."""
    usual = f'{cls._published_iterations} for a published rule such as "mu", {cls._iterations} for the others'
    few = getattr(cls, "_few_iterations", None)
    near = f'{few} from the "auto" start by the "auto" solver, since that start is near the answer; otherwise '
    return usual if few is None else near + usual


def _written(value: Any) -> str:
    """A default as docstrings write it."""
    return f"{value:g}" if isinstance(value, float) else f'"{value}"' if isinstance(value, str) else repr(value)
