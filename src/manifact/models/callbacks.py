"""Who hears of each iteration: plain callables, and scikit-learn's callbacks where its version has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from manifact.solvers.engine import Callback, Iteration

#: The attributes that a model would have, had it stopped at an iteration.
Fitted = Callable[[Iteration], dict[str, Any]]

if TYPE_CHECKING:

    class CallbackSupport:
        """scikit-learn's ``set_callbacks``."""

        def _init_callback_context(self, **facts: Any) -> Any: ...

    def with_callbacks(method: Any) -> Any:
        """Tear down the callbacks however the method ends."""

else:
    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
        from sklearn.callback import with_callbacks
    except ImportError:  # before scikit-learn 1.9

        class CallbackSupport:
            """Nothing to support."""

        def with_callbacks(method):
            """The method as it is."""
            return method


def as_callbacks(callbacks: Callback | Iterable[Callback] | None) -> list[Callback]:
    """One callable, several or none, as a list."""
    if callbacks is None:
        return []
    given = [callbacks] if callable(callbacks) else callbacks
    listed = list(given) if isinstance(given, Iterable) else [given]
    for callback in listed:
        if not callable(callback):
            raise TypeError(
                f"callbacks={callback!r} cannot be called: give a function of one argument, the iteration; "
                "scikit-learn's callbacks go to set_callbacks"
            )
    return listed


class FitTasks:
    """A callback that tells scikit-learn's callbacks of every iteration, as tasks of one fit."""

    def __init__(self, model: Any, X: Any, y: Any, max_iter: int, fitted: Fitted) -> None:
        self._facts = {"estimator": model, "X": X, "y": y}
        self._max_iter = max_iter
        self._fitted = fitted
        self._fit = model._init_callback_context(max_subtasks=max_iter).call_on_fit_task_begin(**self._facts)
        self._task: Any = None

    def __call__(self, iteration: Iteration) -> bool:
        """End the task of this iteration and begin that of the next; true where a callback asks to stop."""
        attributes = {"reconstruction_attributes": lambda: self._fitted(iteration)}
        stop = self._task is not None and self._task.call_on_fit_task_end(**self._facts, **attributes)
        self._task = None
        if not stop and iteration.number < self._max_iter:
            self._task = self._fit.subcontext("iteration").call_on_fit_task_begin(**self._facts, **attributes)
        return stop

    def close(self) -> None:
        """End the fit, and the task of an iteration that was begun and not needed any more."""
        if self._task is not None:
            self._task.call_on_fit_task_end(**self._facts)
        self._fit.call_on_fit_task_end(**self._facts)


def fit_tasks(model: Any, X: Any, y: Any, max_iter: int, fitted: Fitted) -> FitTasks | None:
    """What tells the callbacks that ``set_callbacks`` was given; None where nobody listens."""
    if not hasattr(model, "_skl_callbacks"):
        return None
    return FitTasks(model, X, y, max_iter, fitted)
