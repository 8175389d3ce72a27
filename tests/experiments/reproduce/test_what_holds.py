"""What holds: verdicts follow the claims of the pages, and averages the numbers in their tables."""

import json
import tomllib
from pathlib import Path

import pytest

from manifact.experiments.reproduce import experiment_files, what_holds
from manifact.experiments.reproduce.comparison_page import Cell, Claim, Claims, Comparison, Page, Runs
from manifact.experiments.reproduce.experiment_files import Value

SENTENCES = """
[[claims]]
paper = "One"
says = "It is better."
why = "Not on small data."
note = "On large data it takes long."
[claims.shown]
first = ["A is above"]
second = ["A is above B"]

[[claims]]
paper = "Two"
says = "It is fast."
[claims.shown]
third = ["A takes"]

[averages]
first = { method = "A", why = "nobody knows" }
second = { method = "A" }
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    file = tmp_path / "sentences.toml"
    file.write_text(SENTENCES)
    monkeypatch.setattr(what_holds, "SENTENCES", file)
    return tmp_path


def write(folder, name, held, ours=80.0, code="abc", day="2026-01-02"):
    claims = Claims(
        [
            Claim("A is above B in AC.", held, "A 80, B 70.", significant=True),
            Claim("A is above C in AC.", True, "", significant=False),
        ]
    )
    cells = {
        ("2", "A"): Cell(Value(70.0), Value(10.0)),
        ("Avg.", "A"): Cell(Value(78.0), Value(ours)),
        ("Avg.", "B"): Cell(Value(1.0), Value(2.0)),
    }
    table = Comparison("AC (%)", "K", ["2", "Avg."], ["A", "B"], cells)
    Page(name, name, "", [claims, table], runs=Runs(code, day, day)).write(folder)


def verdicts(page):
    return {row["claim"]: row["verdict"] for row in page.blocks[0].rows}


def test_without_any_page_there_is_none(folder):
    assert what_holds.page(folder) is None


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [(True, True, "holds, not surely"), (True, False, "depends"), (False, True, "depends")],
)
def test_a_sentence_holds_if_all_does_that_speaks_for_it(folder, first, second, verdict):
    write(folder, "first", first)
    write(folder, "second", second)
    page = what_holds.page(folder)
    assert verdicts(page) == {"It is better.": verdict, "It is fast.": "not run"}
    assert ("Not on small data." in page.markdown()) is (verdict != "holds")
    assert "On large data it takes long." in page.markdown()


def test_a_sentence_of_which_nothing_holds(folder):
    write(folder, "second", False)
    page = what_holds.page(folder)
    assert verdicts(page)["It is better."] == "does not hold"
    assert "✗ A is above B in AC. A 80, B 70." in page.markdown()


def test_what_holds_by_chance_is_said_so(folder):
    write(folder, "first", True)
    assert "✓ (not significantly) A is above C" in what_holds.page(folder).markdown()


def test_averages_are_held_against_print(folder):
    write(folder, "first", True, ours=74.0)
    write(folder, "second", True, ours=80.0)
    rows = what_holds.page(folder).blocks[-1]
    assert [row["difference"] for row in rows.rows] == ["-4.0", "+2.0"]
    assert [row["within 3"] for row in rows.rows] == ["below", "yes"]
    assert rows.rows[0]["why not"] == "nobody knows"
    assert rows.note.startswith("1 of 2 rows are within 3 points of print.")
    assert rows.note.endswith("With the nearest reading of each average: 1 of 2 (50 %) of AC.")


def test_an_average_that_is_read_in_several_ways_counts_once():
    rows = [
        {"page": page, "average of": table, "method": method, "within 3": near}
        for page, table, method, near in [
            ("one", "AC (%), this way", "A", "below"),
            ("one", "AC (%), that way", "A", "yes"),
            ("one", "AC (%), this way", "A, longer", "yes"),
            ("two", "AC (%)", "A", "above"),
            ("two", "NMI (%)", "A", "yes"),
        ]
    ]
    nearest = "1 of 2 (50 %) of AC, 1 of 1 (100 %) of NMI, 2 of 3 (67 %) of both scores of clustering"
    assert what_holds._counted(rows) == nearest
    own = {"one": {"method": "A", "reading": "that way"}, "two": {"method": "A"}}
    assert what_holds._counted(rows, own) == nearest
    own["one"]["reading"] = "this way"
    assert what_holds._counted(rows, own).startswith("0 of 2 (0 %) of AC, 1 of 1")
    assert what_holds._named(own) == " (A this way)"


def test_another_reading_of_a_method_is_held_against_the_same_print(folder):
    cells = {
        ("A", "x"): Cell(Value(70.0), Value(60.0)), ("A, longer", "x"): Cell(None, Value(69.0)),
        ("A", "y"): Cell(None, Value(1.0)), ("A, longer", "y"): Cell(None, Value(2.0)),
    }  # fmt: skip
    Page("first", "t", "", [Comparison("P", "method", ["A", "A, longer"], ["x", "y"], cells)]).write(folder)
    found = json.loads((folder / "first.json").read_text())
    assert list(what_holds._own_averages(found, "A", "A")) == [("P", 70.0, 60.0)]
    assert list(what_holds._own_averages(found, "A", "A, longer")) == [("P", 70.0, 69.0)]


def test_a_table_without_averages_is_averaged(folder):
    cells = {("A", "x"): Cell(Value(70.0), Value(71.0)), ("A", "y"): Cell(Value(60.0), Value(65.0))}
    Page("second", "t", "", [Comparison("P", "method", ["A"], ["x", "y"], cells)]).write(folder)
    with pytest.raises(ValueError, match="no claim of second begins with 'A is above B'"):
        what_holds.page(folder)
    found = json.loads((folder / "second.json").read_text())
    assert list(what_holds._own_averages(found, "A", "A")) == [("P", 65.0, 68.0)]


def test_pages_of_several_versions_are_not_said_to_be_of_one(folder):
    write(folder, "first", True, day="2026-01-01")
    write(folder, "second", True, day="2026-02-01")
    assert what_holds.page(folder).runs == Runs("abc", "2026-01-01", "2026-02-01")
    write(folder, "second", True, code="other")
    assert what_holds.page(folder).runs is None


def test_sentences_name_experiments_that_are_there():
    content = tomllib.loads(what_holds.SENTENCES.read_text(encoding="utf-8"))
    named = {name for one in content["claims"] for name in one["shown"]} | set(content["averages"])
    assert named <= set(experiment_files.names())
    for name, about in content["averages"].items():
        assert about["method"] in experiment_files.load(name).methods
    papers = {name.split("-")[0] for name in named}
    assert papers == {"gnmf", "lpnmf", "alpnmf", "spnmf", "lcf"}


def test_quick_runs_stand_in_where_full_ones_are_older(folder):
    (folder / "quick").mkdir()
    write(folder, "first", True, code="old", day="2026-01-01")
    write(folder, "second", True, code="new")
    for name in ("first", "second"):
        write(folder / "quick", name, False, code="new")
    page = what_holds.page(folder)
    assert page.runs.code == "new"
    assert verdicts(page) == {"It is better.": "depends", "It is fast.": "not run"}
    text = page.markdown()
    assert "Of first there is a quick run alone" in text
    assert "- [first, quick](quick/first.md): ✗ A is above B" in text
    assert "- [second](second.md): ✓ A is above B" in text
    assert "quick/first.html" in page.blocks[1].html()


RESULTS = Path(__file__).parents[3] / "results" / "reproduce"


@pytest.mark.skipif(not RESULTS.is_dir(), reason="the pages are not part of this distribution")
@pytest.mark.parametrize("folder", [RESULTS, RESULTS / "quick"], ids=["full", "quick"])
def test_every_sentence_finds_its_claims_in_the_pages_that_are_kept(folder):
    page = what_holds.page(folder)
    found = [row["verdict"] for row in page.blocks[0].rows]
    assert "not run" not in found
    kept = json.loads((folder / "what-holds.json").read_text("utf-8"))
    assert [row["verdict"] for row in kept["blocks"][0]["rows"]] == found
    assert page.runs is not None, "pages of one version"
