"""The factors that the iterations start from."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from manifact.backends import Array, comes_in_blocks, host_dtype, on_host
from manifact.models.block_starts import start_in_blocks
from manifact.models.cluster_starts import parts_apart, seen_somewhere
from manifact.models.inputs import checked_factor
from manifact.models.problem import Problem
from manifact.models.short_runs import after_least_squares
from manifact.models.starts import start
from manifact.solvers.all_solvers import SOLVERS
from manifact.terms import State


class FirstFactors:
    """Where a factorisation starts: drawn or derived by name, given by the user, or where the last fit stopped."""

    init: Any
    warm_start: bool
    #: For the docstring.
    _start_meant_by_auto: ClassVar[str] = 'is "random"'
    #: Whether random factors that nobody asked for by name begin after a short run by least squares.
    _has_short_run: ClassVar[bool] = False
    components_: Array
    representation_: Array
    _scale: Array
    _state_type: ClassVar[type[State]]
    _project: Any
    _loss: Any

    @property
    def _solver_name(self) -> str:
        raise NotImplementedError

    def _begin(self, problem: Problem) -> State:
        """The state to start from."""
        if comes_in_blocks(problem.X):
            U, V = start_in_blocks(self, problem)
        else:
            U, V = self._start(problem)
        return self._state_type(problem.data, problem.basis(U), problem.factor(V))

    @property
    def _goes_on(self) -> bool:
        return self.warm_start and hasattr(self, "n_iter_")

    def _start(self, problem: Problem) -> tuple[Array, Array]:
        """U and V to start from, on the host."""
        if self._goes_on:
            return self._warm(problem)
        if isinstance(self.init, str):
            return self._named_start(problem)
        return self._given_start(problem)

    def _named_start(self, problem: Problem) -> tuple[Array, Array]:
        if self.init == "auto":
            return self._own_start(problem)
        return start(self.init, problem.X, problem.k, problem.rng, problem.graph)

    def _own_start(self, problem: Problem) -> tuple[Array, Array]:
        """What "auto" means: clusters, where the model has any to start from and enough samples for them."""
        members = None if problem.k > problem.X.shape[0] else self._memberships(problem)
        return self._random_start(problem) if members is None else self._from_memberships(problem, members)

    @property
    def _starts_from_clusters(self) -> bool:
        """Whether "auto" means clusters, where there are enough samples for them."""
        return False

    def _memberships(self, problem: Problem) -> Array | None:
        """How much each sample is in each of k clusters, n x k."""
        return None

    def _random_start(self, problem: Problem) -> tuple[Array, Array]:
        return self._after_short_run(problem, *start("random", problem.X, problem.k, problem.rng, problem.graph))

    def _after_short_run(self, problem: Problem, U: Array, V: Array) -> tuple[Array, Array]:
        """Random factors where "auto" begins with them."""
        if not self._has_short_run:
            return U, V
        return after_least_squares(problem, U, V, self._loss.needs_positive_V, SOLVERS[self._solver_name].published)

    def _from_memberships(self, problem: Problem, members: Array) -> tuple[Array, Array]:
        U, V = parts_apart(problem.X, members, problem.rng)
        return (seen_somewhere(U) if self._loss.needs_positive_V else U), V

    def _given_start(self, problem: Problem) -> tuple[Array, Array]:
        (n, m), k, dtype = problem.X.shape, problem.k, host_dtype(problem.X)
        V = checked_factor("(V0, components0): V0", self.init[0], (n, k), dtype)
        U = checked_factor("(V0, components0): components0", self.init[1], (k, m), dtype)
        return np.ascontiguousarray(U.T), V

    def _warm(self, problem: Problem) -> tuple[Array, Array]:
        n, m = problem.X.shape
        if tuple(self.components_.shape) != (problem.k, m):
            raise ValueError(
                f"warm_start=True needs the shape of the last fit, {self.components_.shape[0]} components of "
                f"{self.components_.shape[1]} features, got {problem.k} and {m}: set warm_start=False"
            )
        # In the scale that the factors had while fitting: the next fit goes on where the last one stopped.
        V = self.representation_ if self.representation_.shape[0] == n else self._project(problem.X, tie=False)
        scale = on_host(self._scale)
        return np.ascontiguousarray(on_host(self.components_).T * scale), on_host(V) / scale
