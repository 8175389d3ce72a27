"""The file: the same every time, nothing from outside, nothing that escapes from the data."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from manifact.cli import app
from manifact.report import report
from manifact.report.html_page import SCRIPTS, asset

pytestmark = pytest.mark.usefixtures("quick_layout")


class Elements(HTMLParser):
    """All start tags of a page, and the text of its scripts."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.scripts, self.inside = [], [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = tag == "script"
        if self.inside:
            self.scripts.append("")

    def handle_endtag(self, tag):
        self.inside = False

    def handle_data(self, data):
        if self.inside:
            self.scripts[-1] += data


@pytest.fixture
def text(documents, tmp_path):
    path = report(
        documents.model, documents.X, tmp_path / "page.html", title="<i>Title</i> & {{data}}", **documents.given
    )
    assert path == tmp_path / "page.html"
    return path.read_text(encoding="utf-8")


def test_the_same_bytes_twice(documents, tmp_path):
    first = report(documents.model, documents.X, tmp_path / "a.html", **documents.given).read_bytes()
    second = report(documents.model, documents.X, tmp_path / "b.html", **documents.given).read_bytes()
    assert first == second


def test_no_element_comes_from_the_data(text, table, tmp_path):
    plain = Elements(report(table.model, None, tmp_path / "plain.html").read_text(encoding="utf-8"))
    page = Elements(text)
    assert [tag for tag, _ in page.tags] == [tag for tag, _ in plain.tags]
    assert len(page.scripts) == 2
    assert page.scripts[1] == plain.scripts[1]


def test_the_data_are_all_there(text, documents):
    data = json.loads(Elements(text).scripts[0])
    assert data["title"] == "<i>Title</i> & {{data}}"
    assert data["samples"]["names"][84:89] == documents.given["sample_names"][84:89]
    # A lone surrogate is no character: it cannot be written to any file.
    assert data["samples"]["names"][89].endswith("\x00 \x1b ? lone {{script}} {{data}}")


def test_nothing_is_loaded(text):
    for tag, attributes in Elements(text).tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base")
        assert "src" not in attributes
        assert "style" not in attributes
        assert not any(name.startswith("on") for name in attributes)
    code = "".join(asset(name) for name in (*SCRIPTS, "style.css", "page.html"))
    addresses = set(re.findall(r"https?://[^\s\"')]+", code))
    # The name of a namespace, which nothing loads.
    assert addresses <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|importScripts|eval|innerHTML|insertAdjacentHTML)\b", code)
    assert not re.search(r"@import|url\(", code)


def test_a_strict_policy(text):
    policy = next(a["content"] for t, a in Elements(text).tags if t == "meta" and "Security" in a.get("http-equiv", ""))
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"].startswith("'sha256-")
    assert rules["style-src"].startswith("'sha256-")
    assert rules["img-src"] == "data: blob:"
    assert "unsafe" not in policy


def test_scripts_hold_no_tag_that_ends_them():
    assert not any("</script" in asset(name) or "<!--" in asset(name) for name in SCRIPTS)


def test_a_failed_page_leaves_nothing(documents, tmp_path, monkeypatch):
    monkeypatch.setattr("manifact.report.html_page.asset", lambda name: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report(documents.model, documents.X, tmp_path / "page.html", **documents.given)
    assert list(tmp_path.iterdir()) == []


def test_a_class_called_none_counts_in_the_summary_and_on_the_page(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = np.zeros((40, 6))
    X[:20, :3], X[20:, 3:] = rng.random((20, 3)) + 1, rng.random((20, 3)) + 1
    classes = ["None"] * 20 + ["other"] * 18 + [""] * 2
    lines = [",".join([*map(str, row), name]) for row, name in zip(X, classes, strict=True)]
    Path("rows.csv").write_text("\n".join(["a,b,c,d,e,f,class", *lines]) + "\n")
    arguments = ["fit", "rows.csv", "-k", "2", "--label", "class", "--report", "page.html", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    page = json.loads(Elements(Path("page.html").read_text("utf-8")).scripts[0])
    assert page["labels"]["names"] == ["None", "other"]
    assert page["agreement"]["known"] == 38
    assert page["agreement"]["accuracy"] == json.loads(result.stdout)["accuracy"] == 1.0
