"""What samples contain and how they are connected, factorised together."""

from __future__ import annotations

from dataclasses import field
from typing import Any, ClassVar

import numpy as np

from manifact.backends import Array, as_data
from manifact.backends.numpy import nonnegative_least_squares
from manifact.graphs import Graph, KNNGraph
from manifact.graphs.spectral import angles
from manifact.models.base import Plan, Problem
from manifact.models.declaration import model
from manifact.models.graph_models import WithGraph
from manifact.models.starts import from_clusters, kmeans
from manifact.solvers.affinity import matched
from manifact.solvers.engine import Result, Step
from manifact.terms import Free, Frobenius, Matching, Term
from manifact.terms.state import State, TwofoldState
from manifact.utils import checks
from manifact.utils.errors import Sentence


@model(name="affinity", paper="ours", command_line={"n_components": "auto"}, formerly=("JointNMF",))
class AffinityNMF(WithGraph):
    """Minimise ‖X − V Uᵀ‖² + ‖X − A Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖² over U, V, A ≥ 0, μ = τ ‖P X‖² / ‖F Fᵀ‖².

    F are the k leading eigenvectors of the graph's D^(−½) W D^(−½), rows at unit length: the angles by which spectral
    clustering tells samples apart. V is a non-negative representation in which samples are as alike as the graph says,
    and whose parts rebuild the data. The graph fixes the size of V, so that nothing drifts and nothing collapses: there
    is a minimum, and running longer changes hardly anything.

    A are coefficients that only the data hold, as `transform` gives them (sample weights aside): parts that were made
    for V alone would be close to the means of clusters, and rebuild a sample hardly better than these do.

    P projects onto the columns of F, so ‖P X‖² is what the graph's directions explain of the data: most of an image,
    a tenth of a sparse text. Both terms count by what they can explain, and τ means the same on every set.

    V starts from the clusters of F and is found entry by entry, each at the exact minimum of a quartic; the objective
    never rises. A sample belongs to the part whose samples it is most like, and new samples get the F that their
    neighbours suggest.

    Use it first: to cluster, and to see what the clusters are made of, with nothing to tune.

    Parameters
    ----------
    tau : float or "auto", default=2
        Weight of the graph beside the data. Smaller values rebuild the data more closely.
    n_neighbors : int or "auto", default=5
        Neighbours of each sample, where ``graph`` is None.
    graph : graph builder, n x n affinity or None, default=None
        How samples are neighbours: `KNNGraph`, `LandmarkGraph` for very many samples, or a symmetric sparse matrix such
        as ``adata.obsp["connectivities"]``. None means ``KNNGraph(n_neighbors, weight="binary")``.
    {common parameters}
        ``n_components`` may be "auto" here, as ``tau`` and ``n_neighbors``: `manifact.select` then chooses them without
        labels, and ``selection_`` shows from what.
        Here ``init`` is "spectral", ``assign`` is "nearest", ``normalize`` is None, ``tol`` 1e-5 and ``max_iter`` 1000
        unless you say otherwise: V has the size that the graph gives it, in which parts can be compared.

    Attributes
    ----------
    embedding_ : array, n x k
        F.
    n_components_, tau_ : int, float
        As given, or as chosen.
    selection_ : Selection
        What "auto" chose and from what; only there with "auto".
    {graph attributes}
    {common attributes}

    References
    ----------
    The squared distance of affinities beside that of the data: R. Du, B. Drake, H. Park. Hybrid clustering based on
    content and connection structure using joint nonnegative matrix factorization. Journal of Global Optimization 74,
    2019. The rows: A. Ng, M. Jordan, Y. Weiss. On spectral clustering. NIPS, 2001.

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from sklearn.preprocessing import normalize
    >>> from manifact import AffinityNMF
    >>> from manifact.metrics import nmi
    >>> X, y = load_digits(return_X_y=True)
    >>> model = AffinityNMF(n_components=10, random_state=0).fit(normalize(X))
    >>> nmi(y, model.labels_) > 0.85
    True
    """

    n_components: Any = field(default=10, kw_only=False)
    tau: Any = 2.0
    n_neighbors: Any = 5
    init: Any = "spectral"
    assign: str | None = "nearest"
    normalize: str | None = None

    #: There is a minimum, and clusters may move on the last part of the way to it.
    _tolerance: ClassVar[float] = 1e-5
    _iterations: ClassVar[int] = 1000
    _state_type: ClassVar[type[State]] = TwofoldState

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("bcd",)

    @property
    def _k(self) -> int:
        return self.n_components_

    @property
    def _tied(self) -> bool:
        return self.tau_ > 0

    def _check_size(self) -> None:
        if not _is_auto("n_components", self.n_components):
            super()._check_size()

    def _check_model(self) -> None:
        super()._check_model()
        if not _is_auto("tau", self.tau):
            checks.real("tau", self.tau, at_least=0)
        if not _is_auto("n_neighbors", self.n_neighbors):
            checks.integer("n_neighbors", self.n_neighbors, at_least=1)

    def _fit(self, X: Any, *arguments: Any, **options: Any) -> Array:
        self._check_parameters()
        try:
            self._choose(X)
            fitted: Array = super()._fit(X, *arguments, **options)
        finally:
            self.__dict__.pop("_built_by", None)
        return fitted

    def _choose(self, X: Any) -> None:
        """Fill in what is "auto"."""
        self.__dict__.pop("selection_", None)
        self.n_components_, self.tau_, self._built_by = self.n_components, self.tau, self.graph
        neighbors = self.n_neighbors if self.graph is None else None
        if "auto" in (self.n_components, self.tau, neighbors):
            from manifact.selection.choosing import select_and_build

            self.selection_, built = select_and_build(
                self._check_data(X, reset=True),
                n_components=self.n_components,
                n_neighbors="auto" if neighbors is None else neighbors,
                tau=self.tau,
                graph=self.graph,
                random_state=self.random_state,
                verbose=self.verbose,
            )
            best = self.selection_.best
            self.n_components_, self.tau_ = best["n_components"], best["tau"]
            self._built_by = self.selection_.graph if built is None else built
        elif self.graph is None:
            self._built_by = KNNGraph(self.n_neighbors)

    def _build_graph(self, X: Any, y: Any) -> Graph | None:
        return self._built(self._built_by, X, y)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        # Without the graph the two representations would be one.
        if self.tau_ == 0:
            return []
        penalties = [term for term in self._penalties(problem.X.shape) if term.block == "V"]
        return [Free(Frobenius()), *map(Free, penalties), self._matching(problem)]

    def _matching(self, problem: Problem) -> Matching:
        assert problem.graph is not None
        F, _ = angles(problem.graph, self._k)
        alike = float(np.sum((F.T @ F) ** 2))
        return Matching(F, self.tau_ * explained(problem.data, F) / alike if alike > 0 else 0.0)

    def _make_step(self, solver: str, terms: list[Term], problem: Problem) -> Step:
        return matched(terms)

    def _prepare(self, solver: str, terms: list[Term], s: State) -> State:
        return s

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        if self.init != "spectral":
            return super()._named_start(problem)
        assert problem.graph is not None
        F, _ = angles(problem.graph, self._k)
        labels = kmeans(F, self._k, Sentence("{init}='spectral'"), problem.rng)
        # Largest first, as other models order their parts.
        ranks = np.argsort(np.argsort(-np.bincount(labels, minlength=self._k), kind="stable"))
        U, V = from_clusters(problem.X, ranks[labels], self._k, floor=0.0)
        dtype = problem.data.dtype
        return np.ascontiguousarray(U, dtype=dtype), np.ascontiguousarray(V, dtype=dtype)

    def _begin(self, problem: Problem) -> State:
        s = super()._begin(problem)
        if not self._goes_on:
            return s
        # A is not kept: it is what the basis makes of the data.
        return s.replace("A", (self._project(problem.X, tie=False) / self._scale).astype(s.V.dtype))

    def _store(self, problem: Problem, plan: Plan, result: Result) -> None:
        self._mu = sum(term.mu for term in plan.terms if isinstance(term, Matching))
        super()._store(problem, plan, result)

    def _store_graph(self, graph: Any, V: Array) -> None:
        super()._store_graph(graph, V)
        self.embedding_, self._harmonics = angles(graph, self._k)
        raw = (V / self._scale).astype(np.float64)
        inside = raw[self.embedding_.any(axis=1)]
        self._matched = self.embedding_.T @ raw, inside.T @ inside

    def _clustered(self, V: Array) -> Array:
        # In the size that the graph gave it, whatever ``normalize`` made of it.
        return V / self._scale

    def _project(self, X: Any, tie: bool, graph_X: Any = None) -> Array:
        if not tie or self.tau_ == 0:
            return super()._project(X, tie=False)
        F = self._angles_of(self._as_the_graph_knows(X, graph_X))
        known = F.any(axis=1)
        V = super()._project(X, tie=False)
        if known.any():
            V[known] = self._matched_rows(X[known], F[known])
        return V

    def _angles_of(self, X: Any) -> Array:
        """F of new samples."""
        from sklearn.preprocessing import normalize

        return normalize(self.graph_.tie(X, self._harmonics)[0])

    def _matched_rows(self, X: Any, F: Array) -> Array:
        """argmin ‖x − U v‖² + 2 μ Σ_j (fᵀf_j − vᵀv_j)² over v ≥ 0: what the training samples minimise, one by one."""
        scale = self._scale.astype(X.dtype)
        U = np.ascontiguousarray(self.components_.T * scale, dtype=X.dtype)
        M, A = self._matched
        l1, l2 = self._V_penalty(X.shape)
        B = as_data(X).times(U) + (2 * self._mu * (F @ M)).astype(X.dtype) - X.dtype.type(l1 / 2)
        G = U.T @ U + (2 * self._mu * A).astype(X.dtype)
        return scale * nonnegative_least_squares(G, B, l2 / 2)


def _is_auto(name: str, value: Any) -> bool:
    if isinstance(value, str):
        checks.option(name, value, ("auto",))
        return True
    return False


def explained(data: Any, F: Array) -> float:
    """‖P Γ^½ X‖², P the projection onto the columns of Γ^½ F: what F can explain of the weighted data."""
    cross = data.times_transposed(F.astype(data.dtype))
    gram = np.linalg.pinv(data.gram(F), hermitian=True)
    return max(0.0, float(np.einsum("ij,jk,ik->", cross, gram, cross)))
