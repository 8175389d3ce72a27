"""Which samples belong to which part."""

import numpy as np

from manifact.report.part_members import clusters, strongest_first


def test_they_are_the_clusters_of_the_model(table, images):
    for model in (table.model, images.model):
        np.testing.assert_array_equal(clusters(model), model.labels_)


def test_the_strongest_of_each_come_first():
    V = np.array([[1.0, 0], [3, 0], [2, 0], [0, 5], [0, 7]])
    assert strongest_first(V, np.array([0, 0, 0, 1, 1])).tolist() == [1, 4, 2, 3, 0]


def test_those_without_a_cluster_come_last():
    V = np.array([[0.0, 0], [3, 0], [2, 0], [0, 5], [0, 0]])
    assert strongest_first(V, np.array([-1, 0, 0, 1, -1])).tolist() == [1, 3, 2, 0, 4]
