"""Tables of text, as programs and people write them."""

import csv
import gzip

import numpy as np
import pytest
from tests.io.readers.helpers import refused

from manifact.io.readers import read


def written(folder, text, name="x.csv", encoding="utf-8"):
    (folder / name).write_bytes(text.encode(encoding))
    return folder / name


@pytest.mark.parametrize(
    ("text", "columns", "names"),
    [
        ("1,2\n3,4\n", None, None),
        ("a,b\n1,2\n3,4\n", ["a", "b"], None),
        ("id,a,b\nr,1,2\ns,3,4\n", ["a", "b"], ["r", "s"]),
        (",a,b\nr,1,2\ns,3,4\n", ["a", "b"], ["r", "s"]),
        (",a,b\n7,1,2\n8,3,4\n", ["a", "b"], ["7", "8"]),
        (",0,1\n0,1,2\n1,3,4\n", ["0", "1"], ["0", "1"]),
        (",2019,2020\nr,1,2\ns,3,4\n", ["2019", "2020"], ["r", "s"]),
        ("a,b\nr,1,2\ns,3,4\n", ["a", "b"], ["r", "s"]),
        ("r,1,2\ns,3,4\n", None, ["r", "s"]),
        ('"a","b"\n"1","2"\n"3","4"\n', ["a", "b"], None),
        ('"x, y","b ""c"""\n1,2\n3,4\n', ["x, y", 'b "c"'], None),
        ("a;b\n1;2\n3;4\n", ["a", "b"], None),
        ("a\tb\n1\t2\n3\t4\n", ["a", "b"], None),
        ("\ufeffa,b\r\n1,2\r\n3,4\r\n", ["a", "b"], None),
        ("a,b\n\n1,2\n\n3,4", ["a", "b"], None),
        ("a,b\n 1 ,2e0\n+3., 4\n", ["a", "b"], None),
        ("1_2,a,b\n1_3,1,2\n1_4,3,4\n", ["a", "b"], ["1_3", "1_4"]),
        ("Größe,b\n1,2\n3,4\n", ["Größe", "b"], None),
    ],
)
def test_layouts(tmp_path, text, columns, names):
    found = read(written(tmp_path, text))
    np.testing.assert_array_equal(found.X, [[1, 2], [3, 4]])
    assert (found.feature_names, found.names, found.labels) == (columns, names, None)


def test_columns_that_pandas_numbered(tmp_path):
    import pandas as pd

    for m, header in ((1, False), (2, False), (3, True), (12, True)):
        pd.DataFrame(np.ones((2, m))).to_csv(tmp_path / "x.csv", index=False)
        found = read(tmp_path / "x.csv")
        assert (found.n_samples, found.feature_names is not None) == (3 - header, header)


@pytest.mark.parametrize(
    "header", ["400,410,420", "2021,2020,2019", "0.5,1.5,2.5", "101.2,333.9,350.1", "1,2.5,3,4.2,6.7", "9,7,6,2,1"]
)
def test_numbers_that_measure_columns_are_a_header(tmp_path, header, rng):
    """Wavelengths, years, m/z: beside a text in the corner they are no sample."""
    columns = header.split(",")
    X = rng.random((6, len(columns))) * 8
    X[::2] = np.sort(X[::2], axis=1)
    X[::2, :2] = X[::2, 1::-1]
    rows = [",".join(map(repr, [f"s{i}", *row.tolist()])).replace("'", "") for i, row in enumerate(X)]
    found = read(written(tmp_path, "\n".join([f"name,{header}", *rows])))
    np.testing.assert_array_equal(found.X, X)
    assert (found.feature_names, found.names) == (columns, [f"s{i}" for i in range(6)])


@pytest.mark.parametrize(
    "text",
    [
        "r,1,2,3\ns,3,4,7\nt,5,6,7\n",  # all in order: a curve like the others
        "r,1,2,4\ns,3,4,2\nt,0,6,5\n",  # in order by chance
        "r,1,2,4,5,9\ns,0,1,5,6,7\nt,5,4,3,1,1\n",
        "r,3,1,2\ns,3,4,2\nt,0,6,5\n",
        "r,1,2,3\n",
    ],
)
def test_a_sample_in_order_is_no_header(tmp_path, text):
    found = read(written(tmp_path, text))
    assert (found.n_samples, found.feature_names) == (text.count("\n"), None)


def test_columns_that_are_asked_for_make_a_header(tmp_path):
    """New samples may be in order by themselves."""
    text = "id,400,410,420\nnew,1,2,3\n"
    assert read(written(tmp_path, text), columns=["410", "400"]).X.tolist() == [[1, 2]]
    assert read(written(tmp_path, text), name="id").names == ["new"]
    classes = "id,kind,400,410,420\na,x,1,2,3\nb,y,3,1,2\n"
    assert read(written(tmp_path, classes), label="kind").labels.tolist() == ["x", "y"]


def test_cells_of_any_length(tmp_path):
    before = csv.field_size_limit()
    long = "x" * 200_000
    assert read(written(tmp_path, f"who,a\n{long},1\ny,2\n")).names == [long, "y"]
    assert csv.field_size_limit() == before


def test_one_column(tmp_path):
    assert read(written(tmp_path, "a\n1\n2\n")).feature_names == ["a"]
    np.testing.assert_array_equal(read(written(tmp_path, "1\n2\n")).X, [[1], [2]])


def test_names_and_labels_by_header(tmp_path):
    file = written(tmp_path, "kind,a,b,who\nx,1,2,ann\ny,3,4,bob\n")
    found = read(file, label="kind", name="who")
    np.testing.assert_array_equal(found.X, [[1, 2], [3, 4]])
    assert (found.names, found.feature_names, found.labels.tolist()) == (["ann", "bob"], ["a", "b"], ["x", "y"])
    middle = read(written(tmp_path, "a,class,b\n1,5,2\n3,-1,4\n"), label="class")
    np.testing.assert_array_equal(middle.X, [[1, 2], [3, 4]])
    assert (middle.labels.tolist(), middle.labels.dtype) == ([5, -1], np.int64)


def test_columns_of_a_model(tmp_path):
    file = written(tmp_path, "who,a,note,b\nx,1,u,2\ny,3,,4\n")
    found = read(file, columns=["b", "a", "z"])
    np.testing.assert_array_equal(found.X, [[1, 2], [3, 4]])
    assert (found.feature_names, found.names) == (["a", "b"], ["x", "y"])
    with refused(file, "has none of the model's columns: they are q, …"):
        read(file, columns=["q"])
    np.testing.assert_array_equal(read(written(tmp_path, "1,2\n3,4\n"), columns=["a"]).X, [[1, 2], [3, 4]])


def test_the_first_sample_is_no_header_for_having_a_class(tmp_path):
    """As the iris data circulate: no header, the class in the last column."""
    file = written(tmp_path, "5.1,3.5,Iris-setosa\n4.9,3.0,Iris-setosa\n")
    found = read(file, label="3")
    assert (found.n_samples, found.labels.tolist()) == (2, ["Iris-setosa"] * 2)
    with refused(file, "text 'Iris-setosa' in line 1, column 3, .*label='3' or name='3'"):
        read(file)


def test_every_digit_comes_back(tmp_path, rng):
    X = rng.standard_normal((600, 13)) * 10.0 ** rng.integers(-300, 300, (600, 13))
    np.savetxt(tmp_path / "x.csv", X, delimiter=",", fmt="%.17g")
    np.testing.assert_array_equal(read(tmp_path / "x.csv").X, X)


def test_pandas_writes_what_we_read(tmp_path, rng):
    import pandas as pd

    frame = pd.DataFrame(rng.random((300, 4)), columns=list("abcd"), index=[f"cell {i}" for i in range(300)])
    frame.to_csv(tmp_path / "x.tsv.gz", sep="\t")
    found = read(tmp_path / "x.tsv.gz")
    np.testing.assert_array_equal(found.X, frame.to_numpy())
    assert (found.names, found.feature_names) == (list(frame.index), list("abcd"))


def test_a_text_file_may_be_a_table(tmp_path):
    np.testing.assert_array_equal(read(written(tmp_path, "1,2\n3,4\n", "x.txt"), kind="table").X, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty: "),
        ("\n\n \n", "is empty"),
        ("a,b\n", "has a header and no samples"),
        ("a,b\n1,2\n3\n", "has 1 cells in line 3 and 2 in the first"),
        ("a,b\n1,2\n3,4,5\n", "has 3 cells in line 3"),
        ("a,b\n1,2\n3,\n", "missing value in line 3, column 'b': fill it in"),
        ("a,b\n1,2\nNA,4\n", r"missing value \(NA\) in line 3, column 'a'"),
        ("1,2\n3,nan\n", r"missing value \(nan\) in line 2, column 2"),
        ("1,2\n3,inf\n", r"\(inf\) in line 2, column 2"),
        ("a,b\n1,2\n3,x\n", "text 'x' in line 3, column 'b'.*label='b' or name='b'"),
        ("a,b\n1,2\n3,1_000\n", "text '1_000' in line 3, column 'b'"),
        ("a;b\n1,5;2.5\n", "has '1,5' in line 2, column 'a', with a decimal comma: say so with decimal=','"),
        ('1,2\n3,"4,5"\n', "has '4,5' in line 2, column 2, with a decimal comma"),
        ("a,a\n1,2\n", "two columns named 'a': rename"),
        ("who,a,b\nx,1,u\ny,2,v\n", "text 'u' in line 2, column 'b'"),
        ("who\nx\ny\n", "has no column of numbers: say with kind='documents'"),
        ('a,b\n"1,2\n3,4\n', "broken line|cells in line"),
        ("NA,1\n2,3\n", r"missing value \(NA\) in line 1, column 1"),
        ("1,1e999\n", "text .1e999. in line 1, column 2"),
    ],
)
def test_broken_tables(tmp_path, text, sentence):
    with refused(tmp_path / "x.csv", sentence):
        read(written(tmp_path, text))


def test_text_after_many_rows(tmp_path):
    lines = ["a,b"] + ["1,2"] * 5000 + ["1,oops"]
    with refused(tmp_path / "x.csv", "text 'oops' in line 5002, column 'b'"):
        read(written(tmp_path, "\n".join(lines)))


def test_columns_that_are_not_there(tmp_path):
    file = written(tmp_path, "a,b\n1,2\n")
    with refused(file, "has no column for label='c', but a, b: choose one of them"):
        read(file, label="c")
    file = written(tmp_path, "1,2\n3,4\n")
    with refused(file, "has no header and name='a': give a column from 1 to 2"):
        read(file, name="a")


@pytest.mark.parametrize("at", [0, 5, 70_000])
def test_not_utf8(tmp_path, at):
    text = "a,b\n" + "1,2\n" * 30_000
    content = text.encode()
    (tmp_path / "x.csv").write_bytes(content[:at] + b"\xe9" + content[at:])
    with refused(tmp_path / "x.csv", rf"is not UTF-8 \(byte {at}\)"):
        read(tmp_path / "x.csv")
    with gzip.open(tmp_path / "y.csv.gz", "wb") as packed:
        packed.write(content[:at] + b"\xe9" + content[at:])
    with refused(tmp_path / "y.csv.gz", rf"is not UTF-8 \(byte {at}\)"):
        read(tmp_path / "y.csv.gz")


def test_what_is_packed_may_be_torn(tmp_path):
    file = tmp_path / "x.csv.gz"
    content = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    file.write_bytes(content[:-9])
    with refused(file, "cannot be read as a table of text"):
        read(file)
    file.write_bytes(b"a,b\n1,2\n")
    with refused(file):
        read(file)


def test_what_would_not_fit_is_refused_first(tmp_path, monkeypatch):
    file = written(tmp_path, "a,b\n" + "1,2\n" * 1000)
    monkeypatch.setattr("manifact.utils.memory.available", lambda: 1000)
    with pytest.raises(MemoryError, match=r"x.csv would need about .* are free"):
        read(file)
