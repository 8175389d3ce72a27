"""Fields of records that may name the documents."""

import pytest

from manifact.io.readers import id_columns
from manifact.io.readers.id_fields import IdFields

RECORDS = [
    {"text": "a", "key": f"k{i}", "stars": i % 5, "n": i, "title": f"some words {i}", "id": None if i == 3 else i}
    for i in range(40)
]


def seen(records, **options):
    ids = IdFields(("text", None), **options)
    return ids, [ids.add(record) for record in records]


def test_what_may_be_ids_is_kept_and_nothing_else():
    ids, _ = seen(RECORDS)
    assert ids.columns() == {"key": [f"k{i}" for i in range(40)], "n": [str(i) for i in range(40)]}
    assert id_columns.of_documents(ids.columns())[:2] == ["k0", "k1"]


@pytest.mark.parametrize("records", [[], [{}], [{"text": "a"}, {"text": "b"}], [{"id": 1.5}], [{"id": [1]}]])
def test_nothing_to_keep(records):
    assert seen(records)[0].columns() == {}


def test_bytes_that_are_kept_are_told():
    _, sizes = seen(RECORDS)
    assert sizes[-1] == 2 * 60 + len("k39") + len("39")
    assert sum(sizes) == sum(60 + len(cell) for i in range(40) for cell in (f"k{i}", str(i)))


def test_too_many_are_given_up():
    assert seen(RECORDS, most=1000)[0].columns() == {}
