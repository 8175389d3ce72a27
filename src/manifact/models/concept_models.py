"""Concept factorisation: the basis is made of the samples (Xu, Gong 2004; Cai, He, Han 2011; Liu, Yang, Wu 2011)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from manifact.backends import Array, Gram, as_data, as_gram, as_kernel, backend_of, contiguous, host_dtype, on_host
from manifact.models.base import Factorization
from manifact.models.cluster_starts import concepts_apart, indicator, sample_clusters
from manifact.models.declaration import model
from manifact.models.feature_relevance import RELEVANCE
from manifact.models.fitted_attributes import unit_basis
from manifact.models.inputs import checked_factor
from manifact.models.memory_needs import HELD_BY_DIVERGENCE, data_bytes, factor_bytes, kmeans_bytes
from manifact.models.problem import Problem
from manifact.models.projection import basis_beside, beside_samples
from manifact.models.starts import concept_start
from manifact.terms import ConceptState, State
from manifact.utils import checks
from manifact.utils.errors import Sentence
from manifact.utils.memory import require

#: k(x, x) is read off small blocks: a call for each sample costs far more than the other entries.
DIAGONAL_ROWS = 64


def _has_basis(estimator: Any) -> bool:
    if estimator.kernel != "linear":
        raise AttributeError(f"kernel={estimator.kernel!r} has its basis in the kernel's space: use kernel='linear'")
    return True


@model
class ConceptFactorization(Factorization):
    """X ~ V CᵀX through K = X Xᵀ or any kernel."""

    kernel: str = "linear"
    kernel_params: dict[str, Any] | None = None

    _state_type: ClassVar[type[State]] = ConceptState
    _non_negative: ClassVar[bool] = False
    #: Largest entries between which float32 will do: what is iterated on are their squares.
    _single_range: ClassVar[tuple[float, float]] = (1e-9, 1e9)
    #: These rules are slow, and there is a minimum to get to.
    _published_iterations: ClassVar[int] = 500
    _start_meant_by_auto: ClassVar[str] = (
        "is k-means clusters (those of a plain NMF where k-means puts too many samples into one), with concepts "
        "that are the means of typical samples"
    )

    def _check_model(self) -> None:
        super()._check_model()
        named = sorted(set(PAIRWISE_KERNEL_FUNCTIONS) - {"linear"})
        checks.option("kernel", self.kernel, ("linear", "precomputed", *named))
        if self.kernel_params and self.kernel in ("linear", "precomputed"):
            raise ValueError(f"kernel_params={self.kernel_params!r} goes with a named kernel, not {self.kernel!r}")
        if self.kernel_params is not None and not isinstance(self.kernel_params, dict):
            raise TypeError(f"kernel_params={self.kernel_params!r} must be a dict such as {{'gamma': 0.1}}")

    def _pose(self, X: Any, y: Any, sample_weight: Any) -> Problem:
        if self.kernel == "precomputed" and X.shape[0] != X.shape[1]:
            raise ValueError(f"kernel='precomputed' needs a square X of kernel values, got {X.shape[0]} x {X.shape[1]}")
        return super()._pose(X, y, sample_weight)

    def _fit_bytes(self, X: Any) -> float:
        """C and V have a row for each sample; the start is k-means, and the kernel, unless linear, a matrix."""
        n = X.shape[0]
        kernel = 0 if self.kernel == "linear" else 3 * n * n * host_dtype(X).itemsize
        return kernel + kmeans_bytes(X) + data_bytes(X) + HELD_BY_DIVERGENCE * factor_bytes(X, self._k, 2 * n)

    @property
    def _smaller(self) -> Sentence:
        formed = "" if self.kernel == "linear" else ", or use {kernel}='linear', which forms none larger than X"
        return Sentence("pass fewer samples" + formed)

    def _make_data(self, X: Any, weight: Array | None) -> Gram:
        if self.kernel == "linear":
            return as_gram(X, weight)
        host = on_host(X)
        if self.kernel == "precomputed":
            K = host.toarray() if sparse.issparse(host) else host
            if not np.allclose(K, K.T, rtol=1e-5, atol=1e-8 * float(np.abs(K).max(initial=0.0))):
                raise ValueError("kernel='precomputed' needs a symmetric X: pass (K + K.T) / 2")
        else:
            K = self._kernel_with(host, host)
        return as_kernel(backend_of(X).like(np.ascontiguousarray(K), X), weight)

    def _kernel_with(self, X: Any, Y: Any) -> Array:
        n_bytes = 2 * X.shape[0] * Y.shape[0] * X.dtype.itemsize
        require(
            n_bytes, "the kernel matrix", "pass fewer samples, or use kernel='linear', which forms none larger than X"
        )
        try:
            K = pairwise_kernels(X, Y, metric=self.kernel, **(self.kernel_params or {}))
        except TypeError as error:
            raise ValueError(
                f"kernel_params={self.kernel_params!r} does not fit kernel={self.kernel!r}: {error}"
            ) from error
        return np.ascontiguousarray(K.toarray() if sparse.issparse(K) else K, dtype=X.dtype)

    def _similarity_sums(self, X: Any) -> Array:
        data = self._make_data(X, None)
        return data.times(np.ones((data.shape[0], 1), dtype=data.dtype)).ravel()

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        if self.init == "auto":
            C, V = self._own_start(problem)
        else:
            C, V = concept_start(self.init, problem.X, problem.k, problem.rng, problem.graph)
        C, V, _ = unit_basis(ConceptState(problem.data, problem.factor(C), problem.factor(V)))
        return on_host(C), on_host(V)

    def _random_start(self, problem: Problem) -> tuple[Array, Array]:
        return concept_start("random", problem.X, problem.k, problem.rng, problem.graph)

    def _from_memberships(self, problem: Problem, members: Array) -> tuple[Array, Array]:
        return concepts_apart(problem.X, members)

    def _memberships(self, problem: Problem) -> Array | None:
        return indicator(sample_clusters(problem.X, problem.k, problem.rng), problem.k)

    def _given_start(self, problem: Problem) -> tuple[Array, Array]:
        n, k, dtype = problem.X.shape[0], problem.k, host_dtype(problem.X)
        V = checked_factor("(V0, concepts0): V0", self.init[0], (n, k), dtype)
        C = checked_factor("(V0, concepts0): concepts0", self.init[1], (k, n), dtype)
        return np.ascontiguousarray(C.T), V

    def _warm(self, problem: Problem) -> tuple[Array, Array]:
        n = problem.X.shape[0]
        if tuple(self.concepts_.shape) != (problem.k, n):
            raise ValueError(
                f"warm_start=True needs the shape of the last fit, {self.concepts_.shape[0]} concepts of "
                f"{self.concepts_.shape[1]} samples, got {problem.k} and {n}: set warm_start=False"
            )
        scale = on_host(self._scale)
        return np.ascontiguousarray(on_host(self.concepts_).T * scale), on_host(self.representation_) / scale

    def _store_basis(self, problem: Problem, state: State) -> None:
        self.concepts_ = contiguous(state.U.T)
        self._basis_gram = state.UtU
        for stale in ("components_", "_training_samples"):
            self.__dict__.pop(stale, None)
        if self.kernel == "linear":
            self.components_ = contiguous(as_data(problem.X).times_transposed(state.U).T)
        elif self.kernel != "precomputed":
            self._training_samples = problem.samples

    def _empty(self, X: Any) -> Array:
        # A named kernel may know where a sample of zeros is.
        return super()._empty(X) & (self.kernel in ("linear", "precomputed"))

    # ---- new samples -------------------------------------------------------------------------------------------

    def _against_basis(self, X: Any) -> Array:
        """<φ(x), u_k> for each sample and basis vector."""
        if self.kernel == "linear":
            return as_data(X).times(basis_beside(self.components_, X))
        host = on_host(X)
        K = host if self.kernel == "precomputed" else self._kernel_with(host, self._training_samples)
        return beside_samples(K @ on_host(self.concepts_).T.astype(host.dtype), X)

    def _own_products(self, X: Any) -> Array:
        """<φ(x), φ(x)> of each new sample."""
        if self.kernel == "linear":
            return as_data(X).row_squares
        if self.kernel == "precomputed":
            raise ValueError(
                f"{type(self).__name__} needs k(x, x) of new samples, which kernel='precomputed' does not give: "
                "use a named kernel"
            )
        host = on_host(X)
        blocks = [host[start : start + DIAGONAL_ROWS] for start in range(0, host.shape[0], DIAGONAL_ROWS)]
        return beside_samples(np.concatenate([np.diag(self._kernel_with(block, block)) for block in blocks]), X)

    def _project(self, X: Any, tie: bool, graph_X: Any = None, own: Array | None = None) -> Array:
        """``own`` are the products of the samples with themselves, where they are known."""
        # As for other models: V in the scale that it had while fitting.
        scale = beside_samples(self._scale, X)
        G = beside_samples(self._basis_gram, X) * scale * scale[:, None]
        l1, l2 = self._V_penalty(X.shape)
        pull, shift = self._pull(X, graph_X) if tie else (0.0, 0.0)
        B = self._pulled(X, self._against_basis(X) * scale, G, own) + pull - l1 / 2
        return scale * backend_of(B).nonnegative_least_squares(G, B, shift + l2 / 2)

    def _project_training(self, problem: Problem) -> Array:
        # A precomputed kernel holds k(x, x) of the training samples, and of no others.
        return self._project(problem.X, tie=False, own=problem.data.row_squares)

    def _pulled(self, X: Any, B: Array, G: Array, own: Array | None) -> Array:
        """What V is drawn to: <x, u> by the fit, and what a model adds."""
        return B

    def _pseudo_inverse(self, X: Any) -> Array:
        return self._against_basis(X) @ beside_samples(np.linalg.pinv(on_host(self._basis_gram)), X)

    @available_if(_has_basis)
    def inverse_transform(self, V: Any) -> Array:
        """V Uᵀ with U = XᵀC, dense."""
        return super().inverse_transform(V)

    @available_if(_has_basis)
    def top_features(
        self, n: int = 10, relevance: float = RELEVANCE, names: Sequence[str] | None = None
    ) -> list[list[Any]]:
        """As of other models; where data are signed, by weight, what a part has before what it lacks."""
        return super().top_features(n, relevance, names)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the loss per entry of X; not for precomputed kernels, which lack k(x, x) of new samples."""
        check_is_fitted(self)
        X = self._checked(X)
        V, B, G = self._project(X, tie=False), self._against_basis(X), beside_samples(self._basis_gram, X)
        backend, own = backend_of(V), self._own_products(X)
        loss = float(backend.column_sums(own[:, None])[0] - 2 * backend.inner(V, B) + backend.inner(V @ G, V))
        return -loss / (X.shape[0] * X.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
