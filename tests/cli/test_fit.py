import csv
import json
from io import StringIO
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from tests.cli.conftest import GROUPS, MAKERS, N, documents, table
from typer.testing import CliRunner

import manifact
from manifact.cli import app
from manifact.graphs import AutoGraph, KNNGraph, LandmarkGraph
from manifact.metrics import accuracy
from manifact.models.registry import on_command_line

runner = CliRunner()
QUICK = ["-k", "2"]
GNMF = [*QUICK, "--model", "gnmf", "--max-iter", "30", "--graph-reg", "1"]


@pytest.fixture(autouse=True)
def in_an_empty_folder(tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("here"))


def run(*arguments, code=0):
    result = runner.invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("kind", MAKERS)
def test_every_kind_of_data_is_fitted_and_used_again(kind, make, tmp_path):
    data = make(kind)
    run("fit", data, *QUICK, "-o", "m.safetensors", "-q")
    model = manifact.load("m.safetensors")
    assert accuracy(GROUPS, model.labels_) == 1 or kind in ("texts", "images")
    if kind == "texts":  # in the order of their folders
        assert accuracy([name.startswith("tools") for name in model.source_["names"]], model.labels_) == 1
    table = json.loads(run("predict", "m.safetensors", data, "--json").stdout)
    assert accuracy(model.labels_, [row["cluster"] for row in table]) > 0.95
    run("transform", "m.safetensors", data, "-o", "V.npy", "-q")
    assert np.load("V.npy").shape == (N, 2)


def test_documents_keep_their_vocabulary(make):
    shown = json.loads(run("fit", make("jsonl"), *QUICK, "--text", "text", "--label", "class", "--json").stdout)
    assert shown["kind"] == "documents"
    assert shown["accuracy"] == 1.0
    words = [set(part) for part in shown["top_features"]]
    assert {"cat", "dog"} & words[0] | {"cat", "dog"} & words[1]
    assert all(not ("cat" in part and "hammer" in part) for part in words)
    assert shown["coherence"] > 0
    assert shown["diversity"] == 1
    again = json.loads(run("info", "a.safetensors", "--json").stdout)
    assert (again["coherence"], again["diversity"]) == (shown["coherence"], 1)
    assert f"coherence {shown['coherence']:.3f} (NPMI within documents)" in run("info", "a.safetensors").stdout
    assert shown["top_features"] == manifact.load("a.safetensors").top_features()
    assert "hammer" in manifact.load("a.safetensors").preparation_.feature_names


def test_the_graph_of_an_anndata_file_is_used(make):
    data = make("h5ad")
    run("fit", data, *QUICK, "--graph", "obsp:connectivities", "--layer", "twice", "--label", "group", "-q")
    model = manifact.load("a.safetensors")
    import anndata

    W = anndata.read_h5ad(data).obsp["connectivities"]
    assert abs(model.graph_.W - W).max() == 0
    assert set(model.source_["labels"]) == {"g0", "g1"}


def test_a_graph_from_another_matrix(make):
    """Neighbours from embeddings in which other samples are close than in the data."""
    other = np.arange(N) < N // 2
    E = np.random.default_rng(0).normal(size=(N, 3)) + 20 * other[:, None]
    np.save("E.npy", E)
    run("fit", make("csv"), "-k", "2", "--tau", "1000", "--graph-from", "E.npy", "--neighbors", "4", "-q")
    model = manifact.load("a.safetensors")
    assert accuracy(other, model.labels_) == 1
    data = make("csv")
    refused = run("predict", "a.safetensors", data, code=2).stderr
    assert "--graph-from FILE, or do without neighbours with --no-tie" in refused
    lines = run("predict", "a.safetensors", data, "--graph-from", "E.npy").stdout.splitlines()
    clusters = [line.split("\t") for line in lines]
    assert [name for name, *_ in clusters] == [f"s{i}" for i in range(N)]
    np.testing.assert_array_equal([int(cluster) for _, cluster, *_ in clusters], model.labels_)
    run("predict", "a.safetensors", data, "--no-tie")
    refused = run("transform", "a.safetensors", data, "-o", "V.npy", code=2).stderr
    assert "--graph-from FILE, or do without neighbours with --no-tie" in refused
    run("transform", "a.safetensors", data, "-o", "V.npy", "--graph-from", "E.npy")
    np.testing.assert_allclose(np.load("V.npy"), model.representation_, rtol=1e-2, atol=1e-2)
    run("transform", "a.safetensors", data, "-o", "free.npy", "--no-tie")
    assert np.abs(np.load("free.npy") - model.representation_).max() > 0.1


def test_a_graph_from_a_file(make):
    W = KNNGraph(3).build(table()).W
    sparse.save_npz("W.npz", W)
    run("fit", make("npy"), *QUICK, "--graph", "W.npz", "-q")
    assert (manifact.load("a.safetensors").graph_.W != W).nnz == 0


@pytest.mark.parametrize("entry", on_command_line().values(), ids=list(on_command_line()))
def test_every_model_can_be_chosen(entry, make):
    run("fit", make("csv"), "-k", "2", "-m", entry.name, "--max-iter", "5", "--seed", "3", "-q")
    fitted = manifact.load("a.safetensors")
    assert type(fitted) is entry.cls
    assert fitted.random_state == 3
    assert fitted.assign == {"affinity": "graph", "nmf": "kmeans"}.get(entry.name, "argmax")
    filled_in = {name: value for name, value in entry.command_line.items() if name != "n_components"}
    assert filled_in == {name: getattr(fitted, name) for name in filled_in}


@pytest.mark.parametrize("name", ["affinity", "gnmf", "lccf", "lpnmf", "spnmf"])
def test_the_graph_is_chosen_and_told_and_the_file_keeps_what_it_was_chosen_from(name, make):
    data = make("csv")
    shown = json.loads(run("fit", data, *QUICK, "-m", name, "--seed", "3", "--json").stdout)
    model = manifact.load("a.safetensors")
    assert isinstance(model.graph, AutoGraph)
    assert model.graph.random_state == 3
    ways = {(row["features"], row["n_neighbors"]) for row in model.graph_.candidates_}
    (chosen,) = {(row["features"], row["n_neighbors"]) for row in model.graph_.candidates_ if row["chosen"]}
    assert shown["graph"] == {
        "features": chosen[0],
        "n_neighbors": chosen[1],
        "weight": "local",
        "chosen_from": len(ways),
    }
    told = f"graph {chosen[1]} neighbours in {chosen[0]} (chosen from {len(ways)} graphs)"
    assert told in " ".join(run("info", "a.safetensors").stdout.split())
    assert json.loads(run("info", "a.safetensors", "--json").stdout)["graph"] == shown["graph"]
    table = json.loads(run("predict", "a.safetensors", data, "--json").stdout)
    assert accuracy(model.labels_, [row["cluster"] for row in table]) > 0.95
    run("transform", "a.safetensors", data, "-o", "V.npy", "-q")
    assert np.load("V.npy").shape == (N, 2)
    run("report", "a.safetensors", "-q")
    assert told.removeprefix("graph ") in Path("a.html").read_text()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], AutoGraph()),
        (["--graph", "auto"], AutoGraph()),
        (["--neighbors", "7"], AutoGraph(n_neighbors=7)),
        (["--neighbors", "auto"], AutoGraph()),
        (["--neighbors", "4,8"], AutoGraph(n_neighbors=[4, 8])),
        (["--graph", "knn"], KNNGraph(metric="cosine")),
        (["--graph", "knn", "--neighbors", "7"], KNNGraph(7, metric="cosine")),
        (["--graph-weight", "heat"], KNNGraph(weight="heat", metric="cosine")),
        (["--roots", "--neighbors", "7"], KNNGraph(7, roots=True, metric="cosine")),
        (["--model", "gnmf", "--neighbors", "7"], AutoGraph(n_neighbors=7)),
        (["--model", "spnmf", "--graph", "knn"], KNNGraph(weight="heat", metric="cosine")),
        (["--model", "alpnmf", "--graph", "knn"], KNNGraph(metric="cosine")),
        (["--model", "alpnmf", "--graph", "auto"], AutoGraph()),
        (["--model", "alpnmf", "--neighbors", "3"], LandmarkGraph(n_neighbors=3)),
    ],
)
def test_a_number_of_neighbours_leaves_the_graph_open_and_all_else_describes_one(options, expected, make):
    run("fit", make("npy"), *QUICK, "--max-iter", "2", *options, "-q")
    graph = manifact.load("a.safetensors").graph
    assert type(graph) is type(expected)
    assert graph.get_params() == expected.get_params()


@pytest.mark.parametrize("model", ["affinity", "alpnmf", "gnmf"])
def test_a_number_of_landmarks_asks_for_a_graph_through_them(model, make):
    assert run("fit", make("npy"), "-k", "3", "-m", model, "--landmarks", "9", "-o", "m.safetensors").exit_code == 0
    assert manifact.load("m.safetensors").graph.n_landmarks == 9


def test_the_graph_of_another_matrix_is_chosen_if_that_is_asked_for(make):
    data = make("csv")
    np.save("E.npy", table())
    run("fit", data, *QUICK, "--graph-from", "E.npy", "-q")
    assert manifact.load("a.safetensors").graph_.candidates_ == []
    run("fit", data, *QUICK, "--graph-from", "E.npy", "--graph", "auto", "-q", "--overwrite")
    rows = manifact.load("a.safetensors").graph_.candidates_
    assert {row["n_components"] for row in rows} == {2}
    assert len({row["features"] for row in rows}) > 2


def test_a_former_name_of_a_model_is_understood(make):
    done = run("fit", make("csv"), "-k", "2", "--model", "joint", "-q")
    assert done.stderr == "note: --model joint is now called affinity: the old name goes with version 1.0\n"
    assert type(manifact.load("a.safetensors")) is manifact.AffinityNMF


def test_names_of_files_stay_as_they_are_where_errors_name_options(make, tmp_path):
    """Words that are parameters elsewhere: only the sentence knows which of its words are."""
    np.save("max_iter.npy", table())
    np.save("n_components=2.npy", table()[:10])
    refused = run("fit", "max_iter.npy", *QUICK, "--graph-from", "n_components=2.npy", code=2).stderr
    assert refused.startswith("--graph-from='n_components=2.npy' has 10 rows but the data have 60 samples")
    assert run("fit", "graph_reg.npy", code=2).stderr.startswith("graph_reg.npy does not exist")
    assert (
        "max_iter.npy is read as a NumPy array, for which --layer=… has"
        in run("fit", "max_iter.npy", "--layer", "x", code=2).stderr
    )
    taken = run("fit", "max_iter.npy", *QUICK, "--set", "init=max_iter", code=2).stderr
    assert taken.startswith("--init='max_iter' is not known")


def test_the_default_needs_no_settings(make):
    run("fit", make("csv"), "-k", "2", "-q")
    model = manifact.load("a.safetensors")
    assert (type(model).__name__, model.assign, model.solver_, model.converged_) == (
        "AffinityNMF",
        "graph",
        "affinity",
        True,
    )


def test_the_number_of_parts_is_chosen(make):
    shown = json.loads(run("fit", make("csv"), "--json").stdout)
    assert shown["n_components"] == 2
    assert shown["parameters"]["n_components"] == "auto"
    assert "with 2 parts, a number that was chosen (-k sets another" in " ".join(
        run("info", "a.safetensors").stdout.split()
    )
    run("fit", make("csv"), "-k", "auto", "--tau", "auto", "--neighbors", "auto", "--overwrite", "-q")
    assert manifact.load("a.safetensors").selection_.best["n_neighbors"] == 5
    run("fit", make("csv"), "--model", "nmf", "--overwrite", "-q")
    assert manifact.load("a.safetensors").n_components == 10


def test_options_reach_the_model(make):
    options = "--neighbors 3 --graph-weight heat --metric cosine --solver bcd --init nndsvda --tol 0.01 --n-init 2"
    run("fit", make("csv"), *GNMF, *options.split(), "--set", "alpha_V=0.01", "--set", "graph__sigma=neighbors", "-q")
    model = manifact.load("a.safetensors")
    graph = model.graph
    assert (graph.n_neighbors, graph.weight, graph.metric, graph.sigma) == (3, "heat", "cosine", "neighbors")
    assert (model.solver, model.init, model.tol, model.n_init, model.alpha_V) == ("bcd", "nndsvda", 0.01, 2, 0.01)
    assert model.graph_reg == 1.0


def test_neighbours_are_looked_for_among_directions(make):
    options = "--directions 3 --balance 0.5 --roots --graph-weight local"
    run("fit", make("csv"), *GNMF, *options.split(), "-q")
    model = manifact.load("a.safetensors")
    graph = model.graph
    assert (graph.directions, graph.balance, graph.roots, graph.weight) == (3, 0.5, True, "local")
    assert model.graph_._X.shape == (60, 3)
    run("predict", "a.safetensors", make("csv"), "-o", "clusters.csv", "-q")
    refused = run("fit", make("csv"), *GNMF, "--balance", "0.5", "--overwrite", "-q", code=2).stderr
    assert refused == "--balance=0.5 balances directions: give --directions as well, such as --directions=50\n"
    refused = run(
        "fit", make("csv"), "--model", "alpnmf", "-k", "2", "--directions", "3", "--overwrite", "-q", code=2
    ).stderr
    assert refused == "--directions has no meaning for the graph of --model alpnmf: leave it out\n"


def test_progress_goes_beside_the_output_and_quiet_is_quiet(make):
    data = make("csv")
    loud = run("fit", data, *QUICK)
    assert "objective" in loud.stderr
    assert "AffinityNMF of 60 samples × 64 features with 2 parts" in loud.stdout
    assert "manifact report a.safetensors" in loud.stdout
    quiet = run("fit", data, *QUICK, "--overwrite", "--quiet")
    assert quiet.output == ""
    assert json.loads(run("fit", data, *QUICK, "--overwrite", "--json").stdout)["n_samples"] == N
    assert json.loads(run("info", "a.safetensors", "--json").stdout)["model"] == "AffinityNMF"
    assert "AffinityNMF of 60 samples" in run("info", "a.safetensors").stdout


def test_a_representation_that_says_nothing_is_noted(make):
    data = make("txt")
    strong, weak = (
        json.loads(
            run(
                "fit",
                data,
                *GNMF[:4],
                "--graph",
                "knn",
                "--neighbors",
                "40",
                "--graph-reg",
                reg,
                "--json",
                "--overwrite",
            ).stdout
        )
        for reg in ("1000", "0.1")
    )
    assert "try a hundredth of it" in strong["notes"][0]
    assert weak["notes"] == []


def test_clusters_and_a_page_are_written_beside_the_model(make):
    data = make("images")
    run("fit", data, *QUICK, "--clusters", "c.csv", "--report", "r.html", "-q")
    rows = [line.split(",") for line in Path("c.csv").read_text().splitlines()]
    assert rows[0] == ["name", "cluster"]
    assert rows[1][0] == "00.png"
    assert "<html" in Path("r.html").read_text()
    run("report", "pictures.safetensors", data, "-o", "again.html", "-q")
    assert Path("again.html").read_text() == Path("r.html").read_text()
    assert run("predict", "pictures.safetensors").stdout.splitlines() == ["\t".join(row) for row in rows[1:]]


def test_clusters_on_standard_output_can_be_taken_apart(make):
    names = ["tab\there", "new\nline", "return\rhere", "plain"]
    lines = Path(make("csv")).read_text().splitlines()[:5]
    rows = [[name, *line.split(",")[1:]] for name, line in zip(names, lines[1:], strict=True)]
    with open("odd.csv", "w", newline="") as stream:
        csv.writer(stream).writerows([lines[0].split(","), *rows])
    run("fit", "odd.csv", *QUICK, "--neighbors", "2", "-q")
    shown = run("predict", "odd.safetensors").stdout_bytes.decode()
    assert [name for name, *_ in csv.reader(StringIO(shown, newline=""), delimiter="\t")] == names
    assert shown.splitlines()[-1].startswith(("plain\t0\t", "plain\t1\t"))


def test_an_empty_sample_is_nobodys_neighbour(make):
    data = make("texts")
    (data / "animals" / "empty.txt").write_text("of the and")
    shown = json.loads(run("fit", data, *QUICK, "--json").stdout)
    model = manifact.load("texts.safetensors")
    empty = model.source_["names"].index("animals/empty.txt")
    assert model.graph_.degrees[empty] == 0
    assert "1 of 61 samples have no word that is known" in shown["notes"][0]
    assert "animals/empty.txt" in shown["notes"][0]
    assert "animals/empty.txt" in run("predict", "texts.safetensors", data, "-q", "-o", "c.csv", code=1).stderr
    assert model.labels_[empty] == -1
    assert shown["unplaced"] == 1
    assert sum(shown["cluster_sizes"]) == 60


def test_a_column_in_large_units(make):
    values = np.random.default_rng(0).random((40, 3)) * [1, 1, 1000]
    np.savetxt("u.csv", values, delimiter=",", header="a,b,c", comments="")
    shown = json.loads(run("fit", "u.csv", *QUICK, "--json", "--scale", "unit").stdout)
    assert "column 'c' makes up 100 % of the data" in shown["notes"][0]
    for asked in ([], ["--scale-columns", "max"]):
        shown = json.loads(run("fit", "u.csv", *QUICK, "--json", "--overwrite", *asked).stdout)
        assert shown["notes"] == []
    run("transform", "u.safetensors", "u.csv", "-o", "V.npy", "-q")


def test_what_is_read_is_never_written(make):
    data = make("csv")
    before = data.read_bytes()
    assert "is what is read" in run("fit", data, *QUICK, "--clusters", data, "--overwrite", code=2).stderr
    assert "must end in .safetensors" in run("fit", data, *QUICK, "-o", data, "--overwrite", code=2).stderr
    run("fit", data, *QUICK, "-q")
    assert "must end in .html" in run("report", "a.safetensors", "-o", "a.safetensors", "--overwrite", code=2).stderr
    assert "is what is read" in run("predict", "a.safetensors", data, "-o", data, "--overwrite", code=2).stderr
    assert data.read_bytes() == before


def test_data_that_changed_are_not_shown_as_if_they_had_not(make):
    data = make("texts")
    run("fit", data, *QUICK, "-q")
    (data / "animals" / "0.txt").rename(data / "animals" / "00.txt")
    assert "has changed since the model was fitted" in run("report", "texts.safetensors", data, code=2).stderr


def test_the_input_is_looked_at_first(make):
    run("fit", make("csv"), *QUICK, "-q")
    assert "is of a kind that we do not know (.safetensors)" in run("fit", "a.safetensors", code=2).stderr
    assert "-k 61 is more than the 60 samples" in run("fit", make("csv"), "-k", "61", "--overwrite", code=2).stderr
    assert "is no plain file: give the path of a model file" in run("info", ".", code=2).stderr


def test_numbers_are_no_documents(make):
    run("fit", make("txt"), *QUICK, "-q", "-o", "d.safetensors")
    np.savetxt("n.csv", table(), delimiter=",", header=",".join(f"p{i}" for i in range(64)), comments="")
    refused = run("predict", "d.safetensors", "n.csv", code=2).stderr
    assert "n.csv is a table with 64 columns of numbers and the model was fitted to documents" in refused
    assert "is a table with 64 columns" in run("predict", "d.safetensors", make("csv"), code=2).stderr


def test_names_that_look_like_markup(make):
    np.savetxt("m.csv", table()[:, :3] + 1, delimiter=",", header="length [cm],b [/x],[bold]", comments="")
    shown = run("fit", "m.csv", "-k", "1").stdout
    assert "length [cm]" in shown
    assert "b [/x]" in shown


def test_samples_without_a_class_are_not_compared(make):
    lines = [f"{'ab'[i % 2] if i < 30 else ''},{value}" for i, value in enumerate(["1,0", "0,1"] * 30)]
    Path("half.csv").write_text("class,x,y\n" + "\n".join(lines))
    shown = json.loads(run("fit", "half.csv", *QUICK, "--label", "class", "--json", "--neighbors", "29").stdout)
    assert shown["accuracy"] == 1.0


def test_columns_by_number_are_found_again(make):
    rows = np.column_stack([table()[:, 20:24], GROUPS])
    np.savetxt("n.csv", rows, delimiter=",", fmt="%g")
    run("fit", "n.csv", *QUICK, "--label", "5", "-q")
    assert manifact.load("n.safetensors").n_features_in_ == 4
    run("report", "n.safetensors", "-q")
    Path("new.csv").write_text(Path("n.csv").read_text())
    run("predict", "n.safetensors", "new.csv")


def test_nothing_is_overwritten_unless_asked(make, tmp_path):
    data = make("csv")
    run("fit", data, *QUICK, "-q")
    before = Path("a.safetensors").read_bytes()
    assert "is there already: pass --overwrite" in run("fit", data, *QUICK, "--seed", "1", code=2).stderr
    (tmp_path / "r.html").write_text("mine")
    refused = run("fit", data, *QUICK, "-o", "b.safetensors", "--report", tmp_path / "r.html", code=2).stderr
    assert "--report" in refused
    assert Path("a.safetensors").read_bytes() == before
    assert (tmp_path / "r.html").read_text() == "mine"
    run("fit", data, "-k", "3", "--overwrite", "-q")
    assert Path("a.safetensors").read_bytes() != before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--model", "nnmf"], "--model='nnmf' is not known: choose one of 'affinity', 'alpnmf', "),
        (
            ["--model", "nmf", "--solver", "sgd"],
            "--solver='sgd' is not known: choose one of 'auto', 'affinity', 'bcd', 'mu', ",
        ),
        (["--scale", "sum", "--stop-words", "none"], "--stop-words='none' is for documents"),
        (["--model", "nmf", "--neighbors", "3"], "--neighbors needs a model with a graph, --model nmf has none"),
        (["--model", "cf", "--graph-from", "x.npy"], "--graph-from needs a model with a graph"),
        (["--model", "spnmf", "--loss", "frobenius"], "--loss has no meaning for --model spnmf"),
        (["--model", "lpnmf", "--solver", "bcd"], "solver='bcd' cannot minimise LPNMF"),
        (["--model", "nmf", "-k", "auto"], "-k auto is for --model affinity: give a number"),
        (["--graph", "knn", "--neighbors", "auto"], "--neighbors auto is for --graph auto: give one number"),
        (["--model", "gnmf", "--neighbors", "5,9", "--metric", "cosine"], "--neighbors 5,9 is for --graph auto"),
        (["--neighbors", "5,0"], "--neighbors='5,0' must be a whole number >= 1, several such as 5,30, or auto"),
        (["--graph", "auto", "--roots"], "--graph auto chooses what --roots says: leave one of them out"),
        (["--graph", "auto", "--landmarks", "9"], "--graph auto chooses what --landmarks says"),
        (["--model", "alpnmf", "--neighbors", "3,5"], "--neighbors 3,5 is for --graph auto: give one number"),
        (["--model", "nmf", "--graph", "auto"], "--graph needs a model with a graph, --model nmf has none"),
        (["-k", "few"], "-k='few' must be a whole number >= 1, or auto"),
        (["--tau", "much"], "--tau='much' must be a number >= 0, or auto"),
        (["--graph", "knn", "--landmarks", "10"], "--landmarks has no meaning for the graph of --model affinity"),
        (["--landmarks", "10", "--graph-weight", "heat"], "--graph-weight has no meaning for the graph of --model aff"),
        (["--graph-reg", "10"], "--graph-reg has no meaning for --model affinity"),
        (["--model", "gnmf", "--tau", "1"], "--tau has no meaning for --model gnmf"),
        (["--graph", "x.npz", "--neighbors", "3"], "--graph='x.npz' is a graph already: leave out --neighbors"),
        (["--graph", "obsp:connectivities"], "needs data from an .h5ad file"),
        (["--graph", "no.npz"], "no.npz"),
        (["--set", "colour"], "--set='colour' must be NAME=VALUE"),
        (["--set", "colour=red"], "--set colour is no parameter of AffinityNMF: it has alpha_U, "),
        (["--set", "alpha_V=red"], "alpha_V='red' must be a number"),
        (["--layer", "x"], "layer"),
        (["--image-shape", "9x9"], "9"),
        (["--image-shape", "nine"], "--image-shape='nine' must be HEIGHTxWIDTH"),
        (["--ngrams", "1,2"], "is for documents, not for a table: leave it out"),
        (["--ngrams", "a"], "--ngrams='a' must be two numbers"),
        (["--min-df", "-1"], "--min-df='-1' must be a number of documents"),
        (["--output", "no/where.safetensors"], "--output='no/where.safetensors' is in a folder that does not exist"),
        (["--clusters", "c.doc"], "c.doc"),
        (["-k", "2", "--set", "n_components=0"], "-k=0 must be an integer >= 1"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(options, sentence, make, tmp_path):
    refused = run("fit", make("csv"), *options, "-q", code=2).stderr
    assert sentence in refused
    assert refused.count("\n") == 1
    assert list(Path().iterdir()) == []


def test_every_parameter_in_a_sentence_is_an_option():
    np.save("x.npy", table()[:, 20:24])
    refused = run("fit", "x.npy", "-k", "9", "--model", "nmf", "--init", "nndsvd", "-q", code=2).stderr
    assert refused == "--init='nndsvd' and 'nndsvda' need -k <= min(n_samples, n_features), got 9 > 4\n"
    refused = run("fit", "x.npy", "-k", "9", "--model", "gnmf", "--solver", "newton", "-q", code=2).stderr
    assert refused.startswith("--solver='newton' cannot minimise GNMF with --loss='frobenius': choose one of 'auto', ")
    refused = run("fit", "x.npy", "--neighbors", "3", "--set", "alpha_V=-1", "-q", code=2).stderr
    assert refused == "alpha_V=-1 must be a finite number >= 0\n"


def test_an_option_that_the_command_does_not_have_is_not_named(make):
    """`manifact predict` has no --label: it must not tell people to use it."""
    run("fit", make("npy"), *QUICK, "-o", "m.safetensors", "-q")
    Path("words.csv").write_text("\n".join(["p0,p1", *(f"1,{i}" for i in range(30)), "1,word"]))
    refused = run("predict", "m.safetensors", "words.csv", code=2).stderr
    assert "use it with label='p1' or --name='p1'" in refused


@pytest.mark.parametrize("command", ["predict", "transform", "report", "info"])
def test_a_model_that_is_none_is_refused(command, tmp_path):
    (tmp_path / "m.safetensors").write_bytes(b"not a model")
    more = {"transform": [tmp_path, "-o", "V.npy"]}.get(command, [])
    assert "torn or not a file of ours" in run(command, tmp_path / "m.safetensors", *more, code=2).stderr
    assert "is not there" in run(command, "nowhere", *more, code=2).stderr


def test_new_data_of_another_kind_are_refused(make):
    run("fit", make("csv"), *QUICK, "-q")
    assert run("predict", "a.safetensors", make("texts"), code=2).stderr.count("\n") == 1
    np.save("narrow.npy", table()[:, :10])
    refused = run("transform", "a.safetensors", "narrow.npy", "-o", "V.npy", code=2).stderr
    assert "64" in refused
    assert "10" in refused


def test_a_model_from_python_says_what_it_lacks(make):
    manifact.NMF(2, assign="argmax", max_iter=2).fit(table()).save("p.safetensors")
    assert "was saved in Python" in run("predict", "p.safetensors", make("csv"), code=2).stderr
    assert len(run("predict", "p.safetensors").stdout.splitlines()) == N
    result = run("report", "p.safetensors")
    assert "the samples themselves are not shown" in result.stderr


def test_a_report_without_its_data(make):
    data = make("txt")
    run("fit", data, *QUICK, "-q")
    data.rename("moved.txt")
    assert "is not there" in run("report", "a.safetensors").stderr
    run("report", "a.safetensors", "moved.txt", "--overwrite", "-q")
    Path("moved.txt").write_text(Path("moved.txt").read_text() + "\nanother cat")
    refused = run("report", "a.safetensors", "moved.txt", "--overwrite", code=2).stderr
    assert "61 samples but the model was fitted on 60" in refused


def test_an_interrupt_keeps_the_last_iterate(make, monkeypatch):
    from manifact.solvers import engine

    total, calls = engine.total, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return total(*arguments)

    monkeypatch.setattr(engine, "total", interrupted)
    result = run("fit", make("csv"), *GNMF, "--init", "random", "-q", code=130)
    assert (
        result.stderr == "interrupted after iteration 2: the model holds the last iterate, and a.safetensors has it\n"
    )
    model = manifact.load("a.safetensors")
    assert model.n_iter_ == 2
    assert model._clusters.labels is None
    assert len(run("predict", "a.safetensors").stdout.splitlines()) == N


def test_warnings_are_notes(make, monkeypatch):
    import warnings

    fit = manifact.AffinityNMF.fit
    monkeypatch.setattr(
        manifact.AffinityNMF, "fit", lambda *a, **k: warnings.warn("slow\nhere", stacklevel=1) or fit(*a, **k)
    )
    assert "note: slow here\n" in run("fit", make("csv"), *QUICK, "-q").stderr


def test_a_bad_file_does_not_stop_a_folder(make):
    data = make("texts")
    names = sorted(path.relative_to(data).as_posix() for path in data.rglob("*.txt"))
    (data / "animals" / "bad.txt").write_bytes(b"PK\x03\0binary")
    (data / "tools" / "empty.txt").write_text(" ")
    shown = json.loads(run("fit", data, *QUICK, "--json").stdout)
    assert (shown["n_samples"], set(shown["skipped"])) == (N, {"animals/bad.txt", "tools/empty.txt"})
    assert shown["notes"][0].startswith(
        "2 of 62 files are skipped (--strict stops at the first): animals/bad.txt is not"
    )
    assert manifact.load("texts.safetensors").source_["names"] == names
    assert json.loads(run("info", "texts.safetensors", "--json").stdout)["skipped"] == shown["skipped"]
    refused = run("fit", data, *QUICK, "--strict", "--overwrite", "-q", code=2).stderr
    assert refused.startswith(str(data / "animals" / "bad.txt"))
    run("report", "texts.safetensors", "-q")


def test_rows_of_a_graph_may_be_those_of_all_files(make):
    data, E = make("texts"), table()
    names = sorted(path.relative_to(data).as_posix() for path in data.rglob("*.txt"))
    (data / "animals" / "bad.txt").write_bytes(b"PK\x03\0binary")
    places = sorted([*names, "animals/bad.txt"])
    everybody = np.zeros((N + 1, E.shape[1]))
    everybody[[places.index(name) for name in names]] = E
    graphs = []
    for number, matrix in enumerate((E, everybody)):
        np.save(f"e{number}.npy", matrix)
        run("fit", data, *GNMF, "--graph-from", f"e{number}.npy", "-o", f"m{number}.safetensors", "-q")
        graphs.append(manifact.load(f"m{number}.safetensors").graph_.W)
        run("predict", f"m{number}.safetensors", data, "--graph-from", f"e{number}.npy", "-q", code=1)
    assert (graphs[0] != graphs[1]).nnz == 0
    np.save("short.npy", E[1:])
    refused = run("fit", data, *GNMF, "--graph-from", "short.npy", "-o", "m2.safetensors", code=2).stderr
    assert "has 59 rows but the data have 60 samples" in refused


def test_documents_are_cleared_of_what_is_no_text_unless_told(make):
    lines = [f"{text} 9f86d081884c7d65 https://example.org/a" for text in documents()]
    Path("x.txt").write_text("\n".join(lines))
    run("fit", "x.txt", *QUICK, "-q")
    words = set(manifact.load("x.safetensors").preparation_.feature_names)
    assert "otter" in words
    assert not {"9f86d081884c7d65", "https", "example", "org"} & words
    run("fit", "x.txt", *QUICK, "-q", "--overwrite", "--remove", "codes,headers")
    assert "https" in set(manifact.load("x.safetensors").preparation_.feature_names)
    run("fit", "x.txt", *QUICK, "-q", "--overwrite", "--remove", "none")
    assert "9f86d081884c7d65" in set(manifact.load("x.safetensors").preparation_.feature_names)
    refused = run("fit", "x.txt", *QUICK, "--overwrite", "--remove", "quotes", code=2).stderr
    assert refused == "--remove='quotes' is not known: choose among headers, addresses, codes, or all, or none\n"


def test_a_table_of_texts_names_the_column(make):
    Path("x.csv").write_text("id,review\n" + "".join(f'{i},"{text}"\n' for i, text in enumerate(documents())))
    refused = run("fit", "x.csv", code=2).stderr
    assert refused.startswith("x.csv has sentences in column 'review' (")
    assert "give --text='review' to read a document in each row" in refused
    run("fit", "x.csv", "--text", "review", *QUICK, "-q")


def test_the_device_is_recorded(make):
    summary = json.loads(run("fit", make("npy"), *QUICK, "--device", "cpu", "-o", "m.safetensors", "--json").stdout)
    assert (summary["device"], summary["parameters"]["device"]) == ("cpu", "cpu")
    assert "on cuda" not in run("info", "m.safetensors").stdout


def test_a_device_that_is_not_there_is_refused_in_one_sentence(make, monkeypatch):
    monkeypatch.setattr("manifact.backends.devices.find_spec", lambda name: None)
    refused = run("fit", make("npy"), *QUICK, "--device", "cuda", code=2).stderr
    assert (
        "--device='cuda' needs PyTorch, manifact's extra [torch]: pip install torch, or use --device='cpu'" in refused
    )
    assert not Path("a.safetensors").exists()
    assert "--device='tpu' is not known" in run("fit", make("npy"), "--device", "tpu", code=2).stderr
    assert json.loads(run("fit", make("npy"), *QUICK, "--device", "auto", "--json").stdout)["device"] == "cpu"


@pytest.mark.parametrize("command", ["transform", "predict", "select"])
def test_commands_without_the_device_say_so(command, make, monkeypatch):
    monkeypatch.setattr("manifact.backends.devices.find_spec", lambda name: None)
    data = make("npy")
    run("fit", data, *QUICK, "-o", "m.safetensors", "-q")
    arguments = [data] if command == "select" else ["m.safetensors", data]
    assert "needs PyTorch" in run(command, *arguments, "--device", "cuda", code=2).stderr
    assert run(command, *arguments, "--device", "auto", *(["-k", "2"] if command == "select" else [])).exit_code == 0
