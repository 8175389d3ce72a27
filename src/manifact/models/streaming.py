"""`partial_fit`: models that learn from one block of samples after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MethodType
from typing import Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from manifact.backends import Array, as_data, backend_of, host_dtype, on_host, one_blas_thread, origin_of
from manifact.graphs.landmark_means import LandmarkMeans
from manifact.models.inputs import SINGLE_RANGE, checked_samples
from manifact.models.parameters import check_parameters
from manifact.models.problem import Plan, Problem
from manifact.solvers.engine import Result
from manifact.solvers.online import Around, Learnt, Stream, learn
from manifact.terms import LOSSES, State
from manifact.utils import checks
from manifact.utils.errors import BadValueError

T = TypeVar("T", bound=Any)
#: What ``solver_`` is called after a block.
ONLINE = "online"


class _OfStreams:
    """A method of models that can learn block by block; of others the reason why not, which ``hasattr`` hides."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self._method = method

    def __get__(self, model: Any, kind: Any = None) -> Any:
        if model is None:
            return self._method
        if (reason := model._needs_all_samples()) is not None:
            raise AttributeError(f"{type(model).__name__} has no partial_fit here: {reason}")
        return MethodType(self._method, model)


def _is_one_more(model: Any, X: Any) -> bool:
    """Whether a block is as those before it, by a look at its extremes: all checks take longer than some updates do."""
    if type(X) not in (np.ndarray, sparse.csr_array) or hasattr(model, "feature_names_in_"):
        return False
    values = X.data if sparse.issparse(X) else X
    if X.ndim != 2 or X.shape[1] != model.n_features_in_ or X.dtype.kind != "f" or not values.size:
        return False
    low, high = float(values.min()), float(values.max())
    least, most = SINGLE_RANGE
    # What is not a number is neither.
    return (low >= 0 or not model._non_negative) and least < max(-low, high) < most


class Streaming:
    """What a factorisation does with blocks of samples of which it keeps nothing but sums."""

    _stream: Stream

    @_OfStreams
    def partial_fit(self: T, X: Any, y: Any = None, sample_weight: Any = None, window: float | None = None) -> T:
        """Learn from a block of samples, on top of what was learnt from earlier ones.

        The first call starts as `fit` does, on its block; later ones go on, also after `fit`, `manifact.load`, or with
        blocks that were there before. Of a block only sums are kept (Mairal et al. 2010): the basis lowers the loss of
        all samples so far, each with the V that it had in its turn, and early ones fade. Samples of one block should be
        as mixed as those of the stream: shuffle files that are sorted. Blocks of 1000 to 10000 samples are quick.
        Streams are learnt on the host, wherever X is; a model whose ``device`` names a GPU refuses them.

        Afterwards ``components_`` is the basis and `transform` and `predict` place any samples. What belongs to samples
        (``representation_``, ``labels_``, ``reconstruction_err_``, of models with a graph ``graph_`` and
        ``smoothness_``) is of the last block. ``objective_`` has the loss per sample of each block, right after the
        basis learnt from it; ``n_iter_`` counts blocks, ``n_samples_seen_`` samples. Parts keep their order.

        Parameters
        ----------
        X : array or sparse matrix, n_samples x n_features, non-negative
        y : ignored
        sample_weight : array of n_samples, optional
            Weight of each sample's loss.
        window : float, optional
            Samples fade by exp(−age / window), age being the number of samples since: for streams that change. None
            weighs the sample at position t of s by (t/s)^3, for samples that are alike from beginning to end: the more
            there were, the less one more changes, and passes over the same data converge.
        """
        check_parameters(self)
        if self.device not in ("cpu", "auto"):
            raise BadValueError(
                "{device}={!r} does not go with partial_fit: streams are learnt on the host, use {device}='cpu'",
                self.device,
            )
        if window is not None:
            checks.real("window", window, above=0)
        if isinstance(sample_weight, str):
            raise ValueError(f"sample_weight={sample_weight!r} compares all samples with each other: give numbers")
        begun = hasattr(self, "n_iter_")
        origin = origin_of(X)
        if sparse.isspmatrix_csr(X):
            X = sparse.csr_array(X)
        if not begun or not _is_one_more(self, X):
            X = on_host(checked_samples(self, X, reset=not begun, non_negative=self._non_negative))
        if begun:
            X = backend_of(X).rows.typed(X, host_dtype(self.components_))
        problem, U, V = self._go_on(X, y, sample_weight) if begun else self._begin_stream(X, y, sample_weight)
        # A block's products are too small for more: threads of BLAS take longer to meet than to multiply.
        with one_blas_thread():
            stream = self._stream_so_far(problem, U)
            self._keep_block(problem, self._learn(problem, stream, U, V, window))
        self._begin_clusters(problem, problem.rng)
        self._hand_over(origin)
        return self

    # ---- what a model says about itself ------------------------------------------------------------------------

    def _needs_all_samples(self: Any) -> str | None:
        """Why this model cannot learn block by block, and what to use instead; None where it can."""
        loss = LOSSES.get(getattr(self, "loss", "frobenius"))
        if loss is not None and loss.statistics is None:
            return f"the loss {loss.name!r} keeps no sums of samples that are gone, use 'frobenius'"
        return None

    def _landmarks(self, problem: Problem) -> LandmarkMeans | None:
        """The landmarks of a stream that begins."""
        return None

    def _strength(self) -> float:
        """λ."""
        return 0.0

    # ---- a block -----------------------------------------------------------------------------------------------

    def _begin_stream(self: Any, X: Any, y: Any, weight: Any) -> tuple[Problem, Array, Array]:
        """The first block, and the factors that `fit` would start from on it."""
        problem = self._pose(X, y, weight)
        U, V = (np.ascontiguousarray(P, dtype=X.dtype) for P in self._start(problem))
        return problem, U, V

    def _go_on(self: Any, X: Any, y: Any, weight: Any) -> tuple[Problem, Array, None]:
        """A later block, and the basis as it is."""
        weight, rng = self._weight(weight, X), check_random_state(self.random_state)
        U, scale = np.ascontiguousarray(on_host(self.components_).T, dtype=X.dtype), on_host(self._scale)
        if (scale != 1).any():
            U = U * scale.astype(X.dtype)
        return Problem(X, y, weight, as_data(X, weight), None, rng, self._k), U, None

    def _stream_so_far(self: Any, problem: Problem, U: Array) -> Any:
        """What is known before a block."""
        if hasattr(self, "_stream"):
            return self._stream
        kind, (m, k) = self._loss.statistics, U.shape
        if not hasattr(self, "n_iter_"):
            return Stream.empty(kind, m, k, U.dtype, self._landmarks(problem))
        V = np.ascontiguousarray(on_host(self.representation_) / on_host(self._scale), dtype=U.dtype)
        return Stream.of_fit(kind, U, V, self._landmarks_of_fit(V))

    def _landmarks_of_fit(self, V: Array) -> LandmarkMeans | None:
        """The landmarks of a fit whose samples are gone."""
        return None

    def _around(self: Any, m: int) -> Around:
        """Penalties and the graph's weight."""

        def on_U(samples: float) -> tuple[float, float]:
            held = [(one.l1, one.l2) for one in self._penalties((samples, m)) if one.block == "U"]
            return held[0] if held else (0.0, 0.0)

        return Around(self._strength(), self._V_penalty((1, m)), on_U)

    def _learn(self: Any, problem: Problem, stream: Any, U: Array, V: Array | None, window: float | None) -> Learnt:
        """The stream with the block, U, and V of the block."""
        Z = None if stream.ties is None else stream.ties.mixtures(problem.X)
        return learn(stream, problem.X, problem.weight, U, Z, self._around(problem.X.shape[1]), window)

    def _keep_block(self: Any, problem: Problem, learnt: Learnt) -> None:
        """What users read, of the basis and of the last block."""
        stream, U, V, loss = learnt
        blocks = self.n_iter_ if hasattr(self, "_stream") else 0
        trace = self.objective_ if blocks else np.empty(0)
        lengths = np.ones(problem.k, dtype=U.dtype)
        if self.normalize == "basis":
            norms = np.linalg.norm(U, axis=0)
            lengths = np.where(norms > 0, norms, 1).astype(U.dtype)
            U, V = U / lengths, V * lengths
        self._stream = stream
        self._scale, self._n_features_out = lengths, problem.k
        self.n_samples_seen_ = stream.seen
        self.n_iter_, self.converged_, self.solver_, self.device_ = blocks + 1, False, ONLINE, "cpu"
        # As it lies in memory: turning it round for every block, and back for the next one, takes as long as steps do.
        self.components_ = U.T
        self.representation_ = V
        if stream.ties is not None:
            problem = replace(problem, graph=stream.ties.graph(problem.X))
        self._store_graph(problem.graph, V)
        value = self._loss_of_block(problem, U, V, loss)
        self.reconstruction_err_ = self._loss.error(value)
        self.objective_ = np.append(trace, value / len(V))

    def _loss_of_block(self: Any, problem: Problem, U: Array, V: Array, known: float | None) -> float:
        """Without weights, as it is ``known`` or taken anew."""
        if problem.weight is None and known is not None:
            return known
        unweighted = problem.data if problem.weight is None else as_data(problem.X)
        return float(self._loss.value(State(unweighted, U, V)))

    def _store(self: Any, problem: Problem, plan: Plan, result: Result) -> None:
        """A fit begins anew: streams go on from its result."""
        for name in ("_stream", "n_samples_seen_"):
            self.__dict__.pop(name, None)
        super()._store(problem, plan, result)  # type: ignore[misc]
