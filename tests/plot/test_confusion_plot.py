import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifact import plot
from manifact.metrics import accuracy, match

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(10, 14)), min_size=1, max_size=30)


def shown(ax):
    return np.asarray(ax.images[0].get_array())


def ticks(axis):
    return [label.get_text() for label in axis.get_ticklabels()]


@given(pairs)
def test_the_diagonal_holds_what_agrees(found):
    import matplotlib.pyplot as plt

    y, labels = map(np.array, zip(*found, strict=True))
    ax = plot.confusion(y, labels)
    plt.close(ax.figure)
    counts = shown(ax)
    assert counts.sum() == len(y)
    assert np.trace(counts) / len(y) == pytest.approx(accuracy(y, labels))
    assert ax.get_title() == f"accuracy {accuracy(y, labels):.3g} of {len(y)} samples"
    partner = match(y, labels)
    for place, (cluster, target) in enumerate(zip(ticks(ax.xaxis), ticks(ax.yaxis), strict=False)):
        assert partner[int(cluster)] == int(target)
        assert counts[place, place] == np.sum((y == int(target)) & (labels == int(cluster)))


def test_samples_without_a_cluster_stand_apart(ax):
    plot.confusion([0, 0, 1, 1, 2], [7, -1, 3, 3, -1], ax=ax)
    assert ticks(ax.xaxis) == ["7", "3", "none"]
    assert ax.get_title() == "accuracy 0.6 of 5 samples"


def test_numbers_stand_in_their_cells(ax):
    assert plot.confusion([0, 0, 0, 1, 1], [5, 5, 2, 2, 2], ax=ax) is ax
    assert {text.get_position(): text.get_text() for text in ax.texts} == {(0, 0): "2", (1, 0): "1", (1, 1): "2"}
    assert ticks(ax.xaxis) == ["5", "2"]


def test_a_dark_cell_has_a_white_number(ax):
    plot.confusion([0] * 90 + [1] * 2, [0] * 90 + [1] * 2, ax=ax)
    assert [text.get_color() for text in ax.texts] == ["white", "black"]


def test_shares_of_classes_and_of_clusters():
    y, labels = [0, 0, 0, 1], [0, 0, 1, 1]
    np.testing.assert_allclose(shown(plot.confusion(y, labels, normalize="true")), [[2 / 3, 1 / 3], [0, 1]])
    np.testing.assert_allclose(shown(plot.confusion(y, labels, normalize="pred")), [[1, 0.5], [0, 0.5]])


def test_names_follow_their_classes():
    y = np.array(["b", "a", "b", "c"])
    # c has no cluster, so that it stands last whatever it is called.
    assert ticks(plot.confusion(y, [1, 1, 0, 0], names=["A", "B", "C"]).yaxis) == ["A", "B", "C"]
    assert ticks(plot.confusion(y, [1, 0, 1, 2], names={"c": "Z", "a": "X", "b": "Y"}).yaxis) == ["X", "Y", "Z"]


def test_what_has_no_partner_comes_last():
    ax = plot.confusion([0, 1, 1, 2], ["x", "y", "y", "y"])
    assert ticks(ax.yaxis) == ["0", "1", "2"]
    assert shown(ax).tolist() == [[1, 0], [0, 2], [0, 1]]
    assert ticks(plot.confusion(["x", "y", "y"], [0, 1, 2]).xaxis)[0] == "0"


def test_bad_input_is_refused():
    with pytest.raises(
        ValueError, match=r"y has shape \(2,\) and labels has \(3,\): give one class and one cluster per"
    ):
        plot.confusion([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match="names of length 1 must hold one name for each of the 2 classes"):
        plot.confusion([0, 1], [0, 1], names=["a"])
    with pytest.raises(ValueError, match="names has no name for class 1: give one for each class"):
        plot.confusion([0, 1], [0, 1], names={0: "a"})
    with pytest.raises(ValueError, match="normalize='all' is not known"):
        plot.confusion([0, 1], [0, 1], normalize="all")
