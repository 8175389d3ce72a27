"""The documentation keeps up with the code; building it is a command of its own."""

from __future__ import annotations

import importlib
import json
import re
import shlex
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import manifact
from manifact.models.registry import on_command_line

DOCS = Path(__file__).parents[1] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the documentation is not part of this distribution")
#: Made when the site is built.
GENERATED = ("auto_examples", "generated")


def pages() -> list[Path]:
    found = [*DOCS.rglob("*.md"), *DOCS.rglob("*.rst")]
    hidden = (*GENERATED, "_build", "_templates")
    return sorted(page for page in found if page.relative_to(DOCS).parts[0] not in hidden)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


def entries(page: Path) -> list[str]:
    """What the toctrees of a page list."""
    text = page.read_text("utf-8")
    found = re.findall(r"^```\{toctree\}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    found += re.findall(r"^\.\. toctree::\n((?:(?:   .*)?\n)+)", text, re.MULTILINE)
    lines = [line.strip() for block in found for line in block.splitlines()]
    return [line for line in lines if line and not line.startswith(":")]


def in_reference() -> set[str]:
    parts = [page for page in sorted((DOCS / "api").glob("*.rst")) if page.stem != "index"]
    text = "\n".join(page.read_text("utf-8") for page in parts)
    listed, module = set(), ""
    for line in text.splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.match(r"(?:   |\.\. py:data:: )(\w+)$", line):
            listed.add(f"{module}.{found[1]}")
    return listed


@pytest.mark.parametrize("module", ["manifact", "anndata", "graphs", "baselines", "datasets", "io", "plot", "report"])
def test_every_public_name_is_in_the_reference(module: str) -> None:
    name = module if module == "manifact" else f"manifact.{module}"
    public = importlib.import_module(name)
    rooms = {room for room in public.__all__ if type(getattr(public, room)).__name__ == "module"}
    names = {f"{name}.{member}" for member in set(public.__all__) - rooms}
    missing = names - in_reference() - {"manifact.__version__"}
    assert not missing, f"add {sorted(missing)} to docs/api"


def test_the_reference_lists_nothing_that_is_gone() -> None:
    gone = []
    for full in in_reference():
        module, _, name = full.rpartition(".")
        if not hasattr(importlib.import_module(module), name):
            gone.append(full)
    assert gone == []


def test_every_metric_is_in_the_reference() -> None:
    from manifact import metrics

    assert {f"manifact.metrics.{name}" for name in metrics.__all__} <= in_reference()


@pytest.mark.parametrize("name", sorted(entry.cls.__name__ for entry in on_command_line().values()))
def test_every_model_has_a_page(name: str) -> None:
    text = (DOCS / "models" / f"{name.lower()}.md").read_text("utf-8")
    assert f"{{py:obj}}`manifact.{name}`" in text
    for heading in ("Objective", "Updates", "When to use it", "Parameters that matter", "Reference"):
        assert f"\n## {heading}\n" in text, heading


@pytest.mark.parametrize("name", sorted(entry.cls.__name__ for entry in on_command_line().values()))
def test_defaults_on_the_pages_of_models_are_theirs(name: str) -> None:
    text = (DOCS / "models" / f"{name.lower()}.md").read_text("utf-8")
    true = getattr(manifact, name)().get_params(deep=False)
    told = re.findall(r'`(\w+)="?([\w.]+)"?`(?: \(the default|, the default)', text)
    told += re.findall(r"`(\w+)`[^`\n|]*?,? (?:default |\()([\d.]*\d)\b", text)
    told += re.findall(r"^\|[^|]*\| `(\w+)` \| ([\d.]+) \|", text, re.MULTILINE)
    assert [(name, float(value) if value[0].isdigit() else value) for name, value in told] == [
        (name, true[name]) for name, _ in told
    ]
    solver = re.findall(r"`(\w+)`, the default", text)
    assert solver in ([], [getattr(manifact, name)()._solver_name])


#: Why a page shows another model than the one to start with.
ANOTHER = {
    "documents": "counts have models of their own",
    "cells": "it is somebody's own data",
    "spectra": "pixels are mixtures, which its exact solver finds",
    "large": "a limit on memory is shown on the smallest model",
    "streams": "a model without a graph comes first there: blocks need no landmarks",
}


@pytest.mark.parametrize("page", sorted((DOCS / "howto").glob("*.md")), ids=lambda page: page.stem)
def test_how_tos_show_the_model_to_start_with(page: Path) -> None:
    names = {entry.cls.__name__ for entry in on_command_line().values()}
    code = "\n".join(
        re.findall(r"^```(?:python|\{code-block\} python)\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    )
    made = {found for found in re.findall(r"\b(\w+)\(", code) if found in names}
    assert made <= {"AffinityNMF"} or page.stem in ANOTHER


def test_every_solver_is_on_their_page() -> None:
    from manifact.models.registry import entries
    from manifact.solvers.all_solvers import SOLVERS

    entries()  # baselines have some of their own
    table = (DOCS / "guide" / "solvers.md").read_text("utf-8").split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == set(SOLVERS)


@pytest.mark.parametrize("name", sorted(entry.cls.__name__ for entry in on_command_line().values()))
def test_the_table_of_models_lists_their_solvers(name: str) -> None:
    from manifact.terms import LOSSES

    cls = getattr(manifact, name)
    settings = [{"loss": loss} for loss in LOSSES] if hasattr(cls, "loss") else [{}]
    solvers = {solver for given in settings for solver in cls(**given)._solvers}
    text = (DOCS / "models" / "index.md").read_text("utf-8")
    (row,) = re.findall(rf"^\|.*\({name.lower()}\.md\).*\|$", text, re.MULTILINE)
    assert set(re.findall(r"`(\w+)`", row.split("|")[-2])) == solvers


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_toctrees_and_links_lead_somewhere(page: Path) -> None:
    text = page.read_text("utf-8")
    linked = [(page.parent / f"{entry}", entry) for entry in entries(page)]
    linked += [(page.parent / link, link) for link in re.findall(r"\]\(([^)#\s]+\.(?:md|rst))(?:#[^)]*)?\)", text)]
    for path, entry in linked:
        path = path.resolve()
        if path.is_relative_to(DOCS) and path.relative_to(DOCS).parts[0] in GENERATED:
            continue
        assert path.exists() or any(path.with_name(path.name + end).exists() for end in (".md", ".rst")), entry


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(DOCS).as_posix())
def test_what_pages_take_from_elsewhere_is_there(page: Path) -> None:
    results = DOCS.parent / "results"
    text = page.read_text("utf-8")
    for kind, name in re.findall(r"generated/(reproduce(?:/quick)?|measurements)/([\w-]+)\.md", text):
        if name != "index":
            assert (results / kind.replace("measurements", "") / f"{name}.md").exists(), name
    for name in re.findall(r"auto_examples/(plot_\w+)", text):
        assert (DOCS.parent / "examples" / f"{name}.py").exists(), name
    for name in re.findall(r"\{include\} (\S+)", text):
        assert (page.parent / name).exists(), name


def with_python() -> list[str]:
    names = {page.relative_to(DOCS).with_suffix("").as_posix(): page for page in pages() if page.suffix == ".md"}
    return [name for name, page in names.items() if blocks(page, "python")]


@pytest.mark.parametrize("name", with_python())
def test_python_on_pages_runs(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    page = DOCS / f"{name}.md"
    found = blocks(page, "python")
    if any("scanpy" in block for block in found):
        pytest.importorskip("scanpy", reason="scanpy is not installed: pip install scanpy")
    assert found
    space: dict[str, object] = {}
    for block in found:
        exec(compile(block, str(page), "exec"), space)


def test_commands_of_the_page_on_tables_say_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of commands is followed by lines of what it prints."""
    pytest.importorskip("pandas", reason="the table is made by pandas")
    from typer.testing import CliRunner

    from manifact.cli import app

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    text = (DOCS / "howto" / "tables.md").read_text("utf-8")
    pieces = re.findall(r"^```(python|sh|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    space: dict[str, object] = {}
    printed, shown = "", 0
    for language, block in pieces:
        if language == "python":
            exec(compile(block, "tables.md", "exec"), space)
        elif language == "sh":
            result = CliRunner().invoke(app, shlex.split(block)[1:])
            printed = " ".join(result.output.split())
        else:
            shown += 1
            lines = [block] if block.startswith("wine.csv") else block.splitlines()
            for line in lines:
                assert " ".join(line.split()) in printed, printed
    assert shown == 3


def commands() -> list[tuple[str, str]]:
    text = "\n".join(block for page in pages() for block in blocks(page, "sh"))
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return sorted({(shlex.split(line)[1], line) for line in lines if line.startswith("manifact ")})


@pytest.mark.parametrize(("name", "line"), commands(), ids=[line for _, line in commands()])
def test_commands_on_pages_have_the_options_they_use(name: str, line: str) -> None:
    import typer

    from manifact.cli import app

    command = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    known = {option for parameter in command.params for option in (*parameter.opts, *parameter.secondary_opts)}
    used = [word for word in shlex.split(line)[2:] if word.startswith("-") and word != "-"]
    assert set(used) <= known


THEMES = {
    "sea": "ship harbour wave tide sailor anchor storm fish island coast",
    "kitchen": "bread oven flour salt butter spoon recipe soup onion garlic",
    "music": "violin melody chord rhythm concert singer choir tempo piano drum",
}


def write_documents(folder: Path, n: int) -> None:
    folder.mkdir()
    rng = np.random.default_rng(n)
    for i in range(n):
        theme = THEMES[list(THEMES)[i % 3]].split()
        (folder / f"{i:03}.txt").write_text(" ".join(rng.choice(theme, 12)))


def write_images(folder: Path, n: int, classes: bool) -> None:
    image = pytest.importorskip("PIL.Image", reason="pillow is not installed: pip install pillow")
    digits = manifact.datasets.load_digits()
    for i in range(n):
        place = folder / str(digits.y[i]) if classes else folder
        place.mkdir(parents=True, exist_ok=True)
        image.fromarray((digits.X[i].reshape(8, 8) * 15).astype(np.uint8)).save(place / f"{i}.png")


def write_cells(file: Path) -> None:
    anndata = pytest.importorskip("anndata", reason="anndata is not installed: pip install anndata")
    rng = np.random.default_rng(0)
    X = rng.poisson(1 + 5 * (np.arange(30)[None, :] // 10 == np.arange(60)[:, None] // 20)).astype(np.float32)
    cells = anndata.AnnData(sparse.csr_matrix(X))
    cells.obs["cell_type"] = [f"type {i // 20}" for i in range(60)]
    cells.obsp["connectivities"] = manifact.graphs.KNNGraph(5).build(X).W
    cells.layers["counts"] = cells.X.copy()
    cells.write_h5ad(file)


def write_word_counts(folder: Path) -> None:
    zarr = pytest.importorskip("zarr", reason="zarr is not installed: pip install zarr")
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.2 + 3 * (np.arange(30)[None, :] % 3 == np.arange(1200)[:, None] % 3))
    zarr.create_array(folder, data=counts.astype(np.float32), chunks=(300, 30))


def write_table(file: Path, label: str) -> None:
    rng = np.random.default_rng(0)
    rows = [f"s{i},kind {i % 3}," + ",".join(map(str, rng.random(8) + (np.arange(8) % 3 == i % 3))) for i in range(45)]
    names = [f"x{j}" for j in range(8)]
    file.write_text("\n".join([",".join(["sample", label, *names]), *rows]) + "\n")


@pytest.fixture
def somebodys_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the pages take for granted, by the names that they use."""
    monkeypatch.chdir(tmp_path)
    write_documents(tmp_path / "articles", 60)
    write_documents(tmp_path / "more-articles", 6)
    write_images(tmp_path / "faces", 60, classes=True)
    write_cells(tmp_path / "cells.h5ad")
    write_word_counts(tmp_path / "documents.zarr")
    write_table(tmp_path / "table.csv", "class")
    write_table(tmp_path / "spectra.csv", "mineral")
    texts = [file.read_text() for file in sorted((tmp_path / "articles").iterdir())]
    (tmp_path / "news.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    np.save(tmp_path / "embeddings.npy", np.random.default_rng(0).random((60, 5)))


@pytest.mark.parametrize("page", [DOCS.parent / "README.md", DOCS / "index.md", DOCS / "getting-started.md"])
def test_commands_for_beginners_do_what_they_say(page: Path, somebodys_data: None) -> None:
    from typer.testing import CliRunner

    from manifact.cli import app

    text = re.sub(r"\\\n\s*", "", "\n".join(blocks(page, "sh")))
    lines = [shlex.split(line.replace(".venv/bin/", ""), comments=True) for line in text.splitlines()]
    typed = [line[1:] for line in lines if line[:1] == ["manifact"] and line[1] != "demo"]
    assert typed
    for words in typed:
        again = [] if "--overwrite" in words or words[0] == "info" else ["--overwrite"]
        done = CliRunner().invoke(app, [*words, *again])
        assert done.exit_code == 0, (words, done.output)
        for option in ("-o", "--report"):
            assert option not in words or Path(words[words.index(option) + 1]).stat().st_size > 0


def test_configuration_loads(monkeypatch: pytest.MonkeyPatch) -> None:
    # It puts the folder of the extensions there.
    monkeypatch.setattr(sys, "path", [*sys.path])
    space: dict[str, object] = {"__file__": str(DOCS / "conf.py")}
    exec(compile((DOCS / "conf.py").read_text("utf-8"), "conf.py", "exec"), space)
    assert space["version"] == manifact.__version__


def test_pages_of_results_are_grouped_by_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sphinx", reason="sphinx is not installed")
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    results = importlib.import_module("results")
    folder = DOCS.parent / "results" / "reproduce"
    listed = results.toctree_by_paper(sorted(page for page in folder.glob("*.md") if page.name != "README.md"))
    assert ":caption: GNMF paper" in listed
    assert all(f"<{page.stem}>" in listed for page in folder.glob("*.md") if page.name != "README.md")


def test_members_shown_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    members = importlib.import_module("members")
    shown = members.own_methods("manifact.GNMF")
    assert {"fit", "transform", "predict", "fit_predict", "save"} <= set(shown)
    assert not {"get_params", "set_output", "get_metadata_routing"} & set(shown)
    assert members.own_methods("manifact.graphs.KNNGraph") == ["build", "for_components", "memory_needed"]


def test_the_guides_name_the_constants_of_the_choice() -> None:
    from manifact.graphs import auto, cluster_counts, feature_halves, graph_choice, spectral
    from manifact.selection import choosing, sampling

    text = " ".join((DOCS / "guide" / "graphs.md").read_text("utf-8").split())
    assert "with {} and with {} neighbours".format(*graph_choice.NEIGHBORS) in text
    assert {one.directions for one in graph_choice.FEATURES} == {None, 50, 100}
    assert "the 50 or 100 [leading directions]" in text
    halves = f"of {feature_halves.SAMPLES:,} samples each ({feature_halves.SAMPLES_PER_CLUSTER} for each cluster"
    assert f"six random pairs of halves, {halves}" in text
    assert "after two pairs, ways that say less than nine tenths of the best" in text
    assert "after every two those that are behind it by two standard errors" in text
    assert (graph_choice.PAIRS, graph_choice.AT_ONCE, graph_choice.BEHIND, graph_choice.HOPELESS) == (6, 2, 0.9, 2.0)
    assert "by a standard error" in text
    assert graph_choice.CLEARLY == 1
    assert "19 twentieths" in text
    assert pytest.approx(19 / 20) == graph_choice.ENOUGH
    assert "a tenth of the mean degree" in text
    assert spectral.EVENED == 0.1
    text = " ".join((DOCS / "guide" / "choosing.md").read_text("utf-8").split())
    assert "each without a fifth of its edges" in text
    assert "over three such pairs" in text
    assert "over four such pairs" in text
    assert graph_choice.COUNTING_PAIRS == 4
    assert f"to a share of at least {graph_choice.RELIABLE}" in text
    assert (cluster_counts.DROPPED, cluster_counts.PAIRS) == (0.2, 3)
    assert f"from 2 to {auto.MOST_COMPONENTS} are tried, a third of the samples at the most, each about a fifth" in text
    assert (auto.SMALLEST, auto.RATIO) == (3, 1.2)
    assert f"on at most {sampling.SAMPLES:,} samples" in text
    assert sampling.SAMPLES == graph_choice.WHOLE
    assert f'`tau="auto"` is {choosing.TAU:g}' in text


def test_the_guide_names_the_constants_of_the_starts() -> None:
    from manifact.models import cluster_starts as starts

    text = " ".join((DOCS / "guide" / "defaults.md").read_text("utf-8").split())
    assert f"{starts.SHARED:g}/k of every other part" in text
    assert f"{starts.ADDED:g}/k of every other part" in text
    assert f"NMF is run for {starts.NMF_ITERATIONS} iterations" in text
    assert "averaged twice" in text
    assert starts.SOFTENED == 2
    assert f"at least {starts.CROWD} times as large" in text
    assert "at most {} times, of graphs through landmarks {} times".format(*starts.AS_WELL) in text
    assert "smaller than {} ({}) of an equal share".format(*starts.CRUMB) in text
    assert f"more than {starts.CROWDED} times" in text
    assert f"a cosine of {starts.CLOSE}, but not of fewer than {starts.EXEMPLARS}" in text
