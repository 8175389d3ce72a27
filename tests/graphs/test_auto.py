"""What `AutoGraph` is made of, beside the choice itself (`test_graph_choice`)."""

from itertools import pairwise

import numpy as np
import pytest

from manifact.graphs.auto import nearness, possible_sizes


@pytest.mark.parametrize(
    ("lengths", "metric"),
    [([1, 1, 1], "cosine"), ([1, 0, 1], "cosine"), ([1, 1.4, 0.7], "euclidean"), ([2, 2, 2], "euclidean")],
)
def test_samples_of_unit_length_are_near_by_the_cosine_and_no_others(rng, lengths, metric):
    X = rng.random((3, 5))
    X *= (np.array(lengths) / np.linalg.norm(X, axis=1))[:, None]
    assert nearness(X) == metric


def test_numbers_of_clusters_begin_with_two_where_each_has_samples_enough():
    assert possible_sizes(5) == [1]
    assert possible_sizes(6) == [2]
    sizes = possible_sizes(300)
    assert sizes[:3] == [2, 3, 4]
    assert sizes == sorted(set(sizes))
    assert 80 < sizes[-1] <= 100
    assert all(following <= 1.3 * size for size, following in pairwise(sizes[5:]))
