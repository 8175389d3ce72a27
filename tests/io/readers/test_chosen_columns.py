"""Columns by name or number, and what is near to those that are not there."""

import pytest
from tests.io.readers.helpers import refused

from manifact.io.readers import read


@pytest.fixture
def file(tmp_path):
    (tmp_path / "x.csv").write_text("alcohol,ash,hue\n1,2,3\n4,5,6\n")
    return tmp_path / "x.csv"


@pytest.mark.parametrize("drop", ["ash", "2", 2, ["ash"], [2], "ash,2", " ash ", ["ash", "2"]])
def test_ways_to_say_it(file, drop):
    found = read(file, drop=drop)
    assert (found.feature_names, found.X.tolist()) == (["alcohol", "hue"], [[1, 3], [4, 6]])
    assert found.left_out.columns == (2,)


def test_without_a_header_columns_have_numbers(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("1,2,3\n4,5,6\n")
    assert read(file, drop="1,3").X.tolist() == [[2], [5]]
    with refused(file, "has no header and no column '4' for drop=…: give numbers from 1 to 3"):
        read(file, drop="4")


def test_all_that_are_not_there_are_named_with_those_that_are_near(file):
    with refused(file, "has no columns 'alcool', 'asch' for drop=…: did you mean 'alcohol' or 'ash'?"):
        read(file, drop="alcool,hue,asch")
    with refused(file, "has no column 'zzz' for keep=…: choose among alcohol, ash, hue"):
        read(file, keep="zzz")


def test_nothing_may_be_left(file):
    with refused(file, "has no column of numbers"):
        read(file, drop="1,2,3")
