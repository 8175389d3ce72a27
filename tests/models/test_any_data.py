"""Every model and solver on data that nobody cleaned: numbers, no negative ones, and no rise that is not allowed."""

import os
import warnings

import numpy as np
from hypothesis import HealthCheck, given, settings
from scipy import sparse
from tests.models.any_data import configurations

from manifact import SPNMF

#: `.ci/nightly` asks for 10,000.
CONFIGURATIONS = int(os.environ.get("MANIFACT_CONFIGURATIONS", "300"))
#: How far an objective may rise by rounding, relative to the first and to what it is made of.
ROUNDING = {"float64": 1e-9, "float32": 1e-5}


@given(configurations())
@settings(max_examples=CONFIGURATIONS, suppress_health_check=list(HealthCheck))
def test_factors_are_numbers_and_the_objective_keeps_its_promise(drawn):
    model = drawn.model
    with warnings.catch_warnings():
        # Of parts that collapse, and of tolerances that are not reached: told, and no fault.
        warnings.simplefilter("ignore")
        warnings.simplefilter("error", RuntimeWarning)
        try:
            V = model.fit_transform(drawn.X, sample_weight=drawn.weight)
        except ValueError as refused:
            if asks_for_more_than_there_is(str(refused)):
                return
            raise
        except FloatingPointError:
            # SPNMF's published rule has nothing that holds it, and says so in one sentence.
            if isinstance(model, SPNMF) and model.solver == "mu":
                return
            raise
        again = model.transform(drawn.X)
        labels = model.labels_
    basis = model.concepts_ if hasattr(model, "concepts_") else model.components_
    for name, P in {"V": V, "basis": basis, "transformed V": again}.items():
        assert np.isfinite(P).all(), name
        assert P.min(initial=0.0) >= 0, name
    assert labels.min() >= -1
    assert labels.max() < model.n_components
    objective = np.asarray(model.objective_)
    assert np.isfinite(objective).all(), objective
    if drawn.never_rises:
        allowed = ROUNDING[str(V.dtype)] * (np.abs(objective[0]) + sizes(model, drawn.X, V))
        assert np.diff(objective).max(initial=0.0) <= allowed, objective


def sizes(model, X, V):
    """What summands of the objective are made of: ‖X‖², Σ X, and λ times the degrees and ‖V‖² of a graph."""
    entries = np.asarray(X.data if sparse.issparse(X) else X, dtype=np.float64)
    held = getattr(model, "graph_reg", 0.0) * model.graph_.degrees.max(initial=0.0) if hasattr(model, "graph_") else 0.0
    return float(np.sum(entries**2) + np.sum(entries) + held * np.sum(V.astype(np.float64) ** 2))


def asks_for_more_than_there_is(sentence):
    """Whether a start or a graph needs what these data do not have, which is refused before any work."""
    return "float32 cannot hold" in sentence or (
        "need" in sentence and ("n_components" in sentence or "n_samples" in sentence)
    )
