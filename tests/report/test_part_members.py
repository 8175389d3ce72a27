"""Which samples belong to which part."""

from types import SimpleNamespace

import numpy as np

from manifact.report.part_members import clusters, strongest_first


def test_the_heaviest_part_without_clusters(table):
    np.testing.assert_array_equal(clusters(table.model), table.model.representation_.argmax(axis=1))


def test_clusters_go_by_the_number_of_their_part():
    V = np.repeat(np.eye(3), 4, axis=0)
    model = SimpleNamespace(representation_=V, labels_=np.array([2] * 4 + [0] * 4 + [1] * 4), assign="kmeans")
    np.testing.assert_array_equal(clusters(model), [0] * 4 + [1] * 4 + [2] * 4)


def test_clusters_stay_whole(images):
    found = clusters(images.model)
    pairs = set(zip(found.tolist(), images.model.labels_.tolist(), strict=True))
    assert len(pairs) == len(set(images.model.labels_.tolist())) == len(set(found.tolist()))


def test_the_strongest_of_each_come_first():
    V = np.array([[1.0, 0], [3, 0], [2, 0], [0, 5], [0, 7]])
    assert strongest_first(V, np.array([0, 0, 0, 1, 1])).tolist() == [1, 4, 2, 3, 0]
