import pytest

from manifact.selection import Selection

ROWS = [
    {
        "n_components": k,
        "n_neighbors": p,
        "tau": 2.0,
        "agreed": net + 1,
        "disagreed": 1.0,
        "net": net,
        "modularity": 0.5,
    }
    for p, nets in ((5, (0.5, 1.25, 1.0)), (8, (0.25, 0.5, 2.0)))
    for k, net in zip((2, 4, 8), nets, strict=True)
]
BEST = {"n_components": 4, "n_neighbors": 5, "tau": 2.0}


def test_repr_is_the_choice():
    assert repr(Selection(ROWS, BEST, None)) == "Selection(n_components=4, n_neighbors=5, tau=2.0)"


def test_show_prints_every_candidate_and_marks_the_choice(capsys):
    Selection(ROWS, BEST, None).show()
    lines = capsys.readouterr().out.splitlines()
    assert [name in lines[0] for name in ("n_components", "n_neighbors", "net")] == [True] * 3
    (chosen,) = [line for line in lines if "chosen" in line]
    assert chosen.split()[:3] == ["4", "5", "2"]
    assert "1.250" in chosen
    assert "reproducible bits" in " ".join(lines)
    assert sum(line.split()[:1] == ["8"] for line in lines) == 2


def test_plot_has_a_curve_for_each_number_of_neighbours_and_marks_the_choice():
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = Selection(ROWS, BEST, None).plot()
    five, eight, line, ring = ax.lines
    assert five.get_xdata().tolist() == eight.get_xdata().tolist() == [2, 4, 8]
    assert eight.get_ydata().tolist() == [0.25, 0.5, 2.0]
    assert line.get_xdata()[0] == 4
    assert (ring.get_xdata()[0], ring.get_ydata()[0]) == (4, 1.25)
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels == ["5 neighbours", "8 neighbours", "chosen: 4"]
    given = plt.subplots()[1]
    assert Selection(ROWS[:3], BEST, None).plot(given) is given
    assert [text.get_text() for text in given.get_legend().get_texts()] == ["chosen: 4"]
    plt.close("all")


def test_nothing_to_plot_is_said():
    row = ROWS[1] | {"agreed": None, "disagreed": None, "net": None, "modularity": None}
    selection = Selection([row], BEST, None)
    with pytest.raises(ValueError, match="nothing to plot"):
        selection.plot()
    selection.show()
