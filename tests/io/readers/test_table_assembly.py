"""Missing values: refused, or their rows left out, or filled with what the training samples have."""

import numpy as np
import pandas as pd
import pytest
from tests.io.readers.helpers import refused

from manifact.io import Preparation, learn, read

FRAME = pd.DataFrame(
    {"who": list("uvwxyz"), "a": [1.0, np.nan, 3, 4, 5, 9], "b": [2, 2, np.inf, 4, 5, 6], "kind": list("ppqqpq")}
)


@pytest.fixture(params=["x.csv", "x.parquet"])
def file(request, tmp_path):
    path = tmp_path / request.param
    FRAME.to_csv(path, index=False) if path.suffix == ".csv" else FRAME.to_parquet(path)
    return path


def test_rows_with_missing_values_are_left_out_with_their_names_and_labels(file):
    found = read(file, missing="drop", label="kind")
    np.testing.assert_array_equal(found.X, [[1, 2], [4, 4], [5, 5], [9, 6]])
    assert (found.names, found.labels.tolist()) == (list("uxyz"), list("pqpq"))
    assert (found.left_out.rows, found.left_out.row_names) == ((1, 2), ("v", "w"))
    assert str(found.left_out.notes[0]) == (
        "2 of 6 rows are left out for 2 missing values in columns 'a', 'b': they are in no cluster"
    )


def test_rows_without_names_keep_their_numbers(file):
    found = read(file, missing="drop", drop="who,kind")
    assert (found.names, found.left_out.row_names) == (["0", "3", "4", "5"], ("1", "2"))


def test_means_are_those_of_the_training_samples(file, tmp_path):
    samples = read(file, missing="mean", label="kind")
    assert np.isnan(samples.X).sum() == 2
    prepared = learn(samples, scale="none")
    expected = FRAME[["a", "b"]].replace(np.inf, np.nan)
    np.testing.assert_allclose(prepared.apply(samples), expected.fillna(expected.mean()))
    (tmp_path / "new.csv").write_text("b,a\n,100\n7,\n")
    again = Preparation.from_dict(prepared.to_dict())
    new = read(tmp_path / "new.csv", **again.read_options)
    np.testing.assert_allclose(again.apply(new), [[100, expected.b.mean()], [expected.a.mean(), 7]])


def test_without_a_word_they_are_refused(file):
    with refused(file, "missing value.*in (line|row) .*column 'a'.*infinite value.*column 'b'.*missing='mean'"):
        read(file, label="kind")
    with pytest.raises(ValueError, match="missing='median' is not known: choose one of 'drop', 'mean'"):
        read(file, missing="median")


def test_no_row_is_complete(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,c\n1,,2\n,3,4\n")
    with refused(tmp_path / "x.csv", "no row without a missing value .*use missing='mean', or leave columns out"):
        read(tmp_path / "x.csv", missing="drop")
    assert np.isnan(read(tmp_path / "x.csv", missing="mean").X).sum() == 2


def test_other_matrices_of_the_same_rows_follow(file):
    found = read(file, missing="drop", label="kind")
    other = np.arange(12.0).reshape(6, 2)
    np.testing.assert_array_equal(found.rows_of(other), other[[0, 3, 4, 5]])
    assert found.rows_of(other[:4]) is not None
    square = np.arange(36.0).reshape(6, 6)
    np.testing.assert_array_equal(found.rows_of(square, square=True), square[np.ix_([0, 3, 4, 5], [0, 3, 4, 5])])


def test_a_model_of_a_table_with_missing_values_reads_other_files(file, tmp_path):
    prepared = learn(read(file, missing="mean", label="kind"), scale="none")
    np.save(tmp_path / "new.npy", np.ones((2, 2)))
    np.testing.assert_array_equal(prepared.apply(read(tmp_path / "new.npy", **prepared.read_options)), np.ones((2, 2)))
    with pytest.raises(ValueError, match=r"is read as a NumPy array, for which missing=… has no meaning"):
        read(tmp_path / "new.npy", missing="mean")
