"""Documents in records: a line of JSON each (.jsonl), or a row of a table of text."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from statistics import median
from sys import getsizeof
from typing import IO, Any

from manifact.io.file_errors import refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import id_columns, table_checks
from manifact.io.readers.delimited_layout import delimiter
from manifact.io.readers.id_fields import IdFields
from manifact.io.readers.text_files import lines, long_cells, open_text
from manifact.io.spreadsheet_cells import unprotected
from manifact.io.unpacked_size import Held
from manifact.utils.errors import Parameter, Sentence

#: Fields that hold the document where none is named, and records that are looked at to find another one.
TEXT, HEAD = "text", 100
#: Words from which on a cell is a sentence rather than a name.
SENTENCE = 4
#: Bytes for a document, and for a row of a table, beside their texts: their places in lists, and a name.
DOCUMENT = 160


def read_jsonl(
    file: Path,
    source: str,
    text: str | None = None,
    name: str | None = None,
    label: str | None = None,
    encoding: str | None = None,
) -> Samples:
    """A document in each line: a JSON string, or an object with the document in its field ``text``.

    Without ``text`` that is the field "text", or the one with most text in the first lines. Names and labels may be
    strings or whole numbers.
    """
    with open_text(file, encoding=encoding) as content:
        read = records(file, content)
        head = list(islice(read, HEAD))
        plain, text = form(file, [record for _, record in head], text, name, label)
        if plain:
            return Samples("documents", source, texts=_strings(file, chain(head, read)))
        ids = IdFields((text, label)) if name is None else None
        columns = _columns(file, chain(head, read), _asked(text, name, label), ids)
    return samples(source, columns, {} if ids is None else ids.columns())


def records(file: Path, content: IO[str]) -> Iterator[tuple[int, Any]]:
    """The numbers of lines that are not blank, from 1, and their records."""
    for number, line in enumerate(lines(file, content), 1):
        if not line.isspace():
            yield number, _parsed(file, number, line)


def form(file: Path, head: Sequence[Any], text: str | None, name: str | None, label: str | None) -> tuple[bool, str]:
    """Whether records are strings, and the field of the documents where they are not; by the first of them."""
    if not head:
        raise refusal(file, "has no records", "write a document in each line")
    if all(isinstance(record, str) for record in head):
        if text is None and name is None and label is None:
            return True, ""
        raise refusal(file, "holds strings without fields", Sentence("leave out {text}=…, {name}=… and {label}=…"))
    return False, text or _longest(file, [record for record in head if isinstance(record, dict)])


def string(file: Path, number: int, record: Any) -> str:
    """A record that has to be a string, as those before it were."""
    if not isinstance(record, str):
        raise refusal(file, f"has an object in line {number} and strings in others", "write records of one kind")
    return record


def _strings(file: Path, read: Iterable[tuple[int, Any]]) -> list[str]:
    texts, held = [], Held(file)
    for number, record in read:
        texts.append(string(file, number, record))
        held.add(DOCUMENT + getsizeof(record))
    return texts


def _columns(
    file: Path, read: Iterable[tuple[int, Any]], asked: Sequence[tuple[str, str]], ids: IdFields | None
) -> dict[str, list[str]]:
    """The values of the fields that are asked for: of a record nothing else is kept, but what may name it."""
    columns: dict[str, list[str]] = {option: [] for option, _ in asked}
    held = Held(file)
    for number, record in read:
        size = DOCUMENT
        for option, field in asked:
            value = _value(file, number, record, option, field)
            columns[option].append(value)
            size += getsizeof(value)
        held.add(size if ids is None else size + ids.add(record))
    return columns


def read_delimited(
    file: Path,
    source: str,
    text: str | None = None,
    name: str | None = None,
    label: str | None = None,
    encoding: str | None = None,
) -> Samples:
    """A document in each row; without ``text`` in the column "text", or that with most text.

    The first row is the header, unless columns are asked for by their numbers from 1 and it has no such names, or
    nothing is asked for and it holds a document, too.
    """
    rows = _rows(file, encoding)
    if not rows:
        raise refusal(file, "has no documents", "write a header and a row for each document")
    header = _header([cells for _, cells in rows], [option for option in (text, name, label) if option is not None])
    if header is None:
        header = [str(number + 1) for number in range(len(rows[0][1]))]
    else:
        table_checks.distinct_names(file, header)
        if len(rows) < 2:
            raise refusal(file, "has no documents", "write a header and a row for each document")
        rows = rows[1:]
    for number, cells in rows:
        if len(cells) != len(header):
            found = f"has {len(cells)} cells in line {number} and {len(header)} in the first"
            raise refusal(file, found, "give every row the same columns, with quotes around text with separators")
    if text is None:
        worded = [i for i in range(len(header)) if not all(_number(cells[i]) for _, cells in rows[:HEAD])]
        text = _longest(file, [{header[i]: cells[i] for i in worded} for _, cells in rows[:HEAD]])
    columns = {}
    for option, field in _asked(text, name, label):
        if field not in header:
            raise no_field(file, option, field, header)
        column = [cells[header.index(field)] for _, cells in rows]
        columns[option] = column if option == "text" else [unprotected(cell) for cell in column]
    others = {field: [cells[i] for _, cells in rows] for i, field in enumerate(header) if field not in (text, label)}
    return samples(source, columns, others)


def text_column(file: Path, encoding: str | None = None) -> tuple[str, int, str] | None:
    """The column of a table that holds sentences, its number from 1 and its first cell; None if no column does."""
    rows = [cells for _, cells in _rows(file, encoding, HEAD)]
    header = _header(rows, [])
    body = rows if header is None else rows[1:]
    width = len(rows[0]) if rows else 0
    worded = {i: median(len(cells[i].split()) for cells in body if len(cells) > i) for i in range(width if body else 0)}
    if not worded or max(worded.values()) < SENTENCE:
        return None
    column = max(worded, key=lambda i: worded[i])
    key = str(column + 1) if header is None else header[column]
    return key, column + 1, next(cells[column] for cells in body if len(cells) > column and cells[column].strip())


def _rows(file: Path, encoding: str | None, most: int | None = None) -> list[tuple[int, list[str]]]:
    """Rows that are not blank, with the numbers of their lines."""
    found: list[tuple[int, list[str]]] = []
    held = Held(file)
    with open_text(file, newline="", encoding=encoding) as content, long_cells():
        reader = csv.reader(lines(file, content), delimiter=delimiter(file, encoding), strict=True)
        try:
            for cells in islice(filter(_is_filled, reader), most):
                found.append((reader.line_num, cells))
                held.add(DOCUMENT + sum(map(getsizeof, cells)))
            return found
        except csv.Error as problem:
            raise refusal(file, f"has a broken line {reader.line_num} ({problem})", "check its quotes") from problem


def _is_filled(cells: Sequence[str]) -> bool:
    return any(map(str.strip, cells))


def _header(rows: Sequence[list[str]], asked: Sequence[str]) -> list[str] | None:
    """The first row if it names columns: if those that are asked for are no numbers, or it has no sentence itself."""
    first = [unprotected(cell.strip()) for cell in rows[0]] if rows else []
    places = [int(field) for field in asked if field.isdecimal() and 1 <= int(field) <= len(first)]
    if TEXT in first or len(places) < len(asked) or all(cell.isdecimal() for cell in first):
        return first
    head = rows[:HEAD]
    longest = max(range(len(first)), key=lambda i: sum(len(cells[i]) for cells in head if len(cells) > i))
    column = places[0] - 1 if places else longest
    words = [len(cells[column].split()) for cells in head if len(cells) > column]
    sentence = SENTENCE if not places else min(SENTENCE, median(words))
    return None if words[0] >= sentence else first


def samples(source: str, columns: dict[str, list[str]], others: Mapping[str, Sequence[str]]) -> Samples:
    """Documents from their columns of text, names and labels; without names, one of the other columns may have them."""
    classes = columns.get("label")
    names = columns["name"] if "name" in columns else id_columns.of_documents(others)
    return Samples(
        "documents",
        source,
        texts=columns["text"],
        names=None if names is None else list(names),
        labels=None if classes is None else table_checks.labels_from_text(Path(source), classes),
    )


def no_field(file: Path, option: str, field: str, fields: Iterable[str]) -> ValueError:
    """The error for a field that is not there."""
    names = ", ".join(fields) or "no fields"
    found = Sentence("has no field for {}={!r}, but {}", Parameter(option), field, names)
    return refusal(file, found, "choose another one")


def _asked(text: str, name: str | None, label: str | None) -> list[tuple[str, str]]:
    given = (("text", text), ("name", name), ("label", label))
    return [(option, field) for option, field in given if field is not None]


def _parsed(file: Path, number: int, line: str) -> Any:
    try:
        record = json.loads(line)
    except ValueError as problem:
        why = getattr(problem, "msg", str(problem))
        raise refusal(file, f"has no JSON in line {number} ({why})", "write one record in each line") from problem
    if not isinstance(record, dict | str):
        raise refusal(file, f"has neither an object nor a string in line {number}", "write one record in each line")
    return record


def _number(cell: str) -> bool:
    """Whether a cell is empty or a number: a column of these is no text."""
    try:
        return not cell.strip() or float(cell) is not None
    except ValueError:
        return False


def _longest(file: Path, records: Sequence[dict[str, Any]]) -> str:
    """The field with most text in it, "text" before all others."""
    sizes: dict[str, int] = {}
    for record in records:
        for field, value in record.items():
            if isinstance(value, str):
                sizes[field] = sizes.get(field, 0) + len(value)
    if TEXT in sizes:
        return TEXT
    if not sizes:
        raise refusal(file, "has no field of text", Sentence("say with {text}=… where the documents are"))
    return max(sizes, key=lambda field: sizes[field])


def _value(file: Path, number: int, record: Any, option: str, field: str) -> str:
    if not isinstance(record, dict):
        raise refusal(file, f"has a string in line {number} and objects in others", "write records of one kind")
    if field not in record:
        fields = ", ".join(map(repr, record)) or "no fields"
        found = f"has no field {field!r} in line {number}, but {fields}"
        raise refusal(file, found, Sentence("add it, or choose another {}=…", Parameter(option)))
    value = record[field]
    if isinstance(value, str):
        return value
    if value is None and option != "name":
        return ""
    if isinstance(value, int | float) and option != "text":
        return str(value)
    remedy = Sentence("choose another {}=…", Parameter(option))
    raise refusal(file, f"has no text in field {field!r} of line {number}", remedy)
