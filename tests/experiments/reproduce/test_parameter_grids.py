"""Grids of settings."""

from manifact.experiments.reproduce.parameter_grids import choices

AXES = [
    {"name": "k1 = k2", "sets": ["graph.n_neighbors", "far_graph.n_neighbors"], "values": [3, 5]},
    {"name": "α", "sets": ["parameters.graph_reg"], "values": [0.1, 1.0, 10.0]},
]


def test_every_point_once_and_tied_settings_together():
    settings = {
        "method": "SPNMF",
        "graph": {"weight": "heat"},
        "parameters": {"solver": "mu"},
        "grid": AXES,
        "what": "",
    }
    found = choices(settings)
    assert len({choice.name for choice in found}) == 6
    assert found[-1].name == "k1 = k2 = 5, α = 10"
    assert found[-1].settings == {
        "method": "SPNMF",
        "graph": {"weight": "heat", "n_neighbors": 5},
        "far_graph": {"n_neighbors": 5},
        "parameters": {"solver": "mu", "graph_reg": 10.0},
    }
    # Points do not share what they set.
    assert settings["graph"] == {"weight": "heat"}
    assert found[0].settings["parameters"]["graph_reg"] == 0.1


def test_without_a_grid_there_is_one_choice():
    (only,) = choices({"method": "PCA", "what": "words"})
    assert only.name == ""
    assert only.settings == {"method": "PCA"}
