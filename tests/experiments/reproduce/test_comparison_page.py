"""Pages: verdicts, and the same content as Markdown, HTML and JSON."""

import json
from html.parser import HTMLParser

import pytest

from manifact.experiments.reproduce.comparison_page import (
    Cell,
    Claim,
    Claims,
    Comparison,
    Page,
    Picture,
    Rows,
    Text,
    summary,
)
from manifact.experiments.reproduce.experiment_files import Value

SVG = "<svg xmlns='http://www.w3.org/2000/svg'><path d='M0 0h9'/></svg>"


@pytest.fixture
def page():
    cells = {
        ("4", "GNMF"): Cell(Value(93.5, 10.1), Value(91.0, 3.0)),
        ("4", "NMF"): Cell(Value(81.0, 1.0), Value(70.0, 2.0)),
        ("4", "ours & more"): Cell(None, Value(95.0)),
        ("6", "NMF"): Cell(Value(60.0), None),
    }
    blocks = [
        Claims([Claim("A is above B.", True, "2 and 1."), Claim("C < D.", False, "1 and 2.", "Because `x`.")]),
        Comparison("AC (%)", "K", ["4", "6"], ["NMF", "GNMF", "ours & more"], cells),
        Rows("Methods", [{"column": "NMF", "seconds": 0.123456}]),
        Picture("A <curve>", "fig", SVG, "what it shows"),
        Text("Why", "First.\n\nSecond with **weight**."),
    ]
    return Page("name", "The <title>", "Intro & more.", blocks)


@pytest.mark.parametrize(
    ("paper", "ours", "verdict"),
    [
        (Value(80.0, 5.0), Value(85.0, 0.1), "inside"),
        (Value(80.0, 5.0), Value(85.1, 9.0), "above"),
        (Value(80.0, 5.0), Value(74.9, 9.0), "below"),
        (Value(80.0), Value(82.0, 3.0), "inside ours"),
        (Value(80.0), Value(82.0, 1.0), "above"),
        (Value(80.0), Value(82.0), ""),
        (None, Value(82.0, 1.0), ""),
    ],
)
def test_verdicts(paper, ours, verdict):
    assert Cell(paper, ours).verdict == verdict


def test_markdown_shows_both_numbers_the_difference_and_the_verdict(page):
    text = page.markdown()
    assert "| 4 | 81.0±1.0 → **70.0±2.0** -11.0 ↓ | 93.5±10.1 → **91.0±3.0** -2.5 ✓ | **95.0** |" in text
    assert "| 6 | 60.0 → – |  |  |" in text
    assert "**Does not hold**: C < D. 1 and 2. Because `x`." in text
    assert "![A <curve>](fig.svg)" in text
    assert text.rstrip().endswith(".")


class Checker(HTMLParser):
    """Collects text and whatever would ask another server for something."""

    def __init__(self):
        super().__init__()
        self.words, self.outside, self.open = [], [], []

    def handle_starttag(self, tag, attributes):
        if tag not in ("meta", "img"):
            self.open.append(tag)
        values = [value for name, value in attributes if name in ("src", "href")]
        self.outside += [value for value in values if not value.startswith("data:")]

    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass

    def handle_data(self, data):
        self.words.append(data)


def test_html_is_whole_and_asks_nobody(page):
    checker = Checker()
    text = page.html()
    checker.feed(text)
    assert not checker.outside
    assert not checker.open
    words = " ".join(checker.words)
    for part in ("The <title>", "Intro & more.", "93.5±10.1", "91.0±3.0", "-2.5 ✓", "ours & more", "Because", "weight"):
        assert part in words
    assert "<script" not in text
    assert "http://" not in text.replace("http://www.w3.org", "")


def test_written_files_hold_the_same_numbers(page, tmp_path):
    written = page.write(tmp_path / "new")
    assert written.read_text() == page.markdown()
    assert sorted(file.name for file in written.parent.iterdir()) == ["fig.svg", "name.html", "name.json", "name.md"]
    content = json.loads((written.parent / "name.json").read_text())
    first = content["blocks"][1]["rows"][0]
    assert first == {
        "row": "4", "column": "GNMF", "paper": 93.5, "paper sd": 10.1, "ours": 91.0, "ours sd": 3.0,
        "difference": -2.5, "verdict": "inside",
    }  # fmt: skip
    assert content["environment"]["packages"]["manifact"]


def test_summary_is_in_percent_with_the_sample_standard_deviation():
    assert summary([0.5, 0.7]) == Value(pytest.approx(60.0), pytest.approx(10 * 2**0.5))
    assert summary([0.5]) == Value(50.0)
    assert summary([]) is None
