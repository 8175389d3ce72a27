"""Copy the tables of ``results/`` into the README, between the marks that name them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from manifact.experiments.result_tables import table

ROOT = Path(__file__).resolve().parents[1]
MARK = re.compile(r"(<!-- begin results/(\S+) -->\n).*?(<!-- end results/\2 -->)", re.DOTALL)


def filled(text: str) -> str:
    """README with every marked block replaced by its table."""

    def block(found: re.Match[str]) -> str:
        record = json.loads((ROOT / "results" / f"{found[2]}.json").read_text())
        return f"{found[1]}{record['note']}\n\n{table(record['rows'])}\n{found[3]}"

    return MARK.sub(block, text)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(filled(readme.read_text()))
