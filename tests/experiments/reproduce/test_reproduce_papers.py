"""``manifact reproduce``: names, pages, the list of pages, and what is refused."""

import json
from datetime import date
from io import StringIO

import pytest
from rich.console import Console
from typer.testing import CliRunner

from manifact.cli import app
from manifact.experiments.code_digest import numerical_code
from manifact.experiments.reproduce import experiment_files, reproduce_papers
from manifact.experiments.reproduce.comparison_page import Claim, Claims, Page
from manifact.experiments.reproduce.page_index import write_index
from manifact.experiments.reproduce.reproduce_papers import RefusedError

TINY = """
title = "Digits"
kind = "clustering_table"
protocol = "Draw classes."
scores = ["NMI"]
classes = [2, 3]
repeats = 3
[quick]
repeats = 2
[common]
data = "{data}"
kmeans = {{ n_init = 2 }}
[[methods]]
name = "PCA"
method = "PCA"
[[methods]]
name = "NMF"
method = "NMF"
parameters = {{ solver = "mu", max_iter = 5 }}
"""


@pytest.fixture
def papers(tmp_path, monkeypatch):
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "tiny.toml").write_text(TINY.format(data="digits"))
    (folder / "absent.toml").write_text(TINY.format(data="coil20"))
    monkeypatch.setattr(experiment_files, "PAPERS", folder)
    monkeypatch.setenv("MANIFACT_DATA", str(tmp_path / "nothing"))
    return tmp_path


@pytest.fixture
def console():
    return Console(file=StringIO(), width=100)


def test_pages_and_their_list_are_written(papers, console):
    reproduce_papers.reproduce(
        ["tiny"], quick=True, jobs=1, results=papers / "out", cache=papers / "runs", console=console
    )
    names = sorted(file.name for file in (papers / "out" / "quick").iterdir())
    assert names == ["README.md", "index.html", "runs", "tiny.html", "tiny.json", "tiny.md"]
    assert "[tiny](tiny.md)" in (papers / "out" / "quick" / "README.md").read_text()
    assert str(papers / "out" / "quick" / "tiny.md") in console.file.getvalue().replace("\n", "")


def test_a_second_run_writes_the_same_and_does_nothing_again(papers, console, monkeypatch):
    arguments = {"quick": True, "jobs": 1, "results": papers / "out", "cache": papers / "runs", "console": console}
    reproduce_papers.reproduce(["tiny"], **arguments)
    before = (papers / "out" / "quick" / "tiny.md").read_text()
    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", lambda job: pytest.fail("done again"))
    reproduce_papers.reproduce(["tiny"], **arguments)
    assert (papers / "out" / "quick" / "tiny.md").read_text() == before


def test_runs_that_lie_beside_the_pages_are_not_done_again(papers, console, monkeypatch):
    arguments = {"jobs": 1, "results": papers / "out", "console": console}
    reproduce_papers.reproduce(["tiny"], cache=papers / "runs", **arguments)
    before = (papers / "out" / "tiny.md").read_text()
    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", lambda job: pytest.fail("done again"))
    reproduce_papers.reproduce(["tiny"], cache=papers / "elsewhere", **arguments)
    assert (papers / "out" / "tiny.md").read_text() == before


def test_warnings_of_runs_are_shown_on_their_page(papers, console):
    text = TINY.format(data="digits").replace('"PCA"', '"LE"')
    (papers / "papers" / "tiny.toml").write_text(text)
    arguments = {"quick": True, "jobs": 1, "results": papers / "out", "cache": papers / "runs", "console": console}
    reproduce_papers.reproduce(["tiny"], **arguments)
    page = (papers / "out" / "quick" / "tiny.md").read_text()
    assert "## Warnings" in page
    assert "| LE | UserWarning: Graph is not fully connected" in page


def test_a_run_that_fails_is_told_with_its_experiment(papers, console, monkeypatch):
    def fails(job):
        raise ValueError("PCA gave a representation with NaN")

    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", fails)
    with pytest.raises(RefusedError, match="tiny could not be run to its end: PCA gave a representation with NaN"):
        reproduce_papers.reproduce(["tiny"], jobs=1, results=papers / "out", cache=papers / "runs", console=console)
    assert not (papers / "out" / "tiny.md").exists()


def test_an_unknown_name_is_refused_with_the_known_ones(papers):
    result = CliRunner().invoke(app, ["reproduce", "tinny"])
    assert result.exit_code == 2
    assert "NAME='tinny' is not known: choose one of 'absent', 'tiny', 'all'" in result.output


def test_data_that_are_not_here_are_named_with_the_remedy(papers):
    result = CliRunner().invoke(app, ["reproduce", "absent", "--results", str(papers / "out"), "--jobs", "1"])
    assert result.exit_code == 2
    assert "absent needs data that are not here: coil20 is not in" in result.output
    assert not list((papers / "out").iterdir())


def test_missing_data_do_not_keep_the_others_from_being_run(papers):
    arguments = ["--quick", "--jobs", "1", "--results", str(papers / "out"), "--cache", str(papers / "runs")]
    result = CliRunner().invoke(app, ["reproduce", "--all", *arguments])
    assert result.exit_code == 2
    assert "absent needs data that are not here" in result.output
    assert (papers / "out" / "quick" / "tiny.md").exists()


def test_a_list_of_pages_that_is_not_ours_is_not_replaced(papers):
    (papers / "README.md").write_text("my project")
    result = CliRunner().invoke(app, ["reproduce", "tiny", "--results", str(papers), "--cache", str(papers / "runs")])
    assert result.exit_code == 2
    assert "has a README.md that is not ours: give another folder" in result.output
    assert (papers / "README.md").read_text() == "my project"


@pytest.mark.parametrize("option", ["--results", "--cache"])
def test_a_folder_that_cannot_be_written_is_refused_before_any_work(papers, option, monkeypatch):
    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", lambda job: pytest.fail("worked"))
    (papers / "file").write_text("")
    folders = {"--results": str(papers / "out"), "--cache": str(papers / "runs"), option: str(papers / "file" / "x")}
    result = CliRunner().invoke(app, ["reproduce", "tiny", *(word for pair in folders.items() for word in pair)])
    assert result.exit_code == 2
    assert f"{option}='{papers / 'file' / 'x'}' cannot be written" in result.output


def test_pages_beside_other_json_files_are_listed_alone(papers, console):
    (papers / "out" / "quick").mkdir(parents=True)
    (papers / "out" / "quick" / "bench-kl.json").write_text('{"rows": []}')
    reproduce_papers.reproduce(
        ["tiny"], quick=True, jobs=1, results=papers / "out", cache=papers / "runs", console=console
    )
    assert "bench-kl" not in (papers / "out" / "quick" / "README.md").read_text()


def test_a_page_of_another_version_keeps_no_other_from_being_written(papers, console, monkeypatch):
    def stale(folder):
        raise ValueError("no claim of gnmf-table3 begins with 'A': run it again")

    monkeypatch.setattr(reproduce_papers.what_holds, "page", stale)
    with pytest.raises(RefusedError, match=r"what-holds .*no claim of gnmf-table3 begins with 'A': run it again$"):
        reproduce_papers.reproduce(
            ["tiny"], quick=True, jobs=1, results=papers / "out", cache=papers / "runs", console=console
        )
    assert (papers / "out" / "quick" / "tiny.md").exists()


def test_an_interrupt_says_where_to_go_on(papers, monkeypatch):
    def interrupt(job):
        raise KeyboardInterrupt

    monkeypatch.setattr("manifact.experiments.reproduce.jobs.Job.run", interrupt)
    arguments = ["reproduce", "tiny", "--jobs", "1", "--cache", str(papers / "runs"), "--results", str(papers / "out")]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 130
    assert f"interrupted: what is done is kept in {papers / 'runs'}" in result.output


def test_without_a_name_the_experiments_are_listed(papers):
    result = CliRunner().invoke(app, ["reproduce"])
    assert result.exit_code == 0
    assert "tiny" in result.output
    assert "Digits" in result.output


def test_the_list_counts_claims(tmp_path):
    claims = Claims([Claim("a", True, ""), Claim("b", False, ""), Claim("c", True, "")])
    Page("gnmf-demo", "The one", "Intro.", [claims]).write(tmp_path)
    Page("gnmf-table3", "The two", "Intro.", []).write(tmp_path)
    write_index(tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert "| [gnmf-demo](gnmf-demo.md) | The one | 2 of 3 |" in text
    assert "| [gnmf-table3](gnmf-table3.md) | The two | 0 of 0 |" in text
    assert "<a href='gnmf-demo.html'>gnmf-demo</a>" in (tmp_path / "index.html").read_text()
    assert "what-holds" not in text


def test_the_page_over_all_others_comes_first_in_the_list(tmp_path):
    Page("gnmf-demo", "The one", "Intro.", []).write(tmp_path)
    Page("what-holds", "What holds", "Intro.", []).write(tmp_path)
    write_index(tmp_path)
    text = (tmp_path / "README.md").read_text()
    assert text.index("[What holds of the five papers](what-holds.md)") < text.index("[gnmf-demo]")
    assert "| [what-holds]" not in text
    assert "<a href='what-holds.html'>" in (tmp_path / "index.html").read_text()


def test_data_home_command_lists_and_refuses(papers):
    result = CliRunner().invoke(app, ["data"])
    assert result.exit_code == 0
    assert "coil20" in result.output
    result = CliRunner().invoke(app, ["data", "iris"])
    assert result.exit_code == 2
    assert "NAME='iris' is not known" in result.output


def test_pages_hold_plain_json(papers, console):
    reproduce_papers.reproduce(
        ["tiny"], quick=True, jobs=1, results=papers / "out", cache=papers / "runs", console=console
    )
    content = json.loads((papers / "out" / "quick" / "tiny.json").read_text())
    assert content["title"] == "Digits"
    assert {row["column"] for row in content["blocks"][0]["rows"]} == {"PCA", "NMF"}
    today = date.today().isoformat()
    assert content["runs"] == {"code": numerical_code(), "first": today, "last": today}
    assert f"Runs of {today}, by code {numerical_code()}." in (papers / "out" / "quick" / "tiny.md").read_text()
