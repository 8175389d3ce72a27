"""Concept factorisation: the basis is made of the samples (Xu, Gong 2004; Cai, He, Han 2011; Liu, Yang, Wu 2011)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from manifact.backends import Array, Gram, as_gram, as_kernel
from manifact.backends.numpy import nonnegative_least_squares
from manifact.models.base import Factorization, Problem, check_factor, unit_basis
from manifact.models.declaration import model
from manifact.models.starts import concept_start
from manifact.solvers.engine import Step
from manifact.solvers.multiplicative import signed_multiplicative
from manifact.terms import Term
from manifact.terms.state import ConceptState, State
from manifact.utils import checks
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

    def _check_model(self) -> None:
        super()._check_model()
        named = sorted(set(PAIRWISE_KERNEL_FUNCTIONS) - {"linear"})
        checks.option("kernel", self.kernel, ("linear", "precomputed", *named))
        if self.kernel_params and self.kernel in ("linear", "precomputed"):
            raise ValueError(f"kernel_params={self.kernel_params!r} goes with a named kernel, not {self.kernel!r}")
        if self.kernel_params is not None and not isinstance(self.kernel_params, dict):
            raise TypeError(f"kernel_params={self.kernel_params!r} must be a dict such as {{'gamma': 0.1}}")

    def _check_data(self, X: Any, reset: bool) -> Any:
        X = super()._check_data(X, reset)
        if self.kernel == "precomputed" and reset and X.shape[0] != X.shape[1]:
            raise ValueError(f"kernel='precomputed' needs a square X of kernel values, got {X.shape[0]} x {X.shape[1]}")
        return X

    def _make_data(self, X: Any, weight: Array | None) -> Gram:
        if self.kernel == "linear":
            return as_gram(X, weight)
        if self.kernel == "precomputed":
            K = X.toarray() if sparse.issparse(X) else X
            if not np.allclose(K, K.T, rtol=1e-5, atol=1e-8 * float(np.abs(K).max(initial=0.0))):
                raise ValueError("kernel='precomputed' needs a symmetric X: pass (K + K.T) / 2")
            return as_kernel(np.ascontiguousarray(K), weight)
        require(
            2 * X.shape[0] ** 2 * X.dtype.itemsize, "the kernel matrix", "use kernel='linear', which never forms it"
        )
        return as_kernel(self._kernel_with(X, X), weight)

    def _kernel_with(self, X: Any, Y: Any) -> Array:
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

    def _make_step(self, solver: str, terms: list[Term], problem: Problem) -> Step:
        if problem.data.signed:
            return signed_multiplicative(terms)
        return super()._make_step(solver, terms, problem)

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        C, V = concept_start(self.init, problem.X, self._k, problem.rng, problem.graph)
        return unit_basis(ConceptState(problem.data, C, V))[:2]

    def _given_start(self, problem: Problem) -> tuple[Array, Array]:
        n, k = problem.X.shape[0], self._k
        V = check_factor("(V0, concepts0): V0", self.init[0], (n, k), problem.X.dtype)
        C = check_factor("(V0, concepts0): concepts0", self.init[1], (k, n), problem.X.dtype)
        return np.ascontiguousarray(C.T), V

    def _warm(self, X: Any) -> tuple[Array, Array]:
        if self.concepts_.shape != (self._k, X.shape[0]):
            raise ValueError(
                f"warm_start=True needs the shape of the last fit, {self.concepts_.shape[0]} concepts of "
                f"{self.concepts_.shape[1]} samples, got {self._k} and {X.shape[0]}: set warm_start=False"
            )
        C = np.ascontiguousarray(self.concepts_.T * self._scale, dtype=X.dtype)
        return C, (self.representation_ / self._scale).astype(X.dtype)

    def _store_basis(self, problem: Problem, state: State) -> None:
        self.concepts_ = np.ascontiguousarray(state.U.T)
        self._basis_gram = state.UtU
        for stale in ("components_", "_training_samples"):
            if hasattr(self, stale):
                delattr(self, stale)
        if self.kernel == "linear":
            self.components_ = np.ascontiguousarray(np.asarray(problem.X.T @ state.U).T)
        elif self.kernel != "precomputed":
            self._training_samples = problem.X

    # ---- new samples -------------------------------------------------------------------------------------------

    def _against_basis(self, X: Any) -> Array:
        """<φ(x), u_k> for each sample and basis vector."""
        if self.kernel == "linear":
            return np.asarray(X @ self.components_.T.astype(X.dtype))
        C = self.concepts_.T.astype(X.dtype)
        return np.asarray((X if self.kernel == "precomputed" else self._kernel_with(X, self._training_samples)) @ C)

    def _own_products(self, X: Any) -> Array:
        """<φ(x), φ(x)> of each sample."""
        if hasattr(self, "_known_products"):
            return self._known_products
        if self.kernel == "linear":
            squares = X.multiply(X) if sparse.issparse(X) else X * X
            return np.asarray(squares.sum(axis=1)).ravel()
        if self.kernel == "precomputed":
            raise ValueError(
                f"{type(self).__name__} needs k(x, x) of new samples, which kernel='precomputed' does not give: "
                "use a named kernel"
            )
        blocks = [X[start : start + DIAGONAL_ROWS] for start in range(0, X.shape[0], DIAGONAL_ROWS)]
        return np.concatenate([np.diag(self._kernel_with(block, block)) for block in blocks])

    def _project(self, X: Any, tie: bool, graph_X: Any = None) -> Array:
        # As for other models: V in the scale that it had while fitting.
        scale = self._scale.astype(X.dtype)
        G = self._basis_gram.astype(X.dtype) * np.outer(scale, scale)
        l1, l2 = self._V_penalty(X.shape)
        pull, shift = self._pull(X, graph_X) if tie else (0.0, 0.0)
        B = self._pulled(X, self._against_basis(X) * scale, G) + pull - X.dtype.type(l1 / 2)
        return scale * nonnegative_least_squares(G, B, shift + l2 / 2)

    def _project_training(self, problem: Problem) -> Array:
        # A precomputed kernel holds k(x, x) of the training samples, and of no others.
        self._known_products = problem.data.diagonal
        try:
            return super()._project_training(problem)
        finally:
            del self._known_products

    def _pulled(self, X: Any, B: Array, G: Array) -> Array:
        """What V is drawn to: <x, u> by the fit, and what a model adds."""
        return B

    def _pseudo_inverse(self, X: Any) -> Array:
        return self._against_basis(X) @ np.linalg.pinv(self._basis_gram).astype(X.dtype)

    @available_if(_has_basis)
    def inverse_transform(self, V: Any) -> Array:
        """V Uᵀ with U = XᵀC, dense."""
        return super().inverse_transform(V)

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the loss per entry of X; not for precomputed kernels, which lack k(x, x) of new samples."""
        check_is_fitted(self)
        X = self._check_data(X, reset=False)
        V, B, G = self._project(X, tie=False), self._against_basis(X), self._basis_gram
        loss = self._own_products(X).sum() - 2 * np.sum(V * B) + np.sum((V @ G) * V)
        return -float(loss) / (X.shape[0] * X.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags
