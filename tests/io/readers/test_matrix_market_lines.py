"""The check of Matrix Market files that every reader of them shares; tests/reading/test_market.py has the formats."""

import io

import pytest

from manifact.io.readers.matrix_market_lines import MatrixMarketError, check, ended

LINES = b"%%MatrixMarket matrix coordinate integer general\n%\n2 3 2\n1 1 4\n2 3 5\n"


@pytest.mark.parametrize(("content", "whole"), [(LINES, True), (LINES.rstrip(), False), (LINES + b"\n \n", False)])
def test_whether_the_last_line_ends_as_the_others(content, whole):
    assert check(io.BytesIO(content), "x.mtx") is whole
    assert ended(content).read() == LINES


def test_what_was_found_and_the_remedy_are_apart():
    with pytest.raises(MatrixMarketError, match=r"^it has 1 entries and its head says 2$") as caught:
        check(io.BytesIO(LINES[: LINES.index(b"2 3 5")]), "x.mtx")
    assert caught.value.found == "has 1 entries and its head says 2"
    assert caught.value.remedy.startswith("it is cut short")


def test_sizes_that_do_not_fit_are_refused_by_name_before_a_line_is_read():
    with pytest.raises(MemoryError, match=r"^x.mtx would need about .* GiB"):
        check(io.BytesIO(LINES.replace(b"2 3 2", b"900000000000000 3 2")), "x.mtx")
