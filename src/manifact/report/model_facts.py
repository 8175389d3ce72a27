"""What the model says about itself: the head of the page, its parameters, what prepared its data, versions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse

from manifact.backends import as_data
from manifact.graphs.description import neighbours
from manifact.report.page_encoding import number
from manifact.report.report_inputs import ReportInputs, readable
from manifact.terms import Frobenius
from manifact.terms.state import State
from manifact.utils import environment

#: Longest value that a table shows.
LONGEST = 120
#: Most points of the objective's curve.
POINTS = 2000


def facts(model: Any, given: ReportInputs) -> dict[str, Any]:
    """Name, fit and error of a model."""
    error, iterations = getattr(model, "reconstruction_err_", None), getattr(model, "n_iter_", None)
    converged = getattr(model, "converged_", None)
    return {
        "name": type(model).__name__,
        "about": _first_line(type(model).__doc__),
        "loss": _loss(model),
        "solver": getattr(model, "solver_", None),
        "iterations": None if iterations is None else int(iterations),
        "converged": None if converged is None else bool(converged),
        "error": number(error),
        "relative": _relative_error(model, given.X),
        "smoothness": number(getattr(model, "smoothness_", None)),
        "assign": getattr(model, "assign", None),
        "graph": None if (graph := neighbours(getattr(model, "graph_", None))) is None else str(graph),
    }


def curve(model: Any) -> dict[str, list[Any]]:
    """The objective and the iterations it belongs to, thinned where there are very many."""
    values = list(getattr(model, "objective_", []))
    if len(values) <= POINTS:
        kept = list(range(len(values)))
    else:
        kept = np.unique(np.rint(np.linspace(0, len(values) - 1, POINTS)).astype(int)).tolist()
    return {"iteration": kept, "value": [number(values[i]) for i in kept]}


def parameters(model: Any) -> list[list[str]]:
    """Names and values of the constructor's parameters."""
    return [[name, shown(value)] for name, value in sorted(model.get_params(deep=False).items())]


def preparation(model: Any) -> list[list[str]]:
    """How the data were prepared, without vocabularies and other long lists."""
    prepared = getattr(model, "preparation_", None)
    if prepared is None or not hasattr(prepared, "to_dict"):
        return []
    scaling = getattr(prepared, "scaling", None)
    told = [] if scaling is None else [["scaled", shown(scaling)]]
    return told + [[name, shown(value)] for name, value in _flat(prepared.to_dict())]


def versions() -> list[list[str]]:
    """Python and the packages that made the numbers."""
    return [[name, version] for name, version in environment.versions().items()]


def shown(value: Any) -> str:
    """A value as a short text that is the same on every run."""
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        return f"{type(value).__name__}, {' x '.join(map(str, value.shape))}"
    if isinstance(value, tuple | list) and any(hasattr(part, "shape") for part in value):
        return f"({', '.join(shown(part) for part in value)})"
    text = value if isinstance(value, str) else repr(value)
    text = re.sub(r" at 0x[0-9A-Fa-f]+", "", " ".join(text.split()))
    return readable(text if len(text) <= LONGEST else text[: LONGEST - 1] + "…")


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            if len(value) <= 24:
                yield from _flat(value, f"{prefix}{name}.")
        elif not isinstance(value, list | tuple) or len(value) <= 8:
            yield prefix + str(name), value


def _loss(model: Any) -> str:
    """The loss that the model minimises; some have a parameter for it, others a loss that is their own."""
    loss = getattr(model, "_loss", None)
    return "frobenius" if loss is None else loss.name


def _relative_error(model: Any, X: Any) -> float | None:
    """‖X − V Uᵀ‖ / ‖X‖, whatever the loss: by it the pages of different models can be compared.

    The model's own error is of another kind where its loss is (sqrt(2 KL) for the divergence): no share of ‖X‖.
    """
    components = getattr(model, "components_", None)
    if X is None or components is None:
        return None
    dtype = np.result_type(X.dtype, np.float32)
    V, U = (np.ascontiguousarray(factor, dtype=dtype) for factor in (model.representation_, components.T))
    data = as_data(X.astype(dtype, copy=False))
    if data.square_sum <= 0:
        return None
    return number(np.sqrt(max(0.0, Frobenius().value(State(data, U, V))) / data.square_sum))


def _first_line(doc: str | None) -> str:
    line = (doc or "").strip().split("\n")[0].strip()
    # Numbers of a paper's equations say nothing without the paper.
    return re.sub(r" \([^()]*\beq \d[^()]*\)", "", line)
