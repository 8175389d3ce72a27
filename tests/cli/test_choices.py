import pytest
from typer.testing import CliRunner

from manifact.cli import app, choices, model_defaults
from manifact.models import registry


def page(**how):
    # How wide a page is was settled by whoever asked for the first one in this process.
    text = CliRunner().invoke(app, ["fit", "--help"], env={"COLUMNS": "400"}, **how).stdout
    return " ".join(text.replace("│", " ").split())


@pytest.fixture
def newcomer(monkeypatch):
    """A model that nobody but the registry knows."""
    entry = registry.on_command_line()["gnmf"]
    known = dict(registry.entries())
    cls = type("ZetaNMF", (entry.cls,), {"__doc__": "Zeta."})
    new = registry.Entry(cls, "zeta", "nobody", {"init": "kmeans"}, formerly=("OmegaNMF",))
    monkeypatch.setattr(registry, "_entries", known | {"ZetaNMF": new})
    return new


def test_the_models_are_those_of_the_registry():
    assert choices.names("model") == sorted(entry.name for entry in registry.entries().values() if entry.name)
    assert "One of affinity, alpnmf, cf, gnmf, lccf, lcf, lpnmf, nmf, spnmf." in page()


def test_a_new_model_is_offered_explained_and_known_by_its_former_name(newcomer):
    assert "zeta" in choices.completion("model")("z")
    assert choices.former_models()["omega"] == "zeta"
    shown = page()
    assert "nmf, spnmf, zeta." in shown
    graph_models = "For alpnmf, gnmf, lccf, lpnmf, spnmf, zeta"
    assert f"λ, the weight of the graph. {graph_models}. Default: 20 (gnmf, zeta: 2;" in shown
    assert "Default: auto (affinity: spectral; zeta: kmeans)." in shown


def test_the_page_is_the_same_when_asked_for_twice():
    assert page() == page()


def test_names_are_those_that_the_models_check():
    assert choices.names("loss") == ["frobenius", "kullback-leibler"]
    assert choices.names("solver") == ["auto", "affinity", "bcd", "mu", "newton", "simplex"]
    assert {"auto", "random", "kmeans", "spectral"} < set(choices.names("init"))
    assert {"kmeans", "argmax", "nearest", "graph"} == set(choices.names("assign"))
    assert {"binary", "heat", "cosine"} < set(choices.names("weight"))
    assert choices.names("graph_reg") == []


def test_iterations_and_tolerance_are_told_as_the_models_have_them():
    usual, affinity = (choices.models()[name].cls for name in ("gnmf", "affinity"))
    few = {entry.cls._few_iterations for entry in choices.models().values() if hasattr(entry.cls, "_few_iterations")}
    assert max(few) < 20
    published = {name: entry.cls._published_iterations for name, entry in choices.models().items()}
    assert {name: iterations for name, iterations in published.items() if iterations != 100} == {"cf": 500, "lcf": 500}
    told = f"else 100 for mu (cf, lcf: 500), {affinity._iterations} for affinity, {usual._iterations} for the others."
    assert told in page()
    assert {entry.cls._tolerance for entry in choices.models().values()} == {1e-4}
    assert "Default: 1e-4; mu with a graph runs all its iterations." in page()
    others = [entry.cls for name, entry in choices.models().items() if name != "affinity"]
    assert {cls._iterations for cls in others} == {usual._iterations}


def test_what_the_command_line_fills_in():
    models = choices.models()
    assert model_defaults.filled_in(models["affinity"]) == {"graph": "auto", "n_components": "auto"}
    assert {name for name, entry in models.items() if model_defaults.filled_in(entry) == {"graph": "auto"}} == {
        "gnmf",
        "lccf",
        "lpnmf",
        "spnmf",
    }
    assert all(model_defaults.filled_in(models[name]) == {} for name in ("alpnmf", "cf", "lcf", "nmf"))


def test_graphs_are_those_that_the_models_build():
    models = choices.models()
    assert model_defaults.graph_builder(models["spnmf"]).weight == "heat"
    assert type(model_defaults.graph_builder(models["alpnmf"])).__name__ == "LandmarkGraph"
    assert model_defaults.graph_builder(models["nmf"]) is None
