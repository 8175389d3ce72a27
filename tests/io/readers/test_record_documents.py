"""Documents in JSON lines and in the rows of tables."""

import csv
import json

import pytest
from tests.io.readers.helpers import refused

from manifact.io.readers import read


def lines(folder, *records):
    (folder / "x.jsonl").write_text("\n".join(r if isinstance(r, str) else json.dumps(r) for r in records))
    return folder / "x.jsonl"


def test_records(tmp_path):
    file = lines(
        tmp_path, {"text": "a", "id": 7, "kind": "x", "longer": "bbbb"}, "", {"text": "c", "id": 8, "kind": None}
    )
    found = read(file, name="id", label="kind")
    assert (found.texts, found.names, found.labels.tolist()) == (["a", "c"], ["7", "8"], ["x", ""])
    assert read(file, text="text").texts == ["a", "c"]


def test_the_field_with_most_text(tmp_path):
    file = lines(tmp_path, {"id": "7", "body": "long text", "n": 3}, {"id": "8", "body": "more text", "n": 4})
    assert read(file).texts == ["long text", "more text"]


def test_strings(tmp_path):
    assert read(lines(tmp_path, '"one"', '"tw\\u00f6"')).texts == ["one", "twö"]
    with refused(tmp_path / "x.jsonl", "strings without fields"):
        read(tmp_path / "x.jsonl", text="text")


@pytest.mark.parametrize(
    ("records", "sentence"),
    [
        ([], "has no records"),
        (["{"], "has no JSON in line 1"),
        (['{"text": "a"}', '{"text": "b'], r"has no JSON in line 2 \(Unterminated string"),
        (["[1, 2]"], "neither an object nor a string in line 1"),
        (["3"], "neither an object nor a string in line 1"),
        ([{"text": "a"}, "", {"other": "b"}], "has no field 'text' in line 3, but 'other': add it"),
        ([{"text": "a"}, {"text": 4}], "has no text in field 'text' of line 2"),
        ([{"n": 4}], "has no field of text"),
        ([{"text": "a"}, '"b"'], "has a string in line 2 and objects in others"),
        (["[" * 100_000], "nested too deeply|has no JSON"),
    ],
)
def test_broken_records(tmp_path, records, sentence):
    with refused(tmp_path / "x.jsonl", sentence):
        read(lines(tmp_path, *records))


def test_records_that_are_not_utf8(tmp_path):
    (tmp_path / "x.jsonl").write_bytes(b'{"text": "caf\xe9"}')
    with refused(tmp_path / "x.jsonl", r"is not UTF-8 \(byte 13\)"):
        read(tmp_path / "x.jsonl")


def test_documents_in_a_table(tmp_path):
    (tmp_path / "x.csv").write_text('id,text,kind\n1,"good, ""very""\nlong",pos\n2,bad,neg\n')
    found = read(tmp_path / "x.csv", text="text", name="id", label="kind")
    assert (found.texts, found.names) == (['good, "very"\nlong', "bad"], ["1", "2"])
    assert found.labels.tolist() == ["pos", "neg"]
    assert read(tmp_path / "x.csv", kind="documents").texts == found.texts
    with refused(tmp_path / "x.csv", "has no field for text='q', but id, text, kind"):
        read(tmp_path / "x.csv", text="q")
    (tmp_path / "x.csv").write_text("id,text\n1,a,b\n")
    with refused(tmp_path / "x.csv", "has 3 cells in line 2 and 2 in the first"):
        read(tmp_path / "x.csv", text="text")
    (tmp_path / "x.csv").write_text("id,text\n")
    with refused(tmp_path / "x.csv", "has no documents"):
        read(tmp_path / "x.csv", text="text")


def test_long_documents_in_a_table(tmp_path):
    book, before = "a word, " * 40_000, csv.field_size_limit()
    (tmp_path / "x.csv").write_text(f'id,text\n1,"{book}"\n2,short\n')
    assert read(tmp_path / "x.csv", text="text").texts == [book, "short"]
    assert csv.field_size_limit() == before
    (tmp_path / "x.csv").write_text('id,text\n1,"cut\n')
    with refused(tmp_path / "x.csv", "has a broken line 2"):
        read(tmp_path / "x.csv", text="text")
    assert csv.field_size_limit() == before


def test_tables_of_texts_name_their_column(tmp_path):
    (tmp_path / "x.csv").write_text(
        'id,stars,review\n1,5,"A film that one remembers, really"\n2,1,I left after an hour\n'
    )
    with refused(tmp_path / "x.csv", r"has sentences in column 'review' \('A film .*give text='review'"):
        read(tmp_path / "x.csv")
    (tmp_path / "x.tsv").write_text("the cat sat on the mat\ttrain\t3\nstocks fell again on Monday\ttest\t4\n")
    with refused(tmp_path / "x.tsv", "has sentences in column '1'"):
        read(tmp_path / "x.tsv")
    (tmp_path / "x.csv").write_text("wine,acid\nPinot noir,high\nMerlot,3\n")
    with refused(tmp_path / "x.csv", "high"):
        read(tmp_path / "x.csv")


def test_a_cell_that_is_not_empty_is_quoted_and_both_ways_out_are_named(tmp_path):
    rows = ["1,", "2,A film that one remembers", "4,I left after an hour"]
    (tmp_path / "x.csv").write_text("\n".join(["stars,review", *rows]))
    both = r"\('A film that one remembers'\), where .* give text='review' .* leave the column out with drop='review'$"
    with refused(tmp_path / "x.csv", both):
        read(tmp_path / "x.csv")
    assert read(tmp_path / "x.csv", drop="review").X.ravel().tolist() == [1, 2, 4]
    (tmp_path / "x.csv").write_text("\n".join(['stars,"so, what"', *rows]))
    with refused(tmp_path / "x.csv", "give text='so, what' .* drop='2'$"):
        read(tmp_path / "x.csv")


def test_an_id_names_the_documents(tmp_path):
    (tmp_path / "x.csv").write_text("stars,id,text\n5,1,good film\n5,2,bad film\n")
    assert read(tmp_path / "x.csv", text="text").names == ["1", "2"]
    assert read(tmp_path / "x.csv", text="text", name="stars").names == ["5", "5"]
    assert read(tmp_path / "x.csv", text="text", label="id").names is None
    (tmp_path / "x.csv").write_text("id,text\n1,good film\n1,bad film\n")
    assert read(tmp_path / "x.csv", text="text").names is None
    # told apart only by digits that a floating-point number does not have
    ids = [9007199254740992, 9007199254740993]
    assert read(lines(tmp_path, *({"tweet_id": i, "text": "one", "n": 1} for i in ids))).names == list(map(str, ids))
    assert read(lines(tmp_path, {"id": 7, "text": "one"}, {"text": "two"})).names is None
    rows = [f"{i},{i * i + 0.5},words of a kind" for i in range(12)]
    (tmp_path / "x.csv").write_text("\n".join(["row,price,text", *rows]))
    assert read(tmp_path / "x.csv", text="text").names == [str(i) for i in range(12)]


def test_an_id_in_a_parquet_file(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="Parquet needs pyarrow")
    from pyarrow import parquet

    columns = {"text": ["one", "two"], "n": [3, 3], "review_id": [10, 20], "label": ["a", "b"]}
    parquet.write_table(pyarrow.table(columns), tmp_path / "x.parquet")
    assert read(tmp_path / "x.parquet", kind="documents").names == ["10", "20"]


def test_tables_of_texts_without_a_header(tmp_path):
    (tmp_path / "x.tsv").write_text("the cat sat on the mat\ttrain\t3\nstocks fell again on Monday\ttest\t4\n")
    for options in ({"kind": "documents"}, {"text": "1"}):
        assert read(tmp_path / "x.tsv", **options).texts == ["the cat sat on the mat", "stocks fell again on Monday"]
    found = read(tmp_path / "x.tsv", text="1", label="3", name="2")
    assert (found.labels.tolist(), found.names) == ([3, 4], ["train", "test"])
    with refused(tmp_path / "x.tsv", "has no field for text='4'"):
        read(tmp_path / "x.tsv", text="4")


def test_real_texts_without_a_header(home):
    found = read(home / "bbc_news.tsv.gz", text="1", label="3")
    assert found.n_samples == 2225
    assert len(set(found.labels.tolist())) == 5


def test_records_in_another_encoding(tmp_path):
    (tmp_path / "x.jsonl").write_bytes('{"text": "café"}'.encode("latin-1"))
    assert read(tmp_path / "x.jsonl", encoding="latin-1").texts == ["café"]
    (tmp_path / "x.csv").write_bytes("name;a\nété;1\nhôtel;2".encode("cp1252"))
    assert read(tmp_path / "x.csv", encoding="cp1252").names == ["été", "hôtel"]
