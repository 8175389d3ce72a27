import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifact import GNMF, NMF, plot
from manifact.plot.figure_style import GREY


@pytest.fixture
def V(rng):
    return rng.random((40, 3))


def clouds(ax):
    return {cloud.get_label(): np.asarray(cloud.get_offsets()) for cloud in ax.collections}


def test_points_are_columns_of_the_representation(rng, ax):
    model = NMF(3, max_iter=5, random_state=0).fit(rng.random((20, 6)))
    assert plot.embedding(model, ax=ax, dims=(2, 0)) is ax
    for label, points in clouds(ax).items():
        np.testing.assert_array_equal(points, model.representation_[model.labels_ == int(label)][:, [2, 0]])
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("part 2", "part 0")


def test_clusters_of_the_model_colour_its_points(rng):
    model = GNMF(3, assign="argmax", random_state=0).fit(rng.random((30, 6)))
    assert set(clouds(plot.embedding(model))) == {str(label) for label in np.unique(model.labels_)}


@given(st.lists(st.sampled_from(["tree", "leaf", "graph", ""]), min_size=2, max_size=20))
def test_every_label_has_its_own_points(labels):
    import matplotlib.pyplot as plt

    V = np.random.default_rng(0).random((len(labels), 2))
    ax = plot.embedding(V, labels)
    plt.close(ax.figure)
    names = np.unique(labels)
    assert len(ax.collections) == len(names)
    for name, cloud in zip(names, ax.collections, strict=True):
        np.testing.assert_array_equal(cloud.get_offsets(), V[np.array(labels) == name])


def test_labels_need_not_count_from_zero(V):
    assert set(clouds(plot.embedding(V, np.arange(40) % 2 * 1000 + 17))) == {"17", "1017"}


def test_unknown_is_grey(V):
    from matplotlib.colors import to_rgb

    ax = plot.embedding(V, np.where(np.arange(40) < 5, -1, 3))
    assert {name: len(points) for name, points in clouds(ax).items()} == {"unknown": 5, "3": 35}
    assert tuple(ax.collections[0].get_facecolor()[0, :3]) == to_rgb(GREY)


def test_many_clusters_differ_by_colour_or_marker(V):
    ax = plot.embedding(V, np.arange(40) % 20)
    looks = {(tuple(c.get_facecolor()[0]), c.get_paths()[0].vertices.tobytes()) for c in ax.collections}
    assert len(looks) == 20


def test_principal_components_say_their_variance(V):
    ax = plot.embedding(V, method="pca")
    (points,) = clouds(ax).values()
    centred = V - V.mean(axis=0)
    sizes = np.linalg.svd(centred, compute_uv=False) ** 2
    np.testing.assert_allclose((np.asarray(points) ** 2).sum(axis=0), sizes[:2])
    assert ax.get_xlabel() == f"principal component 0 ({sizes[0] / sizes.sum():.0%} of variance)"


def test_tsne_keeps_far_clouds_apart_and_has_no_numbers(rng):
    labels = np.repeat([0, 1], 15)
    ax = plot.embedding(rng.random((30, 4)) + 50 * labels[:, None], labels, method="tsne")
    one, two = clouds(ax).values()
    between = np.linalg.norm(one.mean(axis=0) - two.mean(axis=0))
    assert between > np.linalg.norm(one - one.mean(axis=0), axis=1).max()
    assert len(ax.get_xticks()) == len(ax.get_yticks()) == 0


def test_bad_input_is_refused(V):
    with pytest.raises(ValueError, match=r"labels has shape \(3,\) but V has 40 rows: give one label for each"):
        plot.embedding(V, [0, 1, 2])
    with pytest.raises(ValueError, match=r"dims=\(0, 3\) must be two of the columns 0 to 2 that V has"):
        plot.embedding(V, dims=(0, 3))
    with pytest.raises(ValueError, match=r"dims=\(0, 2\) must be two of the columns 0 to 1 that method='tsne' has"):
        plot.embedding(V, dims=(0, 2), method="tsne")
    with pytest.raises(ValueError, match="method='umap' is not known: choose one of None, 'pca', 'tsne'"):
        plot.embedding(V, method="umap")
    with pytest.raises(ValueError, match="method='tsne' needs at least 4 samples, got 3"):
        plot.embedding(V[:3], method="tsne")
    with pytest.raises(ValueError, match=r"V has shape \(40,\) but must be a matrix"):
        plot.embedding(V[:, 0])
