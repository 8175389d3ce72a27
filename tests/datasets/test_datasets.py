import numpy as np
import pytest
from scipy import sparse

from manifact.datasets import NAMES, load, load_digits, load_stdlib_docs, tfidf, unit_length

SHAPES = {
    "coil20": (1440, 1024, 20), "pie": (2856, 1024, 68), "yale": (165, 1024, 15), "orl": (400, 1024, 40),
    "umist": (575, 644, 20), "binalpha": (1404, 320, 36), "mnist": (70000, 784, 10), "tdt2": (9394, 36771, 30),
    "reuters": (8293, 18933, 65), "news20": (18846, 26214, 20), "pbmc3k": (2700, 13714, 9),
}  # fmt: skip


def test_every_name_has_a_shape():
    assert set(SHAPES) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_the_papers_sets_have_their_published_shape(home, name):
    data = load(name, home)
    assert (*data.X.shape, data.n_classes) == SHAPES[name]
    assert len(data.y) == data.X.shape[0]
    assert data.X.min() >= 0
    if data.image_shape:
        assert np.prod(data.image_shape) == data.X.shape[1]


def test_a_missing_set_says_where_to_put_it(tmp_path, monkeypatch):
    monkeypatch.setenv("MANIFACT_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"coil20 is not in .*: put coil20.npz there, or set MANIFACT_DATA"):
        load("coil20")
    with pytest.raises(ValueError, match="name='iris' is not known"):
        load("iris")


def test_bundled_sets():
    digits, docs = load_digits(), load_stdlib_docs()
    assert digits.X.shape == (1797, 64)
    assert docs.n_classes == 10
    assert docs.X.shape[0] > 1000
    assert docs.X.shape[1] == len(docs.feature_names)
    assert np.bincount(docs.y).min() > 20


def test_tfidf_is_the_papers():
    counts = np.array([[2, 1, 0, 5], [0, 3, 1, 5], [1, 0, 0, 5]])
    df = (counts > 0).sum(axis=0)
    expected = np.where(counts > 0, 1 + np.log(np.maximum(counts, 1)), 0) * np.log(3 / df)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    X = sparse.csr_array(counts.astype(np.uint8))
    np.testing.assert_allclose(tfidf(X).toarray(), expected)
    assert X.dtype == np.uint8


def test_unit_length():
    X = unit_length(np.array([[3, 4], [0, 0]], dtype=np.uint8))
    np.testing.assert_allclose(X, [[0.6, 0.8], [0, 0]])
    assert unit_length(np.ones((1, 4), dtype=np.float32)).dtype == np.float32
