"""The list of all pages in a folder, with how many of their claims hold."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import NamedTuple

from manifact.experiments.reproduce import experiment_files
from manifact.experiments.reproduce.comparison_page import document, paragraphs
from manifact.experiments.result_tables import table
from manifact.utils.files import write_text

TITLE = "The papers' experiments, run again"
NOTE = """\
Each page sets a paper's numbers beside ours and says what holds and what does not. `manifact reproduce NAME` writes \
it again. Claims are the papers' own and those that we ask of ourselves, with strong baselines and our defaults among \
them; one that does not hold is shown with its numbers."""


class Entry(NamedTuple):
    """A page, and how many of its claims hold."""

    name: str
    title: str
    held: int
    claims: int


def write_index(folder: Path) -> None:
    """Write ``README.md`` and ``index.html``."""
    entries = [
        _entry(folder / f"{name}.json") for name in experiment_files.names() if (folder / f"{name}.json").exists()
    ]
    write_text(folder / "README.md", _markdown(entries))
    write_text(folder / "index.html", _html(entries))


def foreign(folder: Path) -> Path | None:
    """A file of somebody else's that `write_index` would replace, if there is one."""
    for name in ("README.md", "index.html"):
        file = folder / name
        if file.exists() and TITLE not in html.unescape(file.read_text(encoding="utf-8", errors="replace")):
            return file
    return None


def _entry(file: Path) -> Entry:
    content = json.loads(file.read_text(encoding="utf-8"))
    claims = [claim for block in content["blocks"] for claim in block.get("claims", ())]
    return Entry(file.stem, content["title"], sum(claim["holds"] for claim in claims), len(claims))


def _markdown(entries: list[Entry]) -> str:
    rows = [
        {"page": f"[{name}]({name}.md)", "what": title, "claims that hold": f"{held} of {claims}"}
        for name, title, held, claims in entries
    ]
    return f"# {TITLE}\n\n{NOTE}\n\n{table(rows)}\n"


def _html(entries: list[Entry]) -> str:
    rows = "".join(
        f"<tr><td><a href='{name}.html'>{name}</a></td><td>{html.escape(title)}</td><td>{held} of {claims}</td></tr>"
        for name, title, held, claims in entries
    )
    head = "<thead><tr><th>page</th><th>what</th><th>claims that hold</th></tr></thead>"
    return document(TITLE, f"{paragraphs(NOTE)}<div class=wide><table>{head}<tbody>{rows}</tbody></table></div>")
