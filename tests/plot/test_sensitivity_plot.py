import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifact import plot


def band(ax, number=0):
    """Lower and upper edge at each place."""
    vertices = ax.collections[number].get_paths()[0].vertices
    places = np.unique(vertices[:, 0])
    return np.array([[f(vertices[vertices[:, 0] == x, 1]) for x in places] for f in (min, max)])


@given(st.integers(1, 6), st.integers(2, 5), st.integers(0, 99))
def test_the_mean_in_a_band_of_one_deviation(q, repeats, seed):
    import matplotlib.pyplot as plt

    scores = np.random.default_rng(seed).random((q, repeats))
    ax = plot.sensitivity(10.0 ** np.arange(q), scores)
    plt.close(ax.figure)
    mean, sd = scores.mean(axis=1), scores.std(axis=1, ddof=1)
    np.testing.assert_allclose(ax.lines[0].get_ydata(), mean)
    np.testing.assert_allclose(band(ax), [mean - sd, mean + sd])
    assert ax.get_ylabel() == f"NMI (mean ± sd of {repeats})"


def test_single_scores_have_no_band(ax):
    assert plot.sensitivity([3, 5, 7], [0.5, 0.6, 0.4], parameter="p", score="AC", log=False, ax=ax) is ax
    assert not ax.collections
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xscale()) == ("p", "AC", "linear")
    assert ax.get_legend() is None


def test_values_are_drawn_in_ascending_order():
    line = plot.sensitivity([100, 1, 10], [3.0, 1.0, 2.0]).lines[0]
    assert line.get_xdata().tolist() == [1, 10, 100]
    assert line.get_ydata().tolist() == [1, 2, 3]


def test_few_values_stand_on_the_axis_themselves():
    ax = plot.sensitivity([30, 0.1, 2000], [1, 2, 3])
    assert sorted(label.get_text() for label in ax.get_xticklabels()) == ["0.1", "2000", "30"]
    assert len(ax.get_xticks(minor=True)) == 0


def test_several_curves_and_references():
    ax = plot.sensitivity([1, 10], {"AC": [0.1, 0.2], "NMI": [0.3, 0.4]}, reference={"k-means": [0.2, 0.4], "NMF": 0.1})
    heights = {line.get_label(): np.unique(line.get_ydata()).tolist() for line in ax.lines}
    assert heights == {"AC": [0.1, 0.2], "NMI": [0.3, 0.4], "k-means": [pytest.approx(0.3)], "NMF": [0.1]}
    assert ax.get_xscale() == "log"
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 4


def test_bad_input_is_refused():
    with pytest.raises(
        ValueError, match=r"scores has shape \(3,\) but there are 2 values: give 2 scores or 2 x repeats"
    ):
        plot.sensitivity([1, 2], [1, 2, 3])
    with pytest.raises(ValueError, match="values holds 0, which a logarithmic axis cannot show"):
        plot.sensitivity([0, 1], [1, 2])
    with pytest.raises(ValueError, match=r"scores\['AC'\] must hold as many repeats for every value"):
        plot.sensitivity([1, 2], {"AC": [[1, 2], [1]]})
    with pytest.raises(ValueError, match=r"values has shape \(0,\) but must be a list of numbers"):
        plot.sensitivity([], [])
    with pytest.raises(ValueError, match="scores is empty: give at least one curve"):
        plot.sensitivity([1], {})
