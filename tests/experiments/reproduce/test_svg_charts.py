"""Drawings: the same text for the same numbers, and a clear word where they cannot be made."""

import numpy as np
import pytest

from manifact.experiments.reproduce import svg_charts

PANEL = svg_charts.Panel("COIL20", "λ", "AC (%)", [svg_charts.Line("GNMF", [1, 10], [80.0, 90.0])], log="x")


@pytest.fixture
def svg():
    pytest.importorskip("matplotlib")
    return svg_charts.chart([PANEL, PANEL, PANEL], columns=2)


def test_the_same_numbers_give_the_same_text(svg):
    assert svg == svg_charts.chart([PANEL, PANEL, PANEL], columns=2)
    assert "<dc:date>" not in svg


def test_words_stay_words(svg):
    assert "COIL20</text>" in svg
    assert svg.count("GNMF</text>") == 1


def test_the_users_style_changes_nothing(svg):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert svg_charts.chart([PANEL, PANEL, PANEL], columns=2) == svg


def test_drawing_leaves_the_users_style_alone(svg):
    import matplotlib

    assert matplotlib.rcParams["svg.hashsalt"] is None


def test_tiles_hold_one_image_each():
    pytest.importorskip("matplotlib")
    images = [np.eye(4) * (number + 1) for number in range(3)]
    assert svg_charts.tiles([("NMF", images), ("GNMF", images[:2])], columns=2).count("<image") == 5


def test_without_matplotlib_one_sentence(monkeypatch):
    monkeypatch.setattr(svg_charts, "find_spec", lambda name: None)
    with pytest.raises(svg_charts.MissingMatplotlibError, match=r"pip install matplotlib$"):
        svg_charts.require()
