"""What `AutoGraph` is made of, beside the choice itself (`test_graph_choice`)."""

import numpy as np
import pytest

from manifact.graphs.auto import nearness


@pytest.mark.parametrize(
    ("lengths", "metric"),
    [([1, 1, 1], "cosine"), ([1, 0, 1], "cosine"), ([1, 1.4, 0.7], "euclidean"), ([2, 2, 2], "euclidean")],
)
def test_samples_of_unit_length_are_near_by_the_cosine_and_no_others(rng, lengths, metric):
    X = rng.random((3, 5))
    X *= (np.array(lengths) / np.linalg.norm(X, axis=1))[:, None]
    assert nearness(X) == metric
