"""The trace of a run is the model's own."""

from numpy.testing import assert_allclose

from manifact import GNMF
from manifact.experiments.reproduce.experiment_samples import samples
from manifact.experiments.reproduce.tasks.objective_trace import run
from manifact.graphs import KNNGraph

SETTINGS = {
    "data": "digits",
    "method": "GNMF",
    "graph": {"n_neighbors": 3},
    "parameters": {"solver": "mu", "graph_reg": 10.0, "max_iter": 7, "tol": 0.0},
    "classes": 2,
    "seed": 4,
}


def test_trace_is_the_models_objective():
    S = samples(SETTINGS)
    model = GNMF(2, graph=KNNGraph(3), solver="mu", graph_reg=10.0, max_iter=7, tol=0.0, random_state=4).fit(S.X)
    found = run(SETTINGS)
    assert_allclose(found["objective"], model.objective_, rtol=1e-9)
    assert len(found["objective"]) == 8
    assert found["samples"] == len(S.y)
