import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from manifact.metrics import accuracy, match, nmi, sparseness

labels = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=30)


@given(labels)
def test_accuracy_is_the_best_over_all_maps(pairs):
    y, clusters = map(np.array, zip(*pairs, strict=True))
    best = max(np.mean([target[c] == t for t, c in pairs]) for target in itertools.permutations(range(5), 4))
    assert accuracy(y, clusters) == pytest.approx(best)
    mapping = match(y, clusters)
    assert len(set(mapping.values())) == len(mapping)
    assert np.mean([mapping.get(c, -1) == t for t, c in pairs]) == pytest.approx(best)


@given(labels)
def test_nmi_is_scikit_learns(pairs):
    y, clusters = map(np.array, zip(*pairs, strict=True))
    for average, name in (("max", "max"), ("sqrt", "geometric")):
        expected = normalized_mutual_info_score(y, clusters, average_method=name)
        assert nmi(y, clusters, average) == pytest.approx(expected, abs=1e-9)


def test_sparseness_is_hoyers():
    x = np.array([3.0, 4.0, 0.0, 0.0])
    assert sparseness(x)[0] == pytest.approx((2 - 7 / 5) / (2 - 1))
    np.testing.assert_allclose(sparseness([[2, 2], [0, 0]]), [0, 0], atol=1e-15)


def test_unknown_average_is_refused():
    with pytest.raises(ValueError, match="average='min' is not known: choose one of 'max', 'sqrt'"):
        nmi([0, 1], [0, 1], "min")


def test_samples_without_a_cluster_agree_with_no_class():
    y, found = [0, 0, 1, 1, 2, 2], [-1, -1, 4, 4, 3, -1]
    assert accuracy(y, found) == pytest.approx(3 / 6)
    assert match(y, found) == {4: 1, 3: 2}
    assert accuracy(y, [-1] * 6) == 0
    # To mutual information they are one cluster more.
    assert nmi(y, found) == nmi(y, [0, 0, 4, 4, 3, 0])


def test_classes_may_be_called_minus_one():
    assert accuracy([-1, -1, 1, 1], [-1, -1, 1, 1]) == 1
