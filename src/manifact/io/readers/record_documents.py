"""Documents in records: a line of JSON each (.jsonl), or a row of a table of text."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from manifact.io.file_errors import refusal
from manifact.io.raw_samples import Samples
from manifact.io.readers import table_checks
from manifact.io.readers.delimited_layout import delimiter
from manifact.io.readers.text_files import long_cells, open_text
from manifact.utils.errors import Parameter, Sentence

#: Fields that hold the document where none is named, and records that are looked at to find another one.
TEXT, HEAD = "text", 100


def read_jsonl(
    file: Path, source: str, text: str | None = None, name: str | None = None, label: str | None = None
) -> Samples:
    """A document in each line: a JSON string, or an object with the document in its field ``text``.

    Without ``text`` that is the field "text", or the one with most text in the first lines. Names and labels may be
    strings or whole numbers.
    """
    numbers, records = [], []
    with open_text(file) as content:
        for number, line in enumerate(content, 1):
            if line.strip():
                numbers.append(number)
                records.append(_parsed(file, number, line))
    if not records:
        raise refusal(file, "has no records", "write a document in each line")
    if all(isinstance(record, str) for record in records):
        if text is None and name is None and label is None:
            return Samples("documents", source, texts=records)
        raise refusal(file, "holds strings without fields", Sentence("leave out {text}=…, {name}=… and {label}=…"))
    if text is None:
        text = _longest(file, [record for record in records[:HEAD] if isinstance(record, dict)])
    columns: dict[str, list[str]] = {option: [] for option, _ in _asked(text, name, label)}
    for number, record in zip(numbers, records, strict=True):
        for option, field in _asked(text, name, label):
            columns[option].append(_value(file, number, record, option, field))
    return samples(source, columns)


def read_delimited(
    file: Path, source: str, text: str | None = None, name: str | None = None, label: str | None = None
) -> Samples:
    """A document in each row below the header; without ``text`` in the column "text", or that with most text."""
    with open_text(file, newline="") as content, long_cells():
        reader = csv.reader(content, delimiter=delimiter(file), strict=True)
        try:
            rows = [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]
        except csv.Error as problem:
            raise refusal(file, f"has a broken line {reader.line_num} ({problem})", "check its quotes") from problem
    if len(rows) < 2:
        raise refusal(file, "has no documents", "write a header and a row for each document")
    header = table_checks.distinct_names(file, [cell.strip() for cell in rows[0][1]])
    for number, cells in rows:
        if len(cells) != len(header):
            found = f"has {len(cells)} cells in line {number} and {len(header)} in the first"
            raise refusal(file, found, "give every row the same columns, with quotes around text with separators")
    if text is None:
        worded = [i for i in range(len(header)) if not all(_number(cells[i]) for _, cells in rows[1 : HEAD + 1])]
        text = _longest(file, [{header[i]: cells[i] for i in worded} for _, cells in rows[1 : HEAD + 1]])
    columns = {}
    for option, field in _asked(text, name, label):
        if field not in header:
            raise no_field(file, option, field, header)
        columns[option] = [cells[header.index(field)] for _, cells in rows[1:]]
    return samples(source, columns)


def samples(source: str, columns: dict[str, list[str]]) -> Samples:
    """Documents from their columns of text, names and labels."""
    classes = columns.get("label")
    return Samples(
        "documents",
        source,
        texts=columns["text"],
        names=columns.get("name"),
        labels=None if classes is None else table_checks.labels_from_text(classes),
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
