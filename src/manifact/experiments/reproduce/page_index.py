"""The list of all pages in a folder, with how many of their claims hold."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import NamedTuple

from manifact.experiments.reproduce import experiment_files, what_holds
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
    """Write ``README.md`` and ``index.html``, which begin with the page over all others where there is one."""
    entries = [
        _entry(folder / f"{name}.json") for name in experiment_files.names() if (folder / f"{name}.json").exists()
    ]
    over_all = (folder / f"{what_holds.NAME}.json").exists()
    write_text(folder / "README.md", _markdown(entries, over_all))
    write_text(folder / "index.html", _html(entries, over_all))


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


def _markdown(entries: list[Entry], over_all: bool) -> str:
    rows = [
        {"page": f"[{name}]({name}.md)", "what": title, "claims that hold": f"{held} of {claims}"}
        for name, title, held, claims in entries
    ]
    first = f"**[{what_holds.TITLE}]({what_holds.NAME}.md)**\n\n" if over_all else ""
    return f"# {TITLE}\n\n{NOTE}\n\n{first}{table(rows)}\n"


def _html(entries: list[Entry], over_all: bool) -> str:
    rows = "".join(
        f"<tr><td><a href='{name}.html'>{name}</a></td><td>{html.escape(title)}</td><td>{held} of {claims}</td></tr>"
        for name, title, held, claims in entries
    )
    head = "<thead><tr><th>page</th><th>what</th><th>claims that hold</th></tr></thead>"
    first = f"<p><a href='{what_holds.NAME}.html'>{what_holds.TITLE}</a></p>" if over_all else ""
    return document(TITLE, f"{paragraphs(NOTE)}{first}<div class=wide><table>{head}<tbody>{rows}</tbody></table></div>")
