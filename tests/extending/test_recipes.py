"""CONTRIBUTING names what is there."""

import re
from importlib import import_module
from pathlib import Path

import pytest

import manifact

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "manifact"
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
RECIPES = dict(re.findall(r"^### (?:An?) (.+?)\n\n(.*?)(?=^##)", TEXT, re.DOTALL | re.MULTILINE))
#: Places that a path in the text may begin at.
STARTS = (ROOT, PACKAGE, Path(__file__).parent, *(PACKAGE / room for room in ("solvers", "models", "io", "terms")))


def code():
    return re.findall(r"`([^`\n]+)`", TEXT.replace("```", ""))


def test_everything_that_can_be_added_has_a_recipe():
    added = {"term", "loss", "graph", "solver", "model", "operation of a backend", "data set", "experiment"}
    assert set(RECIPES) == added


@pytest.mark.parametrize("toy", sorted(path.name for path in Path(__file__).parent.glob("toy_*.py")))
def test_every_toy_is_in_a_recipe_with_its_test(toy):
    (text,) = [recipe for recipe in RECIPES.values() if f"`{toy}`" in recipe]
    assert f"`test_{toy}`" in text


@pytest.mark.parametrize("path", sorted({name for name in code() if re.fullmatch(r"[\w./*-]+(\.py|\.md|/)", name)}))
def test_every_path_leads_somewhere(path):
    assert any(list(start.glob(path.rstrip("/"))) for start in (*STARTS, PACKAGE / "datasets", PACKAGE / "backends"))


@pytest.mark.parametrize("name", sorted({name for name in code() if re.fullmatch(r"manifact(\.\w+)+(\(\))?", name)}))
def test_every_dotted_name_is_there(name):
    if name == "manifact.models":
        return
    module, _, attribute = name.removesuffix("()").rpartition(".")
    assert hasattr(import_module(module), attribute)


@pytest.mark.parametrize("name", ["RowQuadratic", "LogBound", "Term", "Loss"])
def test_terms_are_where_the_text_says(name):
    assert name in TEXT
    assert hasattr(import_module("manifact.terms"), name)


def test_the_rooms_are_those_of_the_package_in_the_order_of_its_layers():
    table = TEXT[TEXT.index("| room |") : TEXT.index("Beside it:")]
    told = re.findall(r"`([\w.]+)/?`", "\n".join(line.split("|")[1] for line in table.splitlines() if "|" in line))
    layers = re.search(r'name = "A room.*?layers = \[(.*?)\]', (ROOT / "pyproject.toml").read_text("utf-8"), re.DOTALL)
    assert layers is not None
    assert [room.removesuffix(".py") for room in told] == re.findall(r"\w+", layers[1])
    rooms = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", "py."))}
    assert {room.removesuffix(".py") for room in told} == rooms


def test_models_have_the_hooks_that_the_text_names():
    from manifact.models.base import Factorization
    from manifact.solvers.solver import Solver
    from manifact.terms import Loss, Term

    hooks = {
        Factorization: ("_check_model", "_model_terms", "_solvers"),
        Solver: ("needs", "kinds", "imposes", "losses"),
        Term: ("kinds", "check", "powers"),
        Loss: ("solvers", "powers", "smoothness", "project"),
    }
    for owner, names in hooks.items():
        for name in names:
            assert f"`{name}" in TEXT
            assert hasattr(owner, name) or name in owner.__dataclass_fields__
    assert manifact.models.registry.ENTRY_POINTS == "manifact.models"
