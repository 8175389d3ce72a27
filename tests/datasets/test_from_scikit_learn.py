from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets
from scipy import sparse
from sklearn.utils import Bunch

from manifact.datasets import DownloadError, load_newsgroups, load_olivetti, load_rcv1


def give(monkeypatch, function, bunch):
    """scikit-learn's function as it answers with a network; what it was called with."""
    calls = {}

    def fetch(**options):
        calls.update(options)
        return bunch

    monkeypatch.setattr(sklearn.datasets, function, fetch)
    return calls


def test_olivetti(monkeypatch, tmp_path):
    bunch = Bunch(data=np.ones((400, 4096), np.float32), target=np.arange(400) // 10)
    calls = give(monkeypatch, "fetch_olivetti_faces", bunch)
    data = load_olivetti(tmp_path)
    assert (data.X.shape, data.n_classes, data.image_shape) == ((400, 4096), 40, (64, 64))
    assert calls == {"data_home": str(tmp_path / "scikit_learn")}


def test_newsgroups_are_counts_of_training_and_test(monkeypatch, tmp_path):
    X = sparse.csr_matrix([[1, 0], [0, 2]])
    bunch = Bunch(data=X, target=np.array([1, 0]), feature_names=["a", "b"], target_names=["x", "y"])
    calls = give(monkeypatch, "fetch_20newsgroups_vectorized", bunch)
    data = load_newsgroups(tmp_path)
    assert isinstance(data.X, sparse.csr_array)
    assert data.feature_names.tolist() == ["a", "b"]
    assert data.target_names.tolist() == ["x", "y"]
    assert calls["subset"] == "all"
    assert calls["normalize"] is False


def test_rcv1_has_the_topics_at_the_top(monkeypatch, tmp_path):
    topics = np.array(["C11", "CCAT", "ECAT", "GCAT", "MCAT"])
    target = sparse.csr_matrix([[1, 1, 0, 0, 0], [0, 0, 0, 0, 1], [0, 1, 1, 0, 0], [1, 0, 0, 0, 0]], dtype=np.uint8)
    bunch = Bunch(data=sparse.csr_matrix(np.eye(4)), target=target, target_names=topics)
    give(monkeypatch, "fetch_rcv1", bunch)
    data = load_rcv1(tmp_path)
    assert data.y.tolist() == [0, 3, -1, -1]
    assert data.target_names.tolist() == ["CCAT", "ECAT", "GCAT", "MCAT"]


@pytest.mark.parametrize(
    ("load", "function"),
    [
        (load_olivetti, "fetch_olivetti_faces"),
        (load_newsgroups, "fetch_20newsgroups_vectorized"),
        (load_rcv1, "fetch_rcv1"),
    ],
)
def test_without_a_network_one_sentence(monkeypatch, tmp_path, load, function):
    def offline(**options):
        raise URLError("no route to host")

    monkeypatch.setattr(sklearn.datasets, function, offline)
    with pytest.raises(DownloadError) as refusal:
        load(tmp_path)
    for part in (function, str(tmp_path), "no route to host", "scikit_learn_data"):
        assert part in str(refusal.value)
