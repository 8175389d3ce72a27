"""Tables of results as files: JSON for programs, Markdown for people, with the versions and the machine beside them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from manifact.backends import threads
from manifact.utils.environment import environment, provenance
from manifact.utils.files import write_text


def write(
    name: str, title: str, note: str, rows: Sequence[Mapping[str, Any]], folder: str | os.PathLike[str] = "results"
) -> Path:
    """Write ``<name>.json`` and ``<name>.md`` (the same rows as a table) and return the latter's path."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    facts = environment() | {"threads": threads.count()}
    record = {"title": title, "note": note, "environment": facts, "rows": [dict(row) for row in rows]}
    write_text(target / f"{name}.json", dumps(record))
    page = target / f"{name}.md"
    write_text(page, f"# {title}\n\n{note}\n\n{table(rows)}\n\n{provenance(facts)}\n")
    return page


def dumps(record: Mapping[str, Any]) -> str:
    """As JSON that people can read and version control can compare."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as a Markdown table."""
    columns = list(rows[0])
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(formatted(row.get(column, "")) for column in columns) + " |" for row in rows]
    return "\n".join(lines)


def formatted(value: Any) -> str:
    """A value as tables show it."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
