"""What a measurement leaves behind: numbers, and beside them the versions and the machine they come from."""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from manifact.utils.files import write_text

PACKAGES = ("manifact", "numpy", "scipy", "scikit-learn", "numba")


def environment() -> dict[str, Any]:
    """Versions and machine."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            packages[name] = "not installed"
    return {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "packages": packages,
        "machine": _processor(),
        "cores": os.cpu_count(),
    }


def write(
    name: str, title: str, note: str, rows: Sequence[Mapping[str, Any]], folder: str | os.PathLike[str] = "results"
) -> Path:
    """Write ``<name>.json`` and ``<name>.md`` (the same rows as a table) and return the latter's path."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    facts = environment()
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
    lines += ["| " + " | ".join(cell(row.get(column, "")) for column in columns) + " |" for row in rows]
    return "\n".join(lines)


def cell(value: Any) -> str:
    """A value as tables show it."""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def provenance(facts: Mapping[str, Any], done: str = "Measured") -> str:
    """Where numbers come from, in one sentence."""
    packages = ", ".join(f"{name} {number}" for name, number in facts["packages"].items())
    machine = f"{facts['cores']} cores of {facts['machine']}"
    return f"{done} {facts['date']} with Python {facts['python']}, {packages} on {machine}."


def _processor() -> str:
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
