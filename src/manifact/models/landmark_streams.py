"""`partial_fit` of models with a graph: landmarks are given, or found in the first block, and stay."""

from __future__ import annotations

from typing import Any

import numpy as np

from manifact.backends import Array, on_host
from manifact.graphs import LandmarkGraph
from manifact.graphs.landmark import LandmarkOperator
from manifact.graphs.landmark_means import LandmarkMeans
from manifact.models.problem import Problem
from manifact.models.projection import beside_samples
from manifact.models.streaming import Streaming
from manifact.solvers.online import Learnt
from manifact.solvers.online_affinity import AffinityStream, learn_affinity
from manifact.terms.affinity_statistics import AffinityStatistics


class LandmarkStreaming(Streaming):
    """A stream whose samples are neighbours through landmarks.

    λ Tr(VᵀLV) = λ Σ_jl z_jl ‖v_j − r_l‖², r_l the means of V at the landmarks: a block is held near those of all
    samples so far, itself included, and ‖u_k‖ = 1 throughout, so that scale does not move from V into U. Beside the
    divergence a row rests where the published rule does:
    (Σ_i u_ik + λ) v_jk = v_jk Σ_i u_ik x_ji / y_ji + λ Σ_l z_jl r_lk.
    """

    graph: Any
    graph_reg: float
    default_graph: Any
    _as_the_graph_knows: Any

    def _needs_all_samples(self) -> str | None:
        return super()._needs_all_samples() or _without_landmarks(self)

    def _landmarks(self, problem: Problem) -> LandmarkMeans:
        graph = problem.graph
        assert isinstance(graph, LandmarkOperator)
        landmarks = graph.landmarks
        if isinstance(self.graph, LandmarkGraph) and not isinstance(self.graph.landmarks, str):
            # All that were given, also those that no sample of the first block is near to.
            landmarks = on_host(self.graph._given(problem.X))
        return LandmarkMeans.unknown(landmarks, graph._n_neighbors, graph._sigma, problem.k)

    def _landmarks_of_fit(self, V: Array) -> LandmarkMeans:
        return LandmarkMeans.of_graph(_fitted_landmarks(self), V)

    def _strength(self) -> float:
        return self.graph_reg

    def _pull(self, X: Any, graph_X: Any) -> tuple[Array, Array]:
        if not hasattr(self, "_stream"):
            pull: tuple[Array, Array] = super()._pull(X, graph_X)  # type: ignore[misc]
            return pull
        ties = self._stream.ties
        assert ties is not None
        means, known = ties.tie(ties.mixtures(self._as_the_graph_knows(X, graph_X)))
        return self.graph_reg * beside_samples(means, X), self.graph_reg * beside_samples(known, X)


class AffinityStreaming(Streaming):
    """AffinityNMF's stream: landmarks, and the graph's directions at them, come from the first block and stay."""

    n_components: Any
    tau: Any
    tau_: float

    def _needs_all_samples(self) -> str | None:
        for name in ("n_components", "tau"):
            if isinstance(getattr(self, name), str):
                return f"{name}={getattr(self, name)!r} is chosen on all samples, give a number"
        return _without_landmarks(self)

    def _stream_so_far(self: Any, problem: Problem, U: Array) -> AffinityStream:
        if hasattr(self, "_stream"):
            found: AffinityStream = self._stream
            return found
        if not hasattr(self, "n_iter_"):
            directions = self._directions(problem)
            ties = _at_landmarks(problem.graph, directions.H)
            return AffinityStream(AffinityStatistics.empty(len(U), problem.k, U.dtype), ties, directions.c)
        V = np.ascontiguousarray(on_host(self.representation_) / on_host(self._scale), dtype=U.dtype)
        F, ties = on_host(self.embedding_), _at_landmarks(_fitted_landmarks(self), self._harmonics)
        explained = self._mu * float(np.sum((F.T @ F) ** 2)) / (self.tau_ or 1.0)
        statistics = AffinityStatistics.of_fit(U, V, F, explained)
        return AffinityStream(statistics, ties, np.asarray(self._common), len(V), float(len(V)))

    def _learn(self: Any, problem: Problem, stream: Any, U: Array, V: Array | None, window: float | None) -> Learnt:
        if problem.weight is not None:
            raise ValueError("sample_weight has no place beside pairs of samples: leave it out, or use fit")
        F, around = stream.directions(stream.ties.mixtures(problem.X)), self._around(problem.X.shape[1])
        return learn_affinity(stream, problem.data, U, V, F, self.tau_, around, window)

    def _keep_block(self: Any, problem: Problem, learnt: Learnt) -> None:
        stream: Any = learnt.stream
        self.embedding_ = stream.directions(stream.ties.mixtures(problem.X))
        super()._keep_block(problem, learnt)
        # New samples stand beside all that were seen, not beside the last block.
        statistics = stream.statistics
        self._mu, self._matched = statistics.strength(self.tau_), (statistics.FV, statistics.VV)

    def _suggested_by_landmarks(self: Any, X: Any) -> tuple[Array, Array]:
        """The directions that landmarks suggest for new samples, and which of these know any."""
        ties = self._stream.ties
        pull, known = ties.tie(ties.mixtures(X))
        return pull + self._stream.common, known


def _without_landmarks(model: Any) -> str | None:
    """Why there is no stream without landmarks."""
    graph = model.default_graph() if model.graph is None else model.graph
    if isinstance(graph, LandmarkGraph):
        return None
    return "neighbours are looked for among all samples, use graph=LandmarkGraph(...)"


def _fitted_landmarks(model: Any) -> LandmarkOperator:
    if not isinstance(model.graph_, LandmarkOperator):
        raise ValueError("the model was fitted on a graph without landmarks: fit it again with graph=LandmarkGraph()")
    return model.graph_


def _at_landmarks(graph: Any, H: Array) -> LandmarkMeans:
    """What gives new samples their directions, by landmark: these count alike and never fade."""
    held = np.asarray(graph.Z.T @ H) / graph.masses[:, None]
    return LandmarkMeans(graph.landmarks, graph._n_neighbors, graph._sigma, held, np.ones(len(held)))
