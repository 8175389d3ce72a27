"""Decimal commas: found where nothing else fits, taken where asked for, never taken for thousands."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from tests.io.readers.helpers import refused

from manifact.io import Preparation, learn, read

WINE = load_wine(as_frame=True).data


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize(("name", "separator"), [("x.csv", ";"), ("x.tsv", "\t"), ("x.csv", "\t")])
def test_they_are_found(tmp_path, name, separator, header):
    file = tmp_path / name
    WINE.to_csv(file, sep=separator, decimal=",", index=False, header=header)
    found = read(file)
    np.testing.assert_array_equal(found.X, WINE)
    assert found.feature_names == (list(WINE) if header else None)
    where = "'14,23' in column 'alcohol'" if header else "'13,2' in column 1"
    assert [str(note) for note in found.left_out.notes] == [f"numbers are read with decimal commas, such as {where}"]


def test_in_cells_between_commas_they_are_asked_for_in_one_short_sentence(tmp_path):
    file = tmp_path / "x.csv"
    WINE.to_csv(file, decimal=",", index=False)
    sentence = r"decimal commas in 13 columns \(alcohol, malic_acid, ash, …\), such as '14,23' in line 2: .*decimal=','"
    with refused(file, sentence):
        read(file)
    found = read(file, decimal=",")
    np.testing.assert_array_equal(found.X, WINE)
    assert found.left_out.notes == (), "asked for"


@pytest.mark.parametrize("separator", [",", ";"])
def test_thousands_are_not_decimals(tmp_path, separator):
    file = tmp_path / "x.csv"
    WINE.astype(int).assign(proline=WINE.proline.map("{:,.0f}".format)).to_csv(file, sep=separator, index=False)
    with refused(file, r"'1,065' in line 2, column 'proline', whose comma may separate thousands or decimals, and 42"):
        read(file)


def test_three_decimals_are_decimals_beside_others_that_are(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a;b\n1,065;0,5\n2,250;7\n")
    np.testing.assert_array_equal(read(file).X, [[1.065, 0.5], [2.25, 7]])
    file.write_text("a;b\n1,065;5\n0,250;7\n")
    np.testing.assert_array_equal(read(file).X, [[1.065, 5], [0.25, 7]])
    file.write_text("a;b\n1,065;5\n735;7\n")
    with refused(file, "thousands"):
        read(file)
    np.testing.assert_array_equal(read(file, decimal=",").X, [[1.065, 5], [735, 7]])


def test_points_among_them_are_refused(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a;b\n1.065,5;5\n735,2;7\n")
    for decimal in (None, ",", "."):
        with refused(file, r"has '1\.065,5' in line 2, column 'a', whose point may separate thousands"):
            read(file, decimal=decimal)
    file.write_text("a;b\n1.065;5\n735;7\n")
    with refused(file, r"'1\.065' in line 2, column 'a', whose point may separate thousands: .*decimal='\.'"):
        read(file, decimal=",")


def test_names_labels_and_missing_values_stay(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("who;a;b;kind\nu;1,5;2;0,5\nv;;3,25;0,5\nw;4;5;1,5\n")
    found = read(file, label="kind", missing="drop")
    np.testing.assert_array_equal(found.X, [[1.5, 2], [4, 5]])
    assert (found.names, found.labels.tolist()) == (["u", "w"], ["0,5", "1,5"])


def test_what_was_asked_for_is_remembered(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a;b\n1,065;5\n735;7\n2;1\n")
    prepared = learn(read(file, decimal=","))
    again = Preparation.from_dict(prepared.to_dict())
    assert again == prepared
    assert again.read_options["decimal"] == ","
    np.testing.assert_array_equal(read(file, **again.read_options).X[:, 0], [1.065, 735, 2])


def test_another_mark_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"decimal=';' is not known: choose one of '\.', ','"):
        read(tmp_path / "x.csv", decimal=";")
