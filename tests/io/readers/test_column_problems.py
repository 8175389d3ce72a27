"""Everything that is wrong with a table's columns, in one sentence with the options that mend it."""

import re

import pytest
from tests.io.readers.helpers import refused

from manifact.io.readers import read
from manifact.utils.errors import worded

MESSY = """a,b,when,who,ok,d
1,2,2026-01-01,ann,True,1
NA,3,2026-01-02,bob,False,inf
4,,2026-01-02,bob,True,2
5,6,2026-01-03,ann,True,
"""


def test_all_of_it_at_once_with_the_command_that_mends_it(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text(MESSY)
    with pytest.raises(ValueError, match=r"leave out and fill in with drop='when,who,ok' missing='mean'$") as caught:
        read(file)
    told = str(caught.value)
    for part in (
        "a missing value (NA) in line 3, column 'a';",
        "a missing value in line 4, column 'b';",
        "the date '2026-01-01' in line 2, column 'when', and 3 more;",
        "text 'ann' in line 2, column 'who', and 3 more;",
        "a truth value 'True' in line 2, column 'ok', and 3 more;",
        "an infinite value (inf) in line 3, column 'd';",
        "a missing value in line 5, column 'd':",
    ):
        assert part in told
    typed = worded(caught.value, lambda name: f"--{name}")
    assert typed.endswith("--drop='when,who,ok' --missing='mean'")
    found = dict(re.findall(r"(\w+)='([^']*)'", told.rpartition(":")[2]))
    assert read(file, **found).X.shape == (4, 3)


def test_one_problem_of_many_columns_is_said_once(tmp_path):
    names = [f"c{i}" for i in range(30)]
    file = tmp_path / "x.csv"
    file.write_text(
        "\n".join([",".join(["x", *names]), ",".join(["1", *["word"] * 30]), ",".join(["2", *["word"] * 30])])
    )
    with pytest.raises(
        ValueError, match=r"has text in 30 columns \(c0, c1, c2, …\), such as 'word' in line 2: "
    ) as caught:
        read(file)
    assert str(caught.value).count("word") == 1
    assert "c29" in str(caught.value), "the remedy names every column"
    assert read(file, drop=names).X.tolist() == [[1], [2]]


def test_a_name_with_a_comma_is_suggested_by_its_number(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text('a,"b, c",d\n1,u,2\n3,v w,4\n')
    with refused(file, "drop='2'"):
        read(file)
    for drop in ("2", "b, c", ["b, c"], 2):
        assert read(file, drop=drop).feature_names == ["a", "d"]


def test_a_column_without_any_value_is_to_be_left_out(tmp_path):
    file = tmp_path / "x.csv"
    file.write_text("a,b,c\n1,,2\n3,,4\n")
    for missing in (None, "mean", "drop"):
        with refused(file, "missing value in line 2, column 'b', and 1 more: leave it out with drop='b'"):
            read(file, missing=missing)


@pytest.mark.parametrize("line", ["," * 60_000, "x," * 60_000])
def test_a_line_of_very_many_columns_is_refused_at_once_and_in_few_words(tmp_path, line):
    # Once it took time with the square of their number: half a minute.
    file = tmp_path / "x.csv"
    file.write_text(f"{line}\n" * 3)
    with pytest.raises(ValueError, match="leave them out with drop=") as caught:
        read(file)
    assert len(str(caught.value)) < 2000
