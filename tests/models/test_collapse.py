"""A V that hardly tells samples apart is said, with what to change; nothing else is."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from typer.testing import CliRunner

from manifact import CF, GNMF, LCCF, LPNMF, NMF, SPNMF, AffinityNMF
from manifact.cli import app
from manifact.models.collapse import CollapseWarning, collapse

WORDS = {
    "animals": ["cat", "dog", "horse", "sheep", "wolf", "tiger", "otter"],
    "tools": ["hammer", "saw", "drill", "wrench", "pliers", "chisel", "lathe"],
    "weather": ["rain", "snow", "wind", "storm", "cloud", "frost", "hail"],
}


def documents(size=20):
    """Texts mostly about one of three things, which share many words: their graph is in one piece."""
    rng = np.random.default_rng(0)
    about = [words for words in WORDS.values() for _ in range(size)]
    others = [word for words in WORDS.values() for word in words]
    shared = ["the", "of", "and", "to", "in", "that", "it", "was", "for", "on", "as", "with", "his", "they"]
    return [" ".join([*rng.choice(words, 6), *rng.choice(others, 4), *rng.choice(shared, 10)]) for words in about]


def texts():
    return TfidfVectorizer().fit_transform(documents())


def said(model, X):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X)
    return [one for one in caught if issubclass(one.category, CollapseWarning)]


def test_too_strong_a_graph_is_said_with_the_parameter_and_its_value():
    (one,) = said(GNMF(3, graph_reg=1e4, solver="bcd", random_state=0), texts())
    assert "graph_reg=10000 is too strong for these data, try a hundredth of it" in str(one.message)
    assert one.filename == __file__


def test_who_asks_for_the_representation_is_told_where_they_asked():
    with pytest.warns(CollapseWarning) as caught:
        GNMF(3, graph_reg=1e4, solver="bcd", random_state=0).fit_transform(texts())
    assert [one.filename for one in caught if one.category is CollapseWarning] == [__file__]


@pytest.mark.parametrize("model", [NMF, GNMF, LPNMF, SPNMF, LCCF, CF, AffinityNMF])
def test_models_as_constructed_say_nothing(model):
    assert said(model(3, random_state=0), texts()) == []


def test_one_part_few_samples_and_nothing_to_change_are_silent():
    strong = {"graph_reg": 1e4, "solver": "bcd", "random_state": 0}
    assert said(GNMF(1, **strong), texts()) == []
    assert said(GNMF(3, **strong), texts()[:19]) == []
    one_group = np.tile(np.arange(1.0, 5.0), (30, 1))
    assert said(NMF(3, random_state=0), one_group) == []
    assert said(GNMF(3, graph_reg=0, random_state=0), one_group) == []


def test_both_signs_of_it_are_known():
    model = GNMF(3, random_state=0).fit(texts())
    V = np.random.default_rng(0).random((60, 3))
    model.representation_ = 1 + 0.1 * V
    assert str(collapse(model)).startswith("V is almost the same for every sample, so its parts say little of them: ")
    model.representation_ = V + np.array([3, 0, 0])
    assert str(collapse(model)).startswith(
        "100% of the samples have most of part 0, so parts say little of them: graph_reg=2"
    )
    model.representation_ = V
    assert collapse(model) is None


def test_an_affinity_names_its_own_parameters():
    model = AffinityNMF(3, random_state=0).fit(texts())
    model.representation_ = np.tile([3.0, 0.5, 0.1], (60, 1))
    assert "give it another graph, or a smaller tau=…" in str(collapse(model))


def test_it_travels_between_processes():
    (one,) = said(GNMF(3, graph_reg=1e4, solver="bcd", random_state=0), texts())
    assert str(pickle.loads(pickle.dumps(one.message))) == str(one.message)


def test_the_command_line_says_it_once(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.txt").write_text("\n".join(documents()), "utf-8")
    asked = ["fit", "a.txt", "--model", "gnmf", "-k", "3", "--graph-reg", "10000", "--solver", "bcd"]
    result = CliRunner().invoke(app, asked, env={"COLUMNS": "300"})
    assert result.exit_code == 0, result.output
    assert result.output.count("is too strong for these data") == 1
    assert "--graph-reg=10000 is too strong" in result.output
    assert "CollapseWarning" not in result.output
    quiet = CliRunner().invoke(app, asked[:6], env={"COLUMNS": "300"})
    assert "too strong" not in quiet.output


@pytest.mark.parametrize("model", [GNMF, AffinityNMF])
def test_groups_of_unequal_size_are_no_collapse(model):
    X = 0.05 * np.random.default_rng(0).random((300, 8))
    X[:285, :4] += 1
    X[285:, 4:] += 1
    fitted = model(2, random_state=0)
    assert said(fitted, X) == []
    assert sorted(np.bincount(fitted.labels_)) == [15, 285]
