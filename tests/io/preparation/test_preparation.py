"""From samples to X and back through JSON."""

import json
from collections import Counter

import numpy as np
import pytest
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from tests.io.counting import count_analysed

from manifact.datasets import load
from manifact.io.preparation import Preparation, learn, learn_and_apply
from manifact.io.preparation.vocabulary import TOKEN, stop_words
from manifact.io.readers import Samples, read

TEXTS = [
    "The cat sat on the mat, and the cat slept in 1999.",
    "Dogs and cats don't share a system of 42 rules.",
    "A dog barks; dogs bark; the barking dog.",
    "Interest rates rose: the bank's bill was paid.",
    "",
]
NEW = ["cats bark at the bank", "zzz 1999 qqq", "don't"]


def documents(texts=TEXTS):
    return Samples("documents", "d.txt", texts=list(texts))


def table(X, names=None, **more):
    return Samples("table", "t.csv", X, feature_names=names, **more)


def stored(preparation):
    return Preparation.from_dict(json.loads(json.dumps(preparation.to_dict(), allow_nan=False)))


def identical(A, B):
    assert type(A) is type(B)
    assert A.dtype == B.dtype
    if sparse.issparse(A):
        for part in ("indptr", "indices", "data"):
            np.testing.assert_array_equal(getattr(A, part), getattr(B, part))
    else:
        np.testing.assert_array_equal(A, B)


@pytest.mark.parametrize("scale", ["unit", "sum", "none"])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weighting": "counts"},
        {"ngrams": (1, 2)},
        {"stop_words": None, "min_df": 2, "max_df": 0.9},
        {"stop_words": ["Cat", "dog"], "max_features": 7},
    ],
)
def test_documents_come_back_to_the_last_bit(scale, options):
    preparation = learn(documents(), scale=scale, **options)
    again = stored(preparation)
    assert again == preparation
    for texts in (TEXTS, NEW):
        identical(again.apply(documents(texts)), preparation.apply(documents(texts)))


def test_documents_are_weighted_as_scikit_learn_does():
    theirs = TfidfVectorizer(sublinear_tf=True, token_pattern=TOKEN, stop_words=stop_words("english"))
    expected = theirs.fit_transform(TEXTS)
    preparation = learn(documents())
    X = preparation.apply(documents())
    assert preparation.feature_names == theirs.get_feature_names_out().tolist()
    np.testing.assert_allclose(X.toarray(), expected.toarray(), atol=1e-15)
    np.testing.assert_allclose(preparation.apply(documents(NEW)).toarray(), theirs.transform(NEW).toarray(), atol=1e-15)
    assert (X.format, X.dtype) == ("csr", np.float64)


def test_words():
    names = learn(documents()).feature_names
    assert {"cat", "interest", "bill", "system", "barks"} <= set(names)
    assert not {"the", "on", "don", "1999", "42", "t", "s"} & set(names)
    assert "the" in learn(documents(), stop_words="none").feature_names
    assert "cat" not in learn(documents(), stop_words=["CAT"]).feature_names
    assert "cat sat" in learn(documents(), ngrams=(2, 2)).feature_names
    assert "3d" in learn(documents(["3d x2 éa 33 __ _a"]), stop_words=None).feature_names


def test_documents_without_known_words_are_zero_rows():
    for scale in ("unit", "sum", "none"):
        X = learn(documents(), scale=scale).apply(documents(NEW))
        assert X[[1]].nnz == 0
        assert np.isfinite(X.data).all()


def test_rare_and_common_words_of_many_documents():
    texts = [f"same here {i} word{i % 50} once{i}x" for i in range(101)]
    names = learn(documents(texts), stop_words=None).feature_names
    assert set(names) == {f"word{i}" for i in range(50)}
    few = learn(documents(texts[:100]), stop_words=None).feature_names
    assert {"same", "here", "once7x"} <= set(few)


@pytest.mark.parametrize("texts", [["the of and"], ["12 34"], ["", " "]])
def test_an_empty_vocabulary_is_refused_with_the_remedy(texts):
    with pytest.raises(ValueError, match=r"^d.txt leaves no words of its \d documents with min_df=1.*: lower min_df"):
        learn(documents(texts))
    with pytest.raises(ValueError, match=r"min_df=4, max_df=2 and"):
        learn(documents(), min_df=4, max_df=2)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"scale": "max"}, "scale='max' is not known: choose one of 'auto', 'unit', 'sum', 'none'"),
        ({"weighting": "bm25"}, "weighting='bm25' is not known"),
        ({"stop_words": "latin"}, "stop_words='latin' is not known"),
        ({"min_df": -1}, "min_df=-1 must be"),
        ({"max_df": 1.5}, "max_df=1.5 must be"),
        ({"max_features": 0}, "max_features=0 must be"),
        ({"ngrams": (2, 1)}, r"ngrams=\(2, 1\) must be"),
        ({"ngrams": (1,)}, r"ngrams=\(1,\) must be"),
    ],
)
def test_wrong_options(options, sentence):
    with pytest.raises(ValueError, match=sentence):
        learn(documents(), **options)


@pytest.mark.parametrize(
    ("options", "shown"),
    [
        ({"weighting": "tfidf"}, "weighting='tfidf'"),
        ({"min_df": 2}, "min_df=2"),
        ({"max_df": 0.5}, "max_df=0.5"),
        ({"max_features": 10}, "max_features=10"),
        ({"ngrams": (1, 1)}, r"ngrams=\(1, 1\)"),
        ({"stop_words": "english"}, "stop_words='english'"),
        ({"stop_words": None}, "stop_words='none'"),
        ({"stop_words": ["the"]}, "stop_words=…"),
    ],
)
def test_words_are_for_documents(options, shown):
    with pytest.raises(ValueError, match=rf"^{shown} is for documents, not for a table: leave it out$"):
        learn(table(np.ones((2, 2))), **options)
    with pytest.raises(ValueError, match=rf"^{shown} is for documents, not for images: leave it out$"):
        learn(images(np.ones((2, 4), dtype=np.uint8), (2, 2)), **options)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_tables_are_scaled(kind, rng):
    X = rng.random((6, 4))
    X[3] = 0
    lengths = {"unit": lambda Y: np.linalg.norm(Y, axis=1), "sum": lambda Y: Y.sum(axis=1)}
    for scale, length in lengths.items():
        Y = learn(table(kind(X)), scale=scale).apply(table(kind(X)))
        assert sparse.issparse(Y) == (kind is sparse.csr_array)
        dense = Y.toarray() if sparse.issparse(Y) else Y
        np.testing.assert_allclose(length(dense), [1, 1, 1, 0, 1, 1])
        np.testing.assert_allclose(dense * length(X)[:, None], X)
    given = kind(X)
    Y = learn(table(given), scale="none").apply(table(given))
    identical(Y, given)


@pytest.mark.parametrize(("dtype", "result"), [(bool, "f8"), (np.uint8, "f8"), (np.float32, "f4"), (np.float64, "f8")])
def test_number_types(dtype, result):
    X = np.array([[1, 0], [1, 1]], dtype=dtype)
    before = X.copy()
    for Y in (X, sparse.csr_array(X)):
        assert learn(table(Y)).apply(table(Y)).dtype == result
    np.testing.assert_array_equal(X, before)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_columns_are_matched_by_name(kind):
    X = np.array([[1.0, 2, 3]])
    preparation = stored(learn(table(kind(X), ["a", "b", "c"]), scale="none"))
    other = table(kind(np.array([[3.0, 9, 1, 2]])), ["c", "new", "a", "b"])
    Y = preparation.apply(other)
    np.testing.assert_array_equal(Y.toarray() if sparse.issparse(Y) else Y, X)
    with pytest.raises(ValueError, match=r"^t.csv lacks 2 of the model's 3 columns \('a', 'c'\): add them"):
        preparation.apply(table(kind(X), ["b", "x", "y"]))


def test_columns_that_share_a_name_are_not_matched(tmp_path):
    """Several columns without a header must not become one."""
    (tmp_path / "t.csv").write_text("who,a,,\nx,1,2,3\ny,4,5,6\n")
    (tmp_path / "new.csv").write_text("who,,a,\nz,2,1,3\n")
    training = read(tmp_path / "t.csv")
    preparation = stored(learn(training, scale="none"))
    np.testing.assert_array_equal(preparation.apply(training), [[1, 2, 3], [4, 5, 6]])
    new = read(tmp_path / "new.csv", **preparation.read_options)
    with pytest.raises(ValueError, match=r"new.csv has other columns .* several are without a name: give each a name"):
        preparation.apply(new)
    with pytest.raises(ValueError, match="several are named 'b'"):
        learn(table(np.ones((1, 2)), ["a", "b"])).apply(table(np.ones((1, 3)), ["b", "b", "a"]))


def test_a_fitted_model_reads_a_table_with_more_in_it(tmp_path):
    (tmp_path / "t.csv").write_text("who,a,kind,b\nx,1,u,2\ny,3,v,4\n")
    preparation = learn(read(tmp_path / "t.csv", label="kind"), scale="none")
    (tmp_path / "new.csv").write_text("who,kind,b,note,a\nz,v,6,hm,5\n")
    new = read(tmp_path / "new.csv", **stored(preparation).read_options)
    np.testing.assert_array_equal(preparation.apply(new), [[5, 6]])


def test_without_names_the_number_of_columns_must_agree():
    named, bare = table(np.ones((2, 3)), ["a", "b", "c"]), table(np.ones((2, 3)))
    for first, second in ((named, bare), (bare, named), (bare, bare)):
        assert learn(first).apply(second).shape == (2, 3)
    for first in (named, bare):
        with pytest.raises(ValueError, match=r"^t.csv has 4 columns and the model was fitted to 3"):
            learn(first).apply(table(np.ones((2, 4))))


def test_tables_and_images_come_back(rng):
    X = rng.random((5, 6))
    for samples in (table(X, list("abcdef"), image_shape=(2, 3)), table(X), table(sparse.csr_array(X))):
        preparation = learn(samples)
        assert stored(preparation) == preparation
        assert stored(preparation).image_shape == samples.image_shape
        identical(stored(preparation).apply(samples), preparation.apply(samples))


def images(X, shape):
    return Samples("images", "folder", X, image_shape=shape)


def test_pixels():
    X = np.array([[0, 51, 255, 102]], dtype=np.uint8)
    preparation = learn(images(X, (2, 2)), scale="none")
    np.testing.assert_allclose(preparation.apply(images(X, (2, 2))), [[0, 0.2, 1, 0.4]], atol=1e-7)
    assert preparation.apply(images(X, (2, 2))).dtype == np.float32
    again = stored(preparation)
    assert (again, again.image_shape) == (preparation, (2, 2))
    identical(again.apply(images(X, (2, 2))), preparation.apply(images(X, (2, 2))))
    with pytest.raises(ValueError, match="folder holds images of 1 x 4 and the model was fitted to 2 x 2"):
        preparation.apply(images(X, (1, 4)))
    assert preparation.read_options == {"kind": "images", "image_size": (2, 2), "color": False}


def test_real_data_as_the_papers_prepare_them(home):
    from manifact.datasets import unit_length

    faces = read(home / "yale32.npz")
    preparation = learn(faces)
    np.testing.assert_array_equal(preparation.apply(faces), unit_length(load("yale", home).X))
    assert stored(preparation).image_shape == (32, 32)


def test_another_kind_is_refused():
    words, numbers = learn(documents()), learn(table(np.ones((2, 2))))
    with pytest.raises(ValueError, match=r"^t.csv holds a table and the model was fitted to documents: give it doc"):
        words.apply(table(np.ones((2, 2))))
    with pytest.raises(ValueError, match=r"^d.txt holds documents and the model was fitted to a table"):
        numbers.apply(documents())


@pytest.mark.parametrize(
    "changes",
    [
        {"kind": "sounds"},
        {"kind": None},
        {"version": 99},
        {"version": "1"},
        {"scale": "max"},
        {"idf": [1.0]},
        {"vocabulary": ["a"], "idf": [float("nan")]},
        {"vocabulary": ["a"], "idf": ["1"]},
        {"weighting": "counts"},
        {"vocabulary": None},
        {"vocabulary": ["a", 3], "idf": [1.0, 1.0]},
        {"ngrams": 4},
        {"ngrams": [2, 1]},
        {"stop_words": [1]},
        {"token_pattern": "("},
        {"token_pattern": r"(?:(?:\w+)+)+!"},
    ],
)
def test_what_another_version_or_an_accident_wrote_is_refused(changes):
    facts = learn(documents()).to_dict()
    with pytest.raises(ValueError, match=r"^the model's preparation is .*fit the model again$"):
        Preparation.from_dict({**facts, **changes})
    for key in changes:
        with pytest.raises(ValueError, match=r"^the model's preparation is "):
            Preparation.from_dict({other: value for other, value in facts.items() if other != key})


@pytest.mark.parametrize("scale", ["unit", "sum", "none"])
@pytest.mark.parametrize(
    "options", [{}, {"weighting": "counts"}, {"ngrams": (1, 2)}, {"min_df": 2, "stop_words": None}, {"max_features": 5}]
)
def test_learning_and_applying_at_once_is_the_same_to_the_last_bit(scale, options):
    preparation, X = learn_and_apply(documents(), scale=scale, **options)
    assert preparation == learn(documents(), scale=scale, **options)
    again = preparation.apply(documents())
    identical(X, again)
    assert X.indices.dtype == again.indices.dtype


def test_learning_and_applying_at_once_to_tables_and_images(rng):
    numbers, pixels = table(rng.random((5, 6))), images(np.arange(8, dtype=np.uint8).reshape(2, 4), (2, 2))
    for samples in (numbers, pixels):
        preparation, X = learn_and_apply(samples)
        assert preparation == learn(samples)
        identical(X, preparation.apply(samples))


def test_documents_are_split_into_words_once(monkeypatch):
    seen = count_analysed(monkeypatch)
    learn_and_apply(documents(), ngrams=(1, 2))
    assert seen == Counter(TEXTS)


def test_unknown_options():
    with pytest.raises(TypeError, match="colour=… is not known: choose among"):
        learn(documents(), colour=3)
    with pytest.raises(ValueError, match=r"columns='max' is for tables, not for documents"):
        learn(documents(), columns="max")
