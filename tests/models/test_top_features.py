"""Features that tell what a part is, as a list of names."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import normalize

from manifact import CF, GNMF, NMF, AffinityNMF
from manifact.models.feature_relevance import most_weight, ranked
from manifact.models.registry import entries


def test_what_parts_share_is_not_what_tells():
    """Housekeeping weighs most in each part; markers belong to one."""
    U = np.array([[5.0, 4.0, 3.0, 2.5, 0.0], [5.0, 4.0, 0.0, 0.0, 3.0]])
    model = NMF(2, init=(np.tile([[2.0, 0.1], [0.1, 2.0]], (10, 1)), U), normalize=None, max_iter=1)
    names = ["MALAT1", "B2M", "CD79A", "MS4A1", "NKG7"]
    model.fit(pd.DataFrame(np.tile([[2.0, 0.1], [0.1, 2.0]], (10, 1)) @ U, columns=names))
    assert [part[:2] for part in model.top_features(relevance=1)] == [["MALAT1", "B2M"]] * 2
    assert [part[0] for part in model.top_features(relevance=0.2)] == ["CD79A", "NKG7"]
    assert model.top_features(2, 0.2) == [part[:2] for part in model.top_features(10, 0.2)]


def test_cells_are_told_by_their_markers(home):
    if not (home / "pbmc3k_names.npz").exists():
        pytest.skip("pbmc3k is not in the folder of data sets")
    X = sparse.load_npz(home / "pbmc3k.npz").astype(float)
    genes = np.load(home / "pbmc3k_names.npz")["genes"]
    model = NMF(9, random_state=0).fit(normalize(X.log1p()))
    tops = [set(part) for part in model.top_features(names=genes)]
    for markers in (
        {"CD79A", "MS4A1"},
        {"GZMB", "PRF1", "NKG7"},
        {"FCGR3A", "LST1"},
        {"PPBP", "PF4"},
        {"S100A8", "LYZ"},
    ):
        assert sum(markers <= top for top in tops) == 1
        assert not any(markers & top and {"MALAT1", "B2M", "RPL13"} & top for top in tops)
    # In a part of its own, the one that all cells have, such genes are what tells.
    heavy = [set(part) for part in model.top_features(relevance=1, names=genes)]
    shared = [sum("MALAT1" in top for top in found) for found in (tops, heavy)]
    assert shared[0] < shared[1]


def test_names_from_the_data_given_or_none(rng):
    X = rng.random((20, 5))
    numbers = NMF(2, random_state=0).fit(X).top_features(3)
    assert all(isinstance(feature, int) for part in numbers for feature in part)
    framed = NMF(2, random_state=0).fit(pd.DataFrame(X, columns=list("abcde")))
    assert framed.top_features(3) == [["abcde"[i] for i in part] for part in numbers]
    assert framed.top_features(3, names=list("vwxyz")) == [["vwxyz"[i] for i in part] for part in numbers]


@pytest.mark.parametrize("name", sorted(entries()))
def test_every_model_has_them(name):
    rng = np.random.default_rng(0)
    X = np.kron(np.eye(3), np.ones((8, 4))) + 0.01 * rng.random((24, 12))
    model = entries()[name].cls(3, random_state=0).fit(sparse.csr_array(X), np.repeat([0, 1, 2], 8))
    tops = model.top_features(4)
    assert len(tops) == len(model.components_)
    assert all(0 <= feature < 12 for part in tops for feature in part)
    assert tops == [row.tolist() for row in ranked(model.components_, model.representation_, 4, 0.6)]


def test_signed_parts_are_told_by_what_they_have(rng):
    model = CF(2, random_state=0).fit(rng.standard_normal((20, 6)))
    assert (model.components_ < 0).any()
    model.components_ = np.array([[0.5, -3.0, 1.0, 0.0, -1.0, 1e-4], [-1.0, -2.0, -0.1, 0.001, -4.0, 0.3]])
    assert model.top_features(4) == [[2, 0, 1, 4], [5, 4, 1, 0]]
    assert [row.tolist() for row in most_weight(model.components_, 1)] == [[2], [5]]
    assert model.top_features(3, names=list("abcdef")) == [["c", "a", "−b"], ["f", "−e", "−b"]]
    assert model.top_features(3, relevance=0) == model.top_features(3, relevance=1)


def test_what_cannot_be_is_refused_in_one_sentence(rng):
    X = rng.random((20, 5))
    model = NMF(2, random_state=0).fit(X)
    for bad in (-0.1, 1.5, np.nan):
        with pytest.raises(ValueError, match=r"^relevance=\S+ must be a finite number >= 0 and <= 1$"):
            model.top_features(relevance=bad)
    with pytest.raises(ValueError, match=r"^n=0 must be an integer >= 1$"):
        model.top_features(0)
    with pytest.raises(ValueError, match="names holds 2 names but the model has 5 features"):
        model.top_features(names=["a", "b"])
    with pytest.raises(TypeError, match="names='abcde' must be a sequence of 5 names"):
        model.top_features(names="abcde")
    with pytest.raises(NotFittedError):
        GNMF(2).top_features()
    with pytest.raises(AttributeError, match="has no attribute 'top_features'") as refused:
        CF(2, kernel="rbf", random_state=0).fit(X).top_features()
    assert "has its basis in the kernel's space: use kernel='linear'" in str(refused.value.__cause__)


def test_words_of_a_part_that_the_graph_made():
    """Topics with words of their own and words in common, in a model with two representations."""
    rng = np.random.default_rng(1)
    own = np.kron(np.eye(3), np.ones((20, 6))) * (0.6 + 0.4 * rng.random((60, 18)))
    X = np.hstack([0.9 + 0.2 * rng.random((60, 3)), own])
    model = AffinityNMF(3, random_state=0).fit(X)
    for part in model.top_features(6):
        assert min(part) >= 3
        assert len({(feature - 3) // 6 for feature in part}) == 1
    assert all(set(part[:3]) == {0, 1, 2} for part in model.top_features(3, relevance=1))
