"""The papers' tables as data files: they load, and hold what the papers print."""

from importlib import import_module

import pytest

from manifact.experiments.methods import methods
from manifact.experiments.reproduce import experiment_files
from manifact.experiments.reproduce.experiment_files import Value
from manifact.models.concept_models import ConceptFactorization
from manifact.models.graph_models import GraphFactorization

#: Score, row, column -> what the paper prints there.
PRINTED = {
    "gnmf-table3": {("AC", "8", "NCut"): "79.1±7.7", ("NMI", "20", "GNMF"): "87.5", ("AC", "Avg.", "GNMF"): "82.5"},
    "gnmf-table4": {("AC", "10", "NCut"): "82.5±8.6", ("NMI", "68", "NMF"): "85.8", ("NMI", "Avg.", "PCA"): "48.6"},
    "gnmf-table5": {("AC", "5", "SVD"): "82.7±16.0", ("NMI", "30", "GNMF"): "83.7", ("AC", "Avg.", "GNMF"): "92.0"},
    "lpnmf-table1": {("NMI", "2", "LPNMF"): "98.3", ("NMI", "10", "NMF"): "81.2", ("NMI", "Avg.", "NC"): "89.1"},
    "lpnmf-table2": {("NMI", "2", "kmeans"): "44.9", ("NMI", "Avg.", "LPNMF"): "55.7"},
    "lcf-table2": {("AC", "3", "LCF"): "76.36±17.29", ("NMI", "Avg.", "SparseNMF"): "39.45±11.14"},
    "lcf-table3": {("AC", "10", "LCF"): "70.60±6.62", ("NMI", "4", "LCF"): "77.26±13.09"},
}


@pytest.mark.parametrize("name", PRINTED)
def test_tables_hold_what_the_papers_print(name):
    printed = experiment_files.load(name).printed
    for (score, row, column), text in PRINTED[name].items():
        assert printed[score][row][column] == Value.parse(text)


#: The paper's own slips: these rows have the means 72.1 and 83.2.
SLIPS = {("gnmf-table4", "NCut", 73.6), ("gnmf-table4", "NCut", 83.6)}


@pytest.mark.parametrize("name", ["gnmf-table3", "gnmf-table4", "gnmf-table5", "lpnmf-table1", "lpnmf-table2"])
def test_printed_averages_are_those_of_the_rows(name):
    # What was typed wrong would show: the papers' last lines are the means of the others.
    for table in experiment_files.load(name).printed.values():
        for column, average in table["Avg."].items():
            if (name, column, average.mean) in SLIPS:
                continue
            rows = [table[row][column].mean for row in table if row != "Avg."]
            assert sum(rows) / len(rows) == pytest.approx(average.mean, abs=0.0501)


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", experiment_files.names())
def test_every_experiment_loads_and_its_methods_exist(name, quick):
    experiment = experiment_files.load(name, quick)
    assert experiment.title
    assert callable(import_module(f"manifact.experiments.reproduce.kinds.{experiment.kind}").reproduce)
    assert "quick" not in experiment.content
    for settings in experiment.methods.values():
        assert settings["method"] in methods() or settings["method"] == "raw"


def test_quick_is_less_of_the_same():
    full, quick = experiment_files.load("gnmf-table3"), experiment_files.load("gnmf-table3", quick=True)
    assert set(quick["classes"]) < set(full["classes"])
    assert quick["repeats"] < full["repeats"]
    assert quick.methods == full.methods


@pytest.mark.parametrize("table", [3, 4, 5])
def test_strong_baselines_and_our_default_are_in_every_gnmf_table(table):
    methods = experiment_files.load(f"gnmf-table{table}").methods
    assert methods["NCut"]["method"] == "NCut"
    assert methods["NCut, unit rows"]["method"] == "NCut-NJW"
    assert "solver" not in methods["GNMF, default"].get("parameters", {})
    assert methods["GNMF"]["parameters"]["solver"] == "mu"


@pytest.mark.parametrize("quick", [False, True])
@pytest.mark.parametrize("name", experiment_files.names())
def test_a_model_runs_as_it_comes_or_says_its_rule_and_start(name, quick):
    for called, settings in experiment_files.load(name, quick).methods.items():
        cls = methods()[settings["method"]].estimator if settings["method"] in methods() else None
        if not isinstance(cls, type) or not issubclass(cls, GraphFactorization | ConceptFactorization):
            continue
        given = settings.get("parameters", {})
        if called.endswith(", default"):
            # How bases are shown is the page's affair.
            assert set(given) <= {"normalize"}
        else:
            assert {"solver", "init"} <= set(given), called


@pytest.mark.parametrize(
    ("text", "value"),
    [("83.0±15.2", Value(83.0, 15.2)), ("63.7", Value(63.7)), ("71.4±2.2(1024)", Value(71.4, 2.2, 1024)), ("-", None)],
)
def test_printed_numbers(text, value):
    assert Value.parse(text) == value


@pytest.mark.parametrize("text", ["", "83,0", "83.0+-1", "x"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="is not a number"):
        Value.parse(text)


def test_a_row_with_a_number_missing_is_refused():
    with pytest.raises(ValueError, match="row '4' has 1 numbers for 2 columns"):
        experiment_files.parse_table("K NMF GNMF\n4 81.0")
