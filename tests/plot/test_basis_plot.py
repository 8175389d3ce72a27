from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from manifact import CF, NMF, plot
from manifact.plot.basis_plot import _columns


def test_every_image_is_a_component(rng, ax):
    model = NMF(n_components=6, max_iter=5, random_state=0).fit(rng.random((20, 12)))
    assert plot.basis(model, (3, 4), ax=ax) is ax
    for image, part in zip(ax.images, model.components_, strict=True):
        np.testing.assert_array_equal(image.get_array(), part.reshape(3, 4))
        assert image.get_clim() == (0, part.max())


@given(st.integers(1, 12), st.integers(1, 5), st.integers(1, 5), st.integers(1, 6))
def test_images_lie_row_by_row_and_never_touch(k, height, width, columns):
    import matplotlib.pyplot as plt

    ax = plot.basis(np.ones((k, height * width)), (height, width), columns=columns)
    boxes = np.array([image.get_extent() for image in ax.images])
    plt.close(ax.figure)
    left, right, bottom, top = boxes.T
    np.testing.assert_allclose(right - left, width)
    np.testing.assert_allclose(bottom - top, height)
    for number in range(1, k):
        if number % columns:
            assert left[number] > right[number - 1]
            assert top[number] == top[number - 1]
        else:
            assert left[number] == 0
            assert top[number] > bottom[number - 1]


@pytest.mark.parametrize(("k", "columns"), [(1, 1), (2, 2), (3, 3), (7, 3), (10, 5), (16, 4), (20, 5), (100, 10)])
def test_rows_are_full_where_they_can_be(k, columns):
    assert _columns(k) == columns


def test_columns_of_pixels_as_matlab_stores_them():
    image = np.arange(6.0).reshape(2, 3)
    shown = plot.basis(image.ravel(order="F")[None], (2, 3), order="F").images[0].get_array()
    np.testing.assert_array_equal(shown, image)


def test_negative_entries_have_white_in_the_middle(rng):
    P = rng.standard_normal((3, 4))
    for image, part in zip(plot.basis(P, (2, 2)).images, P, strict=True):
        assert image.get_clim() == (-np.abs(part).max(), np.abs(part).max())
        assert image.get_cmap().name == "PuOr_r"


def test_colours_fill_their_range(rng):
    P = rng.random((2, 12))
    images = plot.basis(P, (2, 2, 3)).images
    np.testing.assert_allclose(images[1].get_array(), P[1].reshape(2, 2, 3) / P[1].max())
    P[0, 0] = -2
    np.testing.assert_allclose(plot.basis(P, (2, 2, 3)).images[0].get_array(), (P[0].reshape(2, 2, 3) + 2) / 4)


def test_a_part_without_entries_is_white():
    image = plot.basis(np.zeros((1, 4)), (2, 2)).images[0]
    assert image.to_rgba(image.get_array()).min() == 1


def test_the_shape_comes_with_the_prepared_data(rng):
    model = SimpleNamespace(fit=None, components_=rng.random((2, 6)), preparation_=SimpleNamespace(image_shape=(3, 2)))
    assert plot.basis(model).images[0].get_array().shape == (3, 2)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (((3, 3),), r"image_shape=\(3, 3\) needs 3 x 3 = 9 features but the components have 12"),
        ((None,), "image_shape is not known to this model: give"),
        (((12,),), r"image_shape=\(12,\) must be \(height, width\), or \(height, width, 3\) for colour"),
        (((2, 3, 2),), r"image_shape=\(2, 3, 2\) must be"),
    ],
)
def test_a_wrong_shape_is_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        plot.basis(np.ones((2, 12)), *arguments)


def test_bad_input_is_refused(rng):
    with pytest.raises(NotFittedError, match="NMF is not fitted: call fit before drawing it"):
        plot.basis(NMF(), (2, 2))
    with pytest.raises(TypeError, match="a fitted model is needed to draw its components_, got NMF"):
        plot.basis(NMF, (2, 2))
    with pytest.raises(ValueError, match="CF with kernel='rbf' has its basis in the kernel's space"):
        plot.basis(CF(2, kernel="rbf", max_iter=2).fit(rng.random((9, 4))), (2, 2))
    with pytest.raises(ValueError, match="order='A' is not known: choose one of 'C', 'F'"):
        plot.basis(np.ones((2, 4)), (2, 2), order="A")
    with pytest.raises(ValueError, match="columns=0 must be an integer >= 1"):
        plot.basis(np.ones((2, 4)), (2, 2), columns=0)
    with pytest.raises(ValueError, match="components contains NaN"):
        plot.basis(np.full((2, 4), np.nan), (2, 2))
