"""The parameters that all models have, checked before any work is done."""

from __future__ import annotations

import warnings
from typing import Any

from manifact.backends.devices import check_device
from manifact.models.clustering import ASSIGNMENTS
from manifact.models.starts import STARTS
from manifact.solvers.all_solvers import SOLVERS
from manifact.utils import checks
from manifact.utils.errors import BadValueError, Sentence

#: What ``init`` may be called.
INITS = ("auto", *STARTS)


def check_parameters(model: Any) -> None:
    """One sentence for the first that is wrong."""
    model._check_size()
    check_device(model.device)
    model._check_model()
    _check_solver(model)
    _check_start(model)
    if model.max_iter is not None:
        checks.integer("max_iter", model.max_iter, at_least=0)
    if model.tol is not None:
        checks.real("tol", model.tol, at_least=0)
    checks.option("normalize", model.normalize, ("basis", None))
    _check_assign(model)
    checks.integer("n_init", model.n_init, at_least=1)
    checks.integer("init_iter", model.init_iter, at_least=1)
    checks.real("alpha_V", model.alpha_V, at_least=0)
    if model.alpha_U != "same":
        checks.real("alpha_U", model.alpha_U, at_least=0)
    checks.real("l1_ratio", model.l1_ratio, at_least=0, at_most=1)


def _check_assign(model: Any) -> None:
    assign = model.assign
    if assign is None:
        raise BadValueError("{assign}=None has gone: leave it out, clusters are made only when they are asked for")
    checks.option("assign", assign, ASSIGNMENTS)
    if assign == "graph" and not model._places_by_graph:
        raise BadValueError(
            "{assign}='graph' is how AffinityNMF makes clusters, got {}: use 'kmeans', 'argmax' or 'nearest'",
            type(model).__name__,
        )


def _check_solver(model: Any) -> None:
    known = ("auto", *model._solvers)
    if model.solver != model._solver_name and model.solver != "auto":
        warnings.warn(
            f"solver={model.solver!r} of {type(model).__name__} is now called {model._solver_name!r}: the old name "
            "goes with version 1.0",
            DeprecationWarning,
            stacklevel=5,
        )
        return
    if not isinstance(model.solver, str) or model.solver not in SOLVERS:
        checks.option("solver", model.solver, known)
    elif model.solver not in known:
        with_loss = Sentence(" with {loss}={!r}", model.loss) if hasattr(model, "loss") else ""
        names = ", ".join(map(repr, model._solvers))
        raise BadValueError(
            "{solver}={!r} cannot minimise {}{}: choose one of 'auto', {}",
            model.solver,
            type(model).__name__,
            with_loss,
            names,
        )


def _check_start(model: Any) -> None:
    init = model.init
    if not isinstance(init, str) and isinstance(init, tuple | list) and len(init) == 2:
        return
    value = init if isinstance(init, str) or init is None else type(init).__name__
    if value not in INITS:
        names = ", ".join(map(repr, INITS))
        raise BadValueError(
            "{init}={!r} is not known: choose one of {}, or give a pair of arrays (V0, components0)", value, names
        )
