"""What data are, told by how they begin."""

import io

import numpy as np
import pytest
from scipy.io import mmwrite, savemat
from tests.io.readers.helpers import counts, sparse_counts

from manifact.io.readers.content_formats import format_of, looks_like_a_table


def written(write):
    stream = io.BytesIO()
    write(stream)
    return stream.getvalue()[:1000]


def test_files_that_libraries_write():
    assert format_of(written(lambda stream: np.save(stream, counts()))) == "npy"
    assert format_of(written(lambda stream: np.savez(stream, X=counts()))) == "npz"
    assert format_of(written(lambda stream: mmwrite(stream, sparse_counts()))) == "mtx"
    assert format_of(written(lambda stream: savemat(stream, {"X": counts()}))) == "mat"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (b'{"text": "a"}\n{"text": "b"}', "jsonl"),
        (b'\xef\xbb\xbf{"text": "a"}', "jsonl"),
        (b'"a string"\n"another"\n', "jsonl"),
        (b'"Quoted," he said.\n', None),
        (b"{braces} in prose\n", None),
        (b"a,b\n1,2\n", None),
        (b"", None),
    ],
)
def test_text(text, found):
    assert format_of(text) == found


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("a,b\n1,2\n3,4\n", True),
        ("name;x;y\nfoo;1;2\nbar;3;4\n", True),
        ("1\t2\n3\t4", True),
        ("a line, with a comma\nanother, like it\n", False),
        ("1984\n2001\n", False),
        ("the year 1984, and 2001\n3 cats, 2 dogs\n", False),
        ("a text\ttrain\t3\nanother one\ttest\tx\n", True),
        ("a line with\ta tab\nand one without\n", False),
        ("one line\twith a tab", False),
        ("", False),
    ],
)
def test_tables(text, table):
    assert looks_like_a_table(text.encode()) is table
