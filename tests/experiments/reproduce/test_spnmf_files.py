"""The data files of the SPNMF and A-LPNMF papers: they load, name methods that exist, and hold the printed numbers."""

import pytest

from manifact.experiments.methods import methods
from manifact.experiments.reproduce import experiment_files
from manifact.experiments.reproduce.parameter_grids import choices
from manifact.experiments.reproduce.tasks.clustering_scores import make

CLASSIFICATION = [f"spnmf-table{number}" for number in range(4, 10)]
NAMES = [
    "spnmf-table3",
    *CLASSIFICATION,
    "spnmf-table11",
    "spnmf-fig3",
    "alpnmf-table2",
    "alpnmf-table3",
    "alpnmf-fig1",
    "alpnmf-fig2",
]


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_methods_exist_and_take_their_parameters(name, quick):
    experiment = experiment_files.load(name, quick)
    assert experiment.methods
    for settings in experiment.methods.values():
        assert settings["method"] in ("raw", "k-means") or settings["method"] in methods()
        for choice in choices(settings):
            if settings["method"] in methods():
                plain = {key: value for key, value in choice.settings.items() if key not in ("graph", "far_graph")}
                make({**plain, "n_components": 5}, 5, 0)


@pytest.mark.parametrize("name", NAMES)
def test_claims_name_methods(name):
    experiment = experiment_files.load(name)
    assert experiment.get("claims")
    for claim in experiment["claims"]:
        than = claim.get("than", [])
        assert {claim["method"], *([than] if isinstance(than, str) else than)} <= set(experiment.methods)


@pytest.mark.parametrize("name", ["spnmf-table3", *CLASSIFICATION, "spnmf-table11"])
def test_every_printed_row_is_run(name):
    experiment = experiment_files.load(name)
    for table in experiment.printed.values():
        assert set(table) <= set(experiment.methods)


def test_quick_grids_are_smaller_and_common_settings_stay():
    whole, quick = experiment_files.load("spnmf-table4"), experiment_files.load("spnmf-table4", quick=True)
    assert len(choices(quick.methods["SPNMF"])) < len(choices(whole.methods["SPNMF"]))
    assert quick["common"]["data"] == "coil20"
    assert len(quick["common"]["dimensions"]) < len(whole["common"]["dimensions"])


def test_spnmf_and_gnmf_have_the_same_number_of_quick_settings():
    quick = experiment_files.load("spnmf-table3", quick=True)
    assert len(choices(quick.methods["SPNMF"])) == len(choices(quick.methods["GNMF"])) == 10


def value(name, score, row, column):
    return experiment_files.load(name).printed[score][row][column]


def test_spot_values():
    table = experiment_files.load("spnmf-table3").printed
    assert (len(table["AC"]), len(table["NMI"])) == (17, 17)
    assert value("spnmf-table3", "AC", "SPNMF", "PIE") == experiment_files.Value(70.5, 1.5)
    assert value("spnmf-table3", "NMI", "GNMF", "BA") == experiment_files.Value(60.2, 1.1)
    assert value("spnmf-table3", "NMI", "LE", "Coil20") == experiment_files.Value(80.3, 2.4)
    assert value("spnmf-table4", "precision", "KSDA", "3") == experiment_files.Value(82.0, 0.7, 17)
    assert value("spnmf-table5", "precision", "SPNMF", "20") == experiment_files.Value(96.7, 1.2, 193)
    assert value("spnmf-table6", "precision", "GNMF", "4") == experiment_files.Value(70.6, 1.5, 147)
    assert value("spnmf-table9", "precision", "RAW", "2") == experiment_files.Value(42.2, 2.3, 320)
    assert value("spnmf-table11", "seconds", "SPNMF", "PIE") == experiment_files.Value(1.2159)
