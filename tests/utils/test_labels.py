"""What counts as a label, and that everybody who asks agrees."""

import numpy as np
import pytest

from manifact import NMF
from manifact.graphs import LabelGraph
from manifact.report.report_inputs import checked
from manifact.utils.labels import labelled


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([0, -1, 3], [True, False, True]),
        (np.array([0.5, np.nan, -1.0]), [True, False, False]),
        (np.array([np.nan, 1], dtype=np.float32), [False, True]),
        (np.array(["a", None, "", "None"], dtype=object), [True, False, False, True]),
        (["a", float("nan"), -1], [True, False, False]),
        (np.array(["a", float("nan"), -1]), [True, False, False]),  # NumPy has made texts of all
        (np.array(["None", "none", "NA", "0"]), [True, True, True, True]),
        ([], []),
    ],
)
def test_labelled(y, expected):
    found = labelled(y)
    assert found.dtype == bool
    assert found.tolist() == expected


@pytest.mark.parametrize(("name", "known"), [("None", 12), ("", 8), ("-1", 8), ("nan", 8)])
def test_the_page_and_the_graph_count_the_same_samples(name, known):
    X = np.kron(np.eye(3), np.ones((4, 2))) + 0.01
    labels = np.repeat(["a", "b", name], 4)
    page = checked(NMF(3, max_iter=2, random_state=0).fit(X), labels=labels)
    assert (page.class_of >= 0).sum() == known
    assert page.classes == (["None", "a", "b"] if name == "None" else ["a", "b"])
    assert (LabelGraph().build(X, labels).degrees > 0).sum() == known
