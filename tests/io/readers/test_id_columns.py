"""Ids are left out and name the samples; measurements that are all different stay."""

import numpy as np
import pytest

from manifact.io.readers import read

N = 12


def table(tmp_path, **columns):
    import pandas as pd

    frame = pd.DataFrame({"a": np.linspace(1, 2, N) ** 2, "b": np.arange(N)[::-1] * 0.5, **columns})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    return [tmp_path / "x.csv", tmp_path / "x.parquet"]


CODES = [f"{7919 * i % 65536:04x}-{i:02d}" for i in range(N)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("x", range(N)),
        ("x", range(1, N + 1)),
        ("id", [17 * i % 101 for i in range(N)]),
        ("customer_id", range(5000, 5000 + N)),
        ("PatientID", [3 * i + 9 for i in range(N)]),
        ("Unnamed: 0", range(7, 7 + N)),
        ("index", range(N, 0, -1)),
        ("code", CODES),
        ("uuid", ["alpha", "beta", *CODES[2:]]),
    ],
)
def test_ids(tmp_path, name, values):
    for file in table(tmp_path, **{name: list(values)}):
        found = read(file)
        assert found.feature_names == ["a", "b"]
        assert found.names == [str(value) for value in values]
        assert found.left_out.id_column == name
        assert [str(note) for note in found.left_out.notes] == [
            f"column '{name}' looks like an id and is no feature but names the samples (keep='{name}' makes it one)"
        ]
        if not isinstance(next(iter(values)), str):
            kept = read(file, keep=name)
            assert (kept.feature_names, kept.names) == (["a", "b", name], None)
            np.testing.assert_array_equal(kept.X[:, 2], list(values))


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("x", np.random.default_rng(0).random(N)),  # all different, as measurements are
        ("price", [17 * i % 101 for i in range(N)]),
        ("year", range(1990, 1990 + N)),
        ("rank", np.random.default_rng(0).permutation(N) + 1),
        ("body_mass_index", [17 * i % 101 for i in range(N)]),
        ("amino acid", [17 * i % 101 for i in range(N)]),
    ],
)
def test_measurements(tmp_path, name, values):
    for file in table(tmp_path, **{name: list(values)}):
        found = read(file)
        assert (found.feature_names, found.names, found.left_out.notes) == (["a", "b", name], None, ())


@pytest.mark.parametrize("values", [[1, 1, *range(2, N)], np.random.default_rng(0).random(N)])
def test_what_is_called_an_id_and_is_none_stays_with_a_note(tmp_path, values):
    for file in table(tmp_path, group_id=list(values)):
        found = read(file)
        assert (found.feature_names, found.names) == (["a", "b", "group_id"], None)
        (note,) = map(str, found.left_out.notes)
        assert note.startswith("column 'group_id' is called like an id and still a feature")
        assert "drop='group_id'" in note
        assert read(file, keep="group_id").left_out.notes == (), "asked for"
        assert read(file, columns=["a", "group_id"]).left_out.notes == (), "a model knows its columns"


@pytest.mark.parametrize(
    ("name", "values"), [("bottle_id", [17 * i % 101 for i in range(N)]), ("x", range(N)), ("code", CODES)]
)
def test_rows_that_are_there_twice_have_their_ids_twice(tmp_path, name, values):
    import pandas as pd

    frame = pd.DataFrame({"a": np.linspace(1, 2, N) ** 2, "b": np.arange(N)[::-1] * 0.5, name: list(values)})
    twice = pd.concat([frame, frame[3:8]])
    twice.to_csv(tmp_path / "x.csv", index=False)
    found = read(tmp_path / "x.csv")
    assert found.feature_names == ["a", "b"]
    assert found.names == [str(value) for value in twice[name]]
    twice["a"] = np.arange(len(twice)) ** 0.5  # no copies: the same value for different samples
    if name != "code":
        twice.to_csv(tmp_path / "y.csv", index=False)
        assert name in read(tmp_path / "y.csv").feature_names


def test_an_index_without_a_header_is_told_of(tmp_path):
    import pandas as pd

    frame = pd.DataFrame({"a": [1.5, 2, 4], "b": [3, 1, 2]})
    frame.to_csv(tmp_path / "x.csv")
    found = read(tmp_path / "x.csv")
    assert (found.names, found.feature_names) == (["0", "1", "2"], ["a", "b"])
    assert [str(note) for note in found.left_out.notes] == [
        "the first column has no header, names the samples and is no feature"
    ]
    assert read(tmp_path / "x.csv", columns=["a", "b"]).left_out.notes == ()


def test_few_rows_that_count_are_no_ids(tmp_path):
    (tmp_path / "x.csv").write_text("dose,b\n1,5\n2,3\n3,9\n")
    assert read(tmp_path / "x.csv").feature_names == ["dose", "b"]


def test_samples_that_have_names_keep_them(tmp_path):
    import pandas as pd

    names = [f"sample {i}" for i in range(N)]
    frame = pd.DataFrame({"who": names, "id": range(N), "a": np.random.default_rng(0).random(N)})
    frame.to_csv(tmp_path / "x.csv", index=False)
    found = read(tmp_path / "x.csv")
    assert (found.names, found.feature_names, found.left_out.id_column) == (names, ["a"], None)


def test_a_model_finds_the_ids_of_new_samples(tmp_path):
    from manifact.io import learn

    file = table(tmp_path, id=range(50, 50 + N))[0]
    prepared = learn(read(file))
    (tmp_path / "new.csv").write_text("b,id,extra,a\n1,900,x,1.5\n")
    new = read(tmp_path / "new.csv", **prepared.read_options)
    assert (new.names, new.feature_names) == (["900"], ["b", "a"])
    (tmp_path / "bare.csv").write_text("a,b\n1,2\n")
    assert read(tmp_path / "bare.csv", **prepared.read_options).names is None


def test_columns_without_names_are_left_out_again(tmp_path):
    from manifact.io import learn

    rows = np.column_stack([np.arange(N), np.random.default_rng(0).random((N, 2))])
    np.savetxt(tmp_path / "x.csv", rows, delimiter=",")
    found = read(tmp_path / "x.csv")
    assert (found.X.shape, found.left_out.columns) == ((N, 2), (1,))
    (tmp_path / "new.csv").write_text("33,0.5,0.25\n")
    new = read(tmp_path / "new.csv", **learn(found).read_options)
    assert (new.X.tolist(), new.names) == ([[0.5, 0.25]], ["33"])
