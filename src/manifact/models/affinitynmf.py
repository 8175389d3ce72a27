"""What samples contain and how they are connected, factorised together."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import normalize

from manifact.backends import Array, as_data, backend_of, comes_in_blocks, namespace, on_host
from manifact.graphs import AutoGraph, Graph, GraphBuilder
from manifact.graphs.eigenvector_clusters import corners, settled
from manifact.graphs.spectral import Angles, angles
from manifact.models.block_starts import samples_and_graph
from manifact.models.cluster_starts import SOFTENED, averaged, graph_clusters, indicator, sample_clusters
from manifact.models.declaration import model
from manifact.models.graph_models import WithGraph
from manifact.models.landmark_streams import AffinityStreaming
from manifact.models.memory_needs import CLUSTERS, HELD_BY_AFFINITY, data_bytes, factor_bytes, graph_bytes, row_bytes
from manifact.models.problem import Plan, Problem
from manifact.models.projection import basis_beside, beside_samples
from manifact.models.starts import from_clusters
from manifact.selection.choosing import is_automatic, select_and_build
from manifact.solvers.engine import Result
from manifact.terms import Affinity, Frobenius, OnSecond, State, Term, TwofoldState
from manifact.utils import checks
from manifact.utils.errors import BadValueError, Parameter, Sentence


@model(name="affinity", paper="ours", command_line={"n_components": "auto"}, formerly=("JointNMF",))
class AffinityNMF(AffinityStreaming, WithGraph):
    """Minimise ‖X − V Uᵀ‖² + ‖X − A Uᵀ‖² + μ ‖F Fᵀ − V Vᵀ‖² over U, V, A ≥ 0, μ = τ ‖P X‖² / ‖F Fᵀ‖².

    F are the k leading eigenvectors of the graph's (D + θI)^(−½) (W + θ/n 11ᵀ) (D + θI)^(−½), θ a tenth of the mean
    degree, rows at unit length: the angles by which spectral clustering tells samples apart. Where the clusters of a
    graph that was given are a crowd and some crumbs, F are memberships in clusters of a plain NMF instead, averaged
    over the graph. V is a non-negative representation in which samples are as alike as the graph says, and whose parts
    rebuild the data. The graph fixes the size of V, so that nothing drifts and nothing collapses: there is a minimum,
    and running longer changes hardly anything.

    A holds coefficients that depend on the data alone, as ``transform(X, tie=False)`` gives them (sample weights
    aside): parts made for V alone would be close to the means of clusters, and would rebuild a sample hardly better
    than those means do.

    P projects onto the columns of F, so ‖P X‖² is what the graph's directions explain of the data: most of an image,
    a tenth of a sparse text. Each term counts by what it can explain, and τ means the same on every data set.

    V starts from the clusters of F. Its rows move together, as far as is best for all of them, so that the objective
    never rises. Clusters are those of F, refined by V, and new samples get the F that their neighbours suggest.

    Use it first: to cluster, and to see what the clusters are made of, with nothing to tune.

    Parameters
    ----------
    n_components : int or "auto", default={default of n_components}
        k, the number of parts; "auto" lets `manifact.select` choose it without labels.
    tau : float or "auto", default={default of tau}
        Weight of the graph relative to the data. Smaller values rebuild the data more closely.
    n_neighbors : int or "auto", default={default of n_neighbors}
        Neighbours of each sample, where `AutoGraph` chooses the graph; "auto" leaves their number to it.
    graph : graph builder, n x n affinity, "auto" or None, default=None
        How samples are neighbours: `KNNGraph`, `LandmarkGraph` for very many samples, or a symmetric sparse matrix such
        as ``adata.obsp["connectivities"]``. "auto" or None means ``AutoGraph()``, which chooses without labels in which
        features to look for neighbours; ``graph_.candidates_`` shows what it looked at.
    init : {"spectral", "auto", "random", "nndsvd", "nndsvda", "kmeans"} or (V0, components0), default={default of init}
        The start. "spectral" and "auto" are clusters of F, with parts that are their means. The others: "random",
        uniform on (0, 1); "nndsvd" and "nndsvda", the non-negative halves of an SVD, its zeros kept or filled;
        "kmeans", clusters of the samples; or arrays of your own, n x k and k x m.
    normalize : {None, "basis"}, default={default of normalize}
        None leaves V in the size that the graph gives it, in which parts can be compared. "basis" gives the basis
        columns unit length, moves their scale into V and orders parts by weight.
    {common parameters}

    Attributes
    ----------
    embedding_ : array, n x k
        F: the graph's angles, or memberships.
    n_components_, tau_ : int, float
        As given, or as chosen.
    selection_ : Selection
        What `manifact.select` chose, and from which candidates, where graph, k or τ were left to it.
    smoothness_ : float
        Tr(VᵀLV) / Tr(VᵀDV): 0 where neighbours are equal. Compare it with its value at ``tau=0`` to see what the graph
        did.
    {graph attributes}
    {common attributes}

    Notes
    -----
    `transform` of the training samples gives what `fit_transform` gave, to within 0.1% on digits (unit length, k =
    10): V is at a minimum, given the parts, and `transform` finds the same one.

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
    n_neighbors: Any = "auto"
    init: Any = "spectral"
    assign: str = "graph"
    normalize: str | None = None

    _takes_blocks: ClassVar[bool] = True
    _iterations: ClassVar[int] = 1000
    _places_by_graph: ClassVar[bool] = True
    _state_type: ClassVar[type[State]] = TwofoldState

    def default_graph(self) -> GraphBuilder:
        return AutoGraph()

    @property
    def _solvers(self) -> tuple[str, ...]:
        return ("affinity",)

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

    def _pose(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        """The graph is built first: what is "auto" is chosen on it."""
        self.__dict__.pop("selection_", None)
        self.n_components_, self.tau_, graph = self.n_components, self.tau, self.graph
        automatic = is_automatic(graph)
        if automatic or "auto" in (self.n_components, self.tau):
            self.selection_, graph = select_and_build(
                X,
                n_components=self.n_components,
                n_neighbors=self.n_neighbors if automatic else "auto",
                tau=self.tau,
                graph=graph,
                random_state=self.random_state,
                verbose=self.verbose,
            )
            self.n_components_, self.tau_ = self.selection_.best["n_components"], self.selection_.best["tau"]
        problem = super()._pose(X, y, sample_weight)
        return replace(problem, graph=self._built(graph, problem.X, y))

    def _build_graph(self, X: Any, y: Any) -> None:
        """`_pose` does, since it may have to choose."""
        return None

    def _fit_bytes(self, X: Any) -> float:
        """What comes after the search for neighbours: V, A and F have a row for each sample."""
        factors = HELD_BY_AFFINITY * factor_bytes(X, self._k, X.shape[1] if comes_in_blocks(X) else 2 * sum(X.shape))
        return data_bytes(X) + factors + row_bytes(X, self._k, CLUSTERS) + graph_bytes(X, self._builder)

    def _model_terms(self, problem: Problem, exact: bool) -> list[Term]:
        # Without the graph the two representations would be one.
        if self.tau_ == 0:
            return []
        assert problem.graph is not None
        F = graph_directions(problem).F
        alike = float(np.sum(np.asarray(on_host(backend_of(F).cross(F, F))) ** 2))
        mu = self.tau_ * explained(problem.data, problem.rows_beside_data(F)) / alike if alike > 0 else 0.0
        penalties = [term for term in self._penalties(problem.X.shape) if term.block == "V"]
        return [OnSecond(Frobenius()), *map(OnSecond, penalties), Affinity(F, mu)]

    def _against_collapse(self) -> Sentence | None:
        return Sentence("give it another {graph}, or a smaller {tau}=…") if self.tau_ > 0 else None

    @property
    def _chosen(self) -> tuple[Any, Any]:
        return self._k, self.tau_

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        if self.init not in ("auto", "spectral"):
            return super()._named_start(problem)
        assert problem.graph is not None
        if problem.k > problem.X.shape[0]:
            raise BadValueError(
                "{init}='spectral' needs n_samples >= {n_components}, got {} < {}", problem.X.shape[0], problem.k
            )
        F = graph_directions(problem).F
        labels = settled(F, corners(F))
        # Largest first, as other models order their parts.
        ranks = np.argsort(np.argsort(-np.bincount(labels, minlength=problem.k), kind="stable"))
        return from_clusters(problem.X, ranks[labels], problem.k, floor=0.0)

    @property
    def _starts_from_clusters(self) -> bool:
        return True

    def _begin(self, problem: Problem) -> State:
        s = super()._begin(problem)
        if not self._goes_on:
            return s
        # A is not kept: it is what the basis makes of the data.
        return s.replace("A", self._project(problem.X, tie=False) / beside_samples(self._scale, problem.X))

    def _store(self, problem: Problem, plan: Plan, result: Result) -> None:
        self._mu = sum(term.mu for term in plan.terms if isinstance(term, Affinity))
        self.embedding_, self._harmonics, self._common = map(on_host, graph_directions(problem))
        super()._store(problem, plan, result)

    def _store_graph(self, graph: Any, V: Array) -> None:
        super()._store_graph(graph, V)
        raw = (on_host(V) / on_host(self._scale)).astype(np.float64)
        F = on_host(self.embedding_)
        inside = raw[F.any(axis=1)]
        self._matched = F.T @ raw, inside.T @ inside

    def _clustered(self, V: Array) -> Array:
        return self._beside(V, on_host(self.embedding_) if self.tau_ > 0 else None)

    def _beside(self, V: Array, F: Array | None) -> Array:
        """The rows that clusters are read off: V, and by the graph where it places the samples."""
        # In the size that the graph gave it, whatever ``normalize`` made of it.
        raw = on_host(V) / on_host(self._scale)
        # As they were fitted: a parameter that is set afterwards is refused where somebody asks for new ones.
        # Files of former versions have no clusters of their own.
        if (self._clusters.rule if hasattr(self, "_clusters") else self.assign) != "graph":
            return raw
        return np.hstack([normalize(raw), np.zeros_like(raw) if F is None else F])

    def _project(self, X: Any, tie: bool, graph_X: Any = None) -> Array:
        return self._placed(X, tie, graph_X)[0]

    def _projected_rows(self, X: Any, tie: bool, graph_X: Any) -> tuple[Array, Array]:
        V, F = self._placed(X, tie, graph_X)
        return V, self._beside(V, F)

    def _placed(self, X: Any, tie: bool, graph_X: Any) -> tuple[Array, Array | None]:
        """V of new samples, and their rows of F (zeros where they have no neighbours), if they are tied."""
        V = super()._project(X, tie=False)
        if not tie or self.tau_ == 0:
            return V, None
        suggested, degrees = self._suggested(self._as_the_graph_knows(X, graph_X))
        F = normalize(np.where((degrees > 0)[:, None], suggested, 0.0))
        known = F.any(axis=1)
        if known.any():
            tied = np.where(known[:, None], on_host(self._tied_rows(X, F)), on_host(V))
            V = beside_samples(tied, X)
        return V, F

    def _suggested(self, X: Any) -> tuple[Array, Array]:
        """The directions that neighbours suggest for new samples, of any length, and the degrees of these samples."""
        if hasattr(self, "_stream"):
            return self._suggested_by_landmarks(X)
        pull, degrees = self.graph_.tie(X, self._harmonics)
        # Files of former versions have none.
        return pull + getattr(self, "_common", 0.0), degrees

    def _directions(self, problem: Problem) -> Angles:
        return graph_directions(problem)

    def _tied_rows(self, X: Any, F: Array) -> Array:
        """argmin ‖x − U v‖² + 2 μ Σ_j (fᵀf_j − vᵀv_j)² over v ≥ 0: what the training samples minimise, one by one."""
        scale = beside_samples(self._scale, X)
        U = basis_beside(self.components_, X) * scale
        M, A = self._matched
        l1, l2 = self._V_penalty(X.shape)
        B = as_data(X).times(U) + beside_samples(2 * self._mu * (F @ M), X) - l1 / 2
        G = U.T @ U + beside_samples(2 * self._mu * A, X)
        return scale * backend_of(B).nonnegative_least_squares(G, B, l2 / 2)


def _is_auto(name: str, value: Any) -> bool:
    if isinstance(value, str):
        if value != "auto":
            what = "a number" if name == "tau" else "a whole number"
            raise BadValueError("{}={!r} is not known: give {} or 'auto'", Parameter(name), value, what)
        return True
    return False


def graph_directions(problem: Problem) -> Angles:
    """F, and what gives the rows of new samples from their neighbours.

    The graph's angles; where its own clusters are a crowd, the memberships of a plain NMF's, averaged over the graph.
    Computed once for a problem, from a start of its own: two fits to the same see the same.
    """
    known: dict[str, Angles] = problem.__dict__
    if "_directions" not in known:
        assert problem.graph is not None
        known["_directions"] = _directions(problem.X, problem.k, problem.graph)
    return known["_directions"]


def _directions(X: Any, k: int, graph: Graph) -> Angles:
    # A graph in memory is the host's, however its samples come.
    beside = None if comes_in_blocks(X) else X
    if k > graph.n_samples:
        return angles(graph, k, beside)
    if not graph.degrees.any():
        few = X.rows(np.arange(X.shape[0])) if comes_in_blocks(X) else X
        members = indicator(sample_clusters(few, k, np.random.RandomState(0)), k)
        return Angles(members, members, np.zeros(k))
    if chosen_for_its_clusters(graph):
        return angles(graph, k, beside)
    few, some = (X, graph) if not comes_in_blocks(X) else samples_and_graph(X, graph)
    labels, own = graph_clusters(few, k, np.random.RandomState(0), some)
    # Of samples that do not fit into memory only some have a cluster here: the graph's own are theirs, too.
    if own or len(labels) < X.shape[0]:
        return angles(graph, k, beside)
    graph = some
    members = averaged(indicator(labels, k), graph, SOFTENED)
    # By the neighbours alone, as new samples: their own cluster is not known.
    return Angles(normalize(graph.adjacency(members)), members, np.zeros(k))


def chosen_for_its_clusters(graph: Graph) -> bool:
    """Whether there was a choice of graphs, which no graph survives whose clusters are crumbs."""
    return bool(getattr(graph, "candidates_", None))


def explained(data: Any, F: Array) -> float:
    """‖P Γ^½ X‖², P the projection onto the columns of Γ^½ F: what F can explain of the weighted data."""
    cross = on_host(data.times_transposed(namespace(F).astype(F, data.dtype, copy=False)))
    gram = np.linalg.pinv(on_host(data.gram(F)), hermitian=True)
    return max(0.0, float(np.einsum("ij,jk,ik->", cross, gram, cross)))
