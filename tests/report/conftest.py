"""Small models of documents, images and tables, and a browser to open their pages in."""

import os
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer

from manifact import GNMF, NMF
from manifact.datasets import load_digits, unit_length
from manifact.report import sample_map

THEMES = {
    "sea": "ship harbour wave tide sailor anchor storm fish island coast",
    "kitchen": "bread oven flour salt butter spoon recipe soup onion garlic",
    "music": "violin melody chord rhythm concert singer choir tempo piano drum",
}
HOSTILE = [
    "</script><script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked = 1">',
    "line\u2028separator\u2029here 'quotes' \"double\" `tick` ${window.hacked = 1}",
    "emoji 👩‍🚀🧪 and <b>bold</b> &amp; &lt;entities&gt;",
    "שלום עולם مرحبا بالعالم right to left \u202e reversed",
    "<!-- comment --> ]]> \x00 \x1b \ud800 lone {{script}} {{data}}",
]


def words(n, seed=0):
    """Documents of three themes, and the theme of each."""
    rng = np.random.default_rng(seed)
    names = list(THEMES)
    theme = rng.integers(0, 3, n)
    texts = [" ".join(rng.choice(THEMES[names[t]].split(), 12)) for t in theme]
    return texts, np.array(names)[theme]


@pytest.fixture(scope="session")
def documents():
    """A model of 90 documents, the last of which are hostile."""
    texts, labels = words(90)
    texts = [*texts[: -len(HOSTILE)], *(f"{text} {hostile}" for text, hostile in zip(texts[-6:], HOSTILE, strict=True))]
    vectors = TfidfVectorizer(token_pattern="[a-z]{3,}").fit(texts)
    X = sparse.csr_array(vectors.transform(texts))
    model = GNMF(3, graph_reg=1.0, random_state=0, assign="kmeans").fit(X)
    names = [f"document {i}" for i in range(84)] + HOSTILE
    given = {"feature_names": vectors.get_feature_names_out(), "texts": texts, "sample_names": names, "labels": labels}
    return SimpleNamespace(model=model, X=X, given=given)


@pytest.fixture(scope="session")
def images():
    """A model of 200 handwritten digits."""
    digits = load_digits()
    X = unit_length(digits.X[:200])
    model = GNMF(10, solver="mu", random_state=0, assign="kmeans").fit(X)
    return SimpleNamespace(model=model, X=X, given={"image_shape": (8, 8), "labels": digits.y[:200]})


@pytest.fixture(scope="session")
def table():
    """A model of a table without names, without a graph."""
    X = np.random.default_rng(0).random((60, 7))
    return SimpleNamespace(model=NMF(4, random_state=0).fit(X), X=X, given={})


@pytest.fixture
def quick_layout(monkeypatch):
    """A map of few anchors: what is tested is not the map."""
    monkeypatch.setattr(sample_map, "ANCHORS", 200)
    monkeypatch.setattr(sample_map, "ITERATIONS", 260)


@pytest.fixture(scope="session")
def browser():
    """A real Chromium."""
    if "MANIFACT_CHROMIUM" in os.environ:  # who names a browser wants these tests to run
        import playwright.sync_api as api
    else:
        api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: pip install playwright")
    program = os.environ.get("MANIFACT_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("no Chromium on this machine: set MANIFACT_CHROMIUM to its program")
    with api.sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()
