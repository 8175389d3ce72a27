"""Drawings: the same text for the same numbers, and a clear word where they cannot be made."""

import numpy as np
import pytest

from manifact.experiments.reproduce import draw

PANEL = draw.Panel("COIL20", "λ", "AC (%)", [draw.Line("GNMF", [1, 10], [80.0, 90.0])], log="x")


@pytest.fixture
def svg():
    pytest.importorskip("matplotlib")
    return draw.chart([PANEL, PANEL, PANEL], columns=2)


def test_the_same_numbers_give_the_same_text(svg):
    assert svg == draw.chart([PANEL, PANEL, PANEL], columns=2)
    assert "<dc:date>" not in svg


def test_words_stay_words(svg):
    assert "COIL20</text>" in svg
    assert svg.count("GNMF</text>") == 1


def test_the_users_style_changes_nothing(svg):
    import matplotlib

    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "red"}):
        assert draw.chart([PANEL, PANEL, PANEL], columns=2) == svg


def test_drawing_leaves_the_users_style_alone(svg):
    import matplotlib

    assert matplotlib.rcParams["svg.hashsalt"] is None


def test_tiles_hold_one_image_each():
    pytest.importorskip("matplotlib")
    images = [np.eye(4) * (number + 1) for number in range(3)]
    assert draw.tiles([("NMF", images), ("GNMF", images[:2])], columns=2).count("<image") == 5


def test_without_matplotlib_one_sentence(monkeypatch):
    monkeypatch.setattr(draw, "find_spec", lambda name: None)
    with pytest.raises(draw.MissingMatplotlibError, match=r'pip install "manifact\[plot\]"'):
        draw.require()
