"""Copy the tables of ``results/`` into the README and the page on GPUs, between the marks that name them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from manifact.experiments.result_tables import table

ROOT = Path(__file__).resolve().parents[1]
MARK = re.compile(r"(<!-- begin results/(\S+) -->\n).*?(<!-- end results/\2 -->)", re.DOTALL)
#: Pages that show tables.
PAGES = (ROOT / "README.md", ROOT / "docs" / "howto" / "gpu.md")


def filled(text: str) -> str:
    """The page with every marked block replaced by its table; what nobody has measured yet is left as it is."""

    def block(found: re.Match[str]) -> str:
        file = ROOT / "results" / f"{found[2]}.json"
        if not file.exists():
            return found[0]
        record = json.loads(file.read_text("utf-8"))
        return f"{found[1]}{record['note']}\n\n{table(record['rows'])}\n{found[3]}"

    return MARK.sub(block, text)


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(filled(page.read_text("utf-8")), "utf-8")
