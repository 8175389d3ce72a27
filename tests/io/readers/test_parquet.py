"""Parquet files that pyarrow and pandas write."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.io.readers.helpers import refused

from manifact.io.readers import read


@pytest.fixture
def file(tmp_path):
    return tmp_path / "x.parquet"


def test_numbers_with_their_columns(file, rng):
    X = rng.random((50, 3)).astype(np.float32)
    pq.write_table(pa.table(dict(zip("abc", X.T, strict=True))), file)
    found = read(file)
    np.testing.assert_array_equal(found.X, X)
    assert (found.X.dtype, found.feature_names, found.names) == (np.float32, ["a", "b", "c"], None)


def test_mixed_numbers(file):
    pq.write_table(pa.table({"a": [1, 2], "b": [0.5, 1.5], "c": [True, False]}), file)
    np.testing.assert_array_equal(read(file).X, [[1, 0.5, 1], [2, 1.5, 0]])


def test_the_index_of_pandas_names_the_samples(file, rng):
    frame = pd.DataFrame(rng.random((4, 2)), columns=["a", "b"], index=pd.Index(list("wxyz"), name="cell"))
    frame.to_parquet(file)
    found = read(file)
    assert (found.names, found.feature_names) == (list("wxyz"), ["a", "b"])
    frame.reset_index(drop=True).to_parquet(file)
    assert read(file).names is None
    frame.rename_axis(None).to_parquet(file)
    assert read(file).names == list("wxyz")


def test_columns_of_text(file):
    frame = pd.DataFrame({"who": ["x", "y"], "a": [1.0, 2], "kind": pd.Categorical(["u", None]), "n": [3, 4]})
    frame.to_parquet(file)
    found = read(file, label="kind")
    assert (found.names, found.labels.tolist(), found.feature_names) == (["x", "y"], ["u", ""], ["a", "n"])
    assert read(file, label="kind", name="who").names == ["x", "y"]
    assert read(file, label="kind", name="who").X.tolist() == [[1, 3], [2, 4]]
    with refused(
        file,
        "has dictionary<.*> in column 'kind': "
        "leave it out with drop='kind', or use it with label='kind' or name='kind'",
    ):
        read(file)
    with refused(file, "has no field for name='q', but who, a, kind, n"):
        read(file, name="q")


def test_columns_of_a_model(file):
    pq.write_table(pa.table({"a": [1, 2], "note": ["u", None], "b": [3, 4]}), file)
    found = read(file, columns=["b", "a", "z"])
    assert (found.feature_names, found.X.tolist()) == (["a", "b"], [[1, 3], [2, 4]])
    with refused(file, "has none of the model's columns: they are q"):
        read(file, columns=["q"])


def test_documents(file):
    pq.write_table(pa.table({"body": ["one", "two"], "id": [7, 8], "tag": ["s", "t"]}), file)
    found = read(file, text="body", name="id", label="tag")
    assert (found.kind, found.texts, found.names) == ("documents", ["one", "two"], ["7", "8"])
    assert found.labels.tolist() == ["s", "t"]
    with refused(file, "has no field for text='text', but body, id, tag"):
        read(file, kind="documents")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"a": [1.0, None]}, "missing value in row 2, column 'a'"),
        ({"a": [1.0, float("nan")]}, r"has a missing value \(nan\) in row 2, column 'a'"),
        ({"a": [1, 2], "b": ["x", "y"]}, "has string in column 'b'"),
        ({"a": [[1], [2]]}, "has list<.*> in column 'a'"),
        ({"a": pa.array([], type=pa.float64())}, "0 x 1 values"),
        ({"a": ["x", "y"]}, "has no column of numbers"),
        ({}, "has no column of numbers"),
    ],
)
def test_broken(file, columns, sentence):
    pq.write_table(pa.table(columns), file)
    with refused(file, sentence):
        read(file)


def test_two_columns_of_one_name(file):
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), file)
    with refused(file, "two columns named 'a'"):
        read(file)


def test_without_pyarrow(file, monkeypatch):
    pq.write_table(pa.table({"a": [1]}), file)
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    with pytest.raises(ImportError, match=r"x.parquet needs pyarrow: pip install pyarrow$"):
        read(file)
