import pytest
from tests.selection.test_result import BEST, ROWS

from manifact import plot
from manifact.selection import Selection

KNOWN = [row for row in ROWS if row["n_components"] == 4 and row["bits"] is not None]


def widths(ax):
    return sorted(float(bar.get_width()) for bar in ax.patches)


def test_an_open_number_has_its_curves_and_the_graphs_beside_them():
    ax = plot.selection(Selection(ROWS, BEST, None))
    share, inside, mean, line, ring = ax.lines
    assert share.get_xdata().tolist() == mean.get_xdata().tolist() == [2, 4, 8]
    assert share.get_ydata().tolist() == [0.5, 0.875, 0.25]
    assert inside.get_ydata().tolist() == [0.25, 0.4375, 0.125]
    assert mean.get_ydata().tolist() == [0.375, 0.65625, 0.1875]
    assert line.get_xdata()[0] == ring.get_xdata()[0] == 4
    assert ring.get_ydata()[0] == 0.65625
    assert [text.get_text() for text in ax.get_legend().get_texts()][-1] == "mean of both, highest at 4"
    first, beside = ax.figure.axes
    assert first is ax
    # Three graphs, each at both numbers at which all of them were compared.
    assert widths(beside) == [0.5, 1.0, 1.0, 1.5, 2.0, 2.5]
    assert beside.get_xlabel() == "bits said alike, k = 4, 8 from above"


def test_a_known_number_has_a_bar_for_each_graph_with_its_error():
    ax = Selection(KNOWN, BEST, None).plot()
    assert ax.figure.axes == [ax]
    assert widths(ax) == [0.5, 1.0, 1.5]
    assert [label.get_text() for label in ax.get_yticklabels()] == [
        "all features, 5 neighbours",
        "50 directions, equally long, 5 neighbours",
        "50 directions, equally long, 30 neighbours",
    ]
    assert len({bar.get_facecolor() for bar in ax.patches}) == 2
    dark = next(bar for bar in ax.patches if bar.get_width() == 1.5).get_facecolor()
    assert [bar.get_facecolor() == dark for bar in ax.patches] == [False, True, False]
    (segments,) = (collection.get_segments() for collection in ax.collections)
    assert [float(end[0] - start[0]) for start, end in segments] == [0.5, 0.5, 0.5]
    assert ax.get_xlabel() == "bits said alike, k = 4"


@pytest.mark.parametrize("rows", [ROWS, KNOWN])
def test_given_axes_are_drawn_on_and_nothing_beside_them(rows, ax):
    assert plot.selection(Selection(rows, BEST, None), ax) is ax
    assert ax.figure.axes == [ax]


def test_a_given_graph_has_curves_alone():
    rows = [{"n_components": k, "share": 0.5, "modularity": 0.25 + k / 100} for k in (2, 3)]
    ax = plot.selection(Selection(rows, {"n_components": 3}, None))
    assert ax.figure.axes == [ax]
    assert len(ax.lines) == 5


def test_nothing_to_plot_is_said():
    with pytest.raises(ValueError, match="nothing to plot: graph and n_components were given"):
        plot.selection(Selection([], BEST, None))
