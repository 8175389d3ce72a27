"""New samples: their representation with the basis fixed, each on its own."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from manifact.backends import (
    PACKAGES,
    Array,
    as_data,
    backend_of,
    contiguous,
    host_dtype,
    namespace,
    native,
    on_host,
    origin_of,
    package_of,
)
from manifact.backends.devices import says_what_fits
from manifact.backends.rows_by_blocks import is_in_blocks, rows_by_blocks, sum_by_blocks
from manifact.terms import Loss, State
from manifact.utils import checks
from manifact.utils.memory import require


class Projection(TransformerMixin):
    """What a fitted factorisation does with samples that it was not fitted on.

    scikit-learn gives ``set_output`` to the ``transform`` of its own mixin's subclasses, and to no other.
    """

    components_: Array
    _scale: Array
    _checked: Any
    _V_penalty: Any

    @property
    def _k(self) -> int:
        raise NotImplementedError

    @property
    def _loss(self) -> Loss:
        raise NotImplementedError

    @property
    def _tied(self) -> bool:
        raise NotImplementedError

    @says_what_fits
    def transform(self, X: Any, tie: bool | None = None, method: str = "nonnegative", graph_X: Any = None) -> Any:
        """V for new samples with the basis fixed, each sample on its own: what `fit_transform` means by V.

        Parameters
        ----------
        X : array or sparse matrix, n_samples x n_features
        tie : bool or None, default=None
            Whether a new sample is also held near the representation of its neighbours among the training samples, as
            these were while fitting: never near other new samples, nor near itself if it is one of the training
            samples. None does so where the model has a graph that can find neighbours of new samples.
        method : {"nonnegative", "pinv"}, default="nonnegative"
            "pinv" gives the plain projection X U (UᵀU)⁻¹ instead, which may be negative and knows no neighbours (SPNMF
            paper, for classification).
        graph_X : array or sparse matrix, n_samples x any, optional
            The same new samples as the graph knows them, where it was built on another matrix than X, such as
            embeddings.
        """
        check_is_fitted(self)
        checks.option("method", method, ("nonnegative", "pinv"))
        if is_in_blocks(X):
            check_blocks(self, X, graph_X)
            kind = np.result_type(host_dtype(X), np.float32)
            return rows_by_blocks(partial(self._transformed, tie=tie, method=method), X, (self._k,), kind)
        return self._transformed(X, tie, method, graph_X)

    def _transformed(self, X: Any, tie: bool | None, method: str, graph_X: Any = None) -> Any:
        origin = origin_of(X)
        if method == "pinv":
            if tie or graph_X is not None:
                raise ValueError("tie=True goes with method='nonnegative': the pseudo-inverse knows no neighbours")
            return origin.back(self._pseudo_inverse(self._checked(X)))
        return origin.back(self._project(self._checked(X), self._ties(tie, graph_X), graph_X))

    def _ties(self, tie: bool | None, graph_X: Any) -> bool:
        """Whether new samples are held near their neighbours: as asked, or else where the graph can find them."""
        if tie is None:
            graph = getattr(self, "graph_", None)
            tie = self._tied and graph is not None and graph.can_tie
        if graph_X is not None and not tie:
            raise ValueError("graph_X is used only where samples are tied to their neighbours: leave it out")
        return bool(tie)

    def inverse_transform(self, V: Any) -> Array:
        """V Uᵀ, dense."""
        check_is_fitted(self)
        if is_in_blocks(V):
            return self._rebuilt_by_blocks(V)
        origin, V = origin_of(V), native(V)
        # Data frames and lists are NumPy's; arrays of other packages stay where they are.
        V = V if package_of(V) in PACKAGES else np.asarray(V)
        dtype, xp = self._rebuilt_type(V), namespace(V)
        require(V.shape[0] * self.components_.shape[1] * dtype.itemsize, "V Uᵀ", "pass fewer rows of V")
        V = xp.astype(V, getattr(xp, dtype.name), copy=False)
        return origin.back(V @ beside_samples(self.components_, V))

    def _rebuilt_by_blocks(self, V: Any) -> Any:
        """V Uᵀ of V in blocks of rows: computed, or a `dask.array`, a chunk of which is made when it is needed."""
        dtype, m = self._rebuilt_type(V), self.components_.shape[1]
        if origin_of(V).by_dask:
            return rows_by_blocks(self.inverse_transform, V, (m,), dtype)
        require(V.shape[0] * m * dtype.itemsize, "V Uᵀ", "pass fewer rows of V")
        return rows_by_blocks(self.inverse_transform, V, (m,), dtype)

    def _rebuilt_type(self, V: Any) -> np.dtype[Any]:
        """The type of V Uᵀ, for V of the right shape."""
        if V.ndim != 2 or V.shape[1] != self._k:
            raise ValueError(f"V has shape {tuple(V.shape)} but must be n x {self._k}")
        return np.result_type(host_dtype(V), host_dtype(self.components_))

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the loss per entry of X, for X projected onto the basis."""
        check_is_fitted(self)
        if is_in_blocks(X):
            return sum_by_blocks(self._fit_of, X) / X.shape[0]
        return self._fit_of(X) / np.shape(X)[0]

    def _fit_of(self, X: Any) -> float:
        """Minus the loss of samples, projected onto the basis, per feature."""
        X = self._checked(X)
        state = State(as_data(X), basis_beside(self.components_, X), self._project(X, tie=False))
        return -float(self._loss.value(state)) / X.shape[1]

    def _project(self, X: Any, tie: bool, graph_X: Any = None) -> Array:
        # Penalties and ties weigh V as it was while fitting, so that is what is solved for.
        scale = beside_samples(self._scale, X)
        U = basis_beside(self.components_, X) * scale
        pull, held = self._pull(X, graph_X) if tie else (None, 0.0)
        return scale * self._loss.project(as_data(X), U, pull, held, *self._V_penalty(X.shape))

    def _pseudo_inverse(self, X: Any) -> Array:
        inverse = np.linalg.pinv(np.asarray(on_host(self.components_)))
        return backend_of(X).data(X, None).times(beside_samples(inverse, X))

    def _pull(self, X: Any, graph_X: Any) -> tuple[Array, Array]:
        """λ W V and λ d of new samples, W their affinity to the training samples."""
        raise ValueError(f"tie=True needs a model with a graph, {type(self).__name__} has none: use GNMF or LPNMF")


def check_blocks(model: Any, X: Any, graph_X: Any) -> None:
    """New samples in blocks are as wide as those of the fit, which is said before any block is looked at."""
    if graph_X is not None:
        raise ValueError("graph_X does not go with X in blocks of rows: pass the same rows of both, a part at a time")
    shape = getattr(X, "shape", (0, model.n_features_in_))
    if len(shape) != 2 or shape[1] != model.n_features_in_:
        raise ValueError(
            f"X has shape {tuple(shape)}, but {type(model).__name__} is expecting {model.n_features_in_} features as "
            "input: pass samples of the features that it was fitted on"
        )


def beside_samples(P: Any, X: Any) -> Array:
    """What a model keeps, in the type of X and where X lives."""
    P = native(P)
    if package_of(P) in PACKAGES and origin_of(P) == origin_of(X):
        return contiguous(namespace(P).astype(P, X.dtype, copy=False))
    host = np.ascontiguousarray(on_host(P), dtype=host_dtype(X))
    return backend_of(X).like(host, X)


def basis_beside(components: Any, X: Any) -> Array:
    """U from the Uᵀ that a model keeps, in the type of X and where X lives."""
    return contiguous(beside_samples(components, X).T)
