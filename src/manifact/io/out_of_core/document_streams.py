"""Documents in the lines of a file, of which only some are in memory: .jsonl and .txt, compressed or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

from manifact.io.file_errors import guarded, refusal
from manifact.io.out_of_core.row_sources import RowSource
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.readers import id_columns, record_documents, table_checks
from manifact.io.readers.id_fields import IdFields
from manifact.io.readers.text_files import lines, open_text
from manifact.io.unpacked_size import Held

#: What a character of a text takes while its words are counted, about, and a name beside its characters.
CHARACTER, NAME = 8, 60
#: What a line that is a document takes: its name and its place.
LINE = 120
#: The share of memory that names may take.
SHARE = 8


def json_source(
    file: Path,
    source: str,
    space: Workspace,
    text: str | None = None,
    name: str | None = None,
    label: str | None = None,
    encoding: str | None = None,
) -> RowSource:
    """A document in each line: a JSON string, or an object with the document in its field ``text``.

    Every line is looked at once before the first block is read.
    """
    plain, text = _form(file, text, name, label, encoding)
    asked = [] if plain else record_documents._asked(text, name, label)
    ids = None if plain or name is not None else IdFields((text, label), space.memory // SHARE)
    columns: dict[str, list[str]] = {option: [] for option, _ in asked if option != "text"}
    count = size = 0
    for number, record in _records(file, encoding):
        count, size = count + 1, size + len(_text(file, number, record, plain, text))
        for option, field in asked:
            if option != "text":
                columns[option].append(record_documents._value(file, number, record, option, field))
        if ids is not None:
            ids.add(record)

    def read() -> Iterator[list[str]]:
        texts = (_text(file, number, record, plain, text) for number, record in _records(file, encoding))
        yield from in_blocks(texts, space)

    names = columns.get("name") if ids is None else _names(ids)
    labels = table_checks.labels_from_text(file, columns["label"]) if "label" in columns else None
    return RowSource("documents", source, names=names, labels=labels, count=count, n_bytes=2 * size, read=read)


def lines_source(file: Path, source: str, space: Workspace, encoding: str | None = None) -> RowSource:
    """A document in each line, called by the line's number from 1; blank lines hold none."""
    places, line, size, held = [], -1, 0, Held(file)
    with guarded(file, "text"), open_text(file, encoding=encoding) as content:
        for line, text in enumerate(lines(file, content)):
            if not text.isspace():
                places.append(line)
                size += len(text)
                held.add(LINE)
    if not places:
        raise refusal(file, "has no text", "write a document in each line")

    def read() -> Iterator[list[str]]:
        with guarded(file, "text"), open_text(file, encoding=encoding) as content:
            yield from in_blocks((text.rstrip("\n") for text in lines(file, content) if not text.isspace()), space)

    blank: Mapping[str, Any] = {"places": places, "n_places": line + 1} if line + 1 > len(places) else {}
    names = [str(place + 1) for place in places]
    return RowSource("documents", source, names=names, count=len(places), n_bytes=2 * size, read=read, **blank)


def in_blocks(texts: Iterable[str], space: Workspace) -> Iterator[list[str]]:
    """Texts, as many at a time as may be in memory while their words are counted."""
    block: list[str] = []
    size = 0
    for text in texts:
        block.append(text)
        size += CHARACTER * len(text) + NAME
        if size >= space.block_bytes:
            yield block
            block, size = [], 0
    if block:
        yield block


def _form(file: Path, text: str | None, name: str | None, label: str | None, encoding: str | None) -> tuple[bool, str]:
    """Whether lines are strings, and the field of the documents where they are not."""
    head = [record for _, record in islice(_records(file, encoding), record_documents.HEAD)]
    return record_documents.form(file, head, text, name, label)


def _records(file: Path, encoding: str | None) -> Iterator[tuple[int, Any]]:
    with guarded(file, "JSON lines"), open_text(file, encoding=encoding) as content:
        yield from record_documents.records(file, content)


def _text(file: Path, number: int, record: Any, plain: bool, field: str) -> str:
    if plain:
        return record_documents.string(file, number, record)
    return record_documents._value(file, number, record, "text", field)


def _names(ids: IdFields) -> list[str] | None:
    found = id_columns.of_documents(ids.columns())
    return None if found is None else list(found)
