"""The averages of the papers' clustering tables and ours, in one table.

    python benchmarks/averages.py

Mean over all numbers of classes, in percent, from the pages that `manifact reproduce` wrote to `results/reproduce`.
"paper" and "ours" are the paper's own method with its published rule and settings; "NMF" and "k-means" are ours by the
paper's protocol. "NCut" is spectral clustering with rows of unit length on the same 5-nearest-neighbour graph, which no
paper shows. "default" is the same model as it comes, with nothing but the number of parts and a seed given, and
"AffinityNMF" ours on the graph that it chooses without labels, on the first five draws of each number of classes.
"""

from __future__ import annotations

import json
from pathlib import Path

from manifact.experiments.result_tables import write

FOLDER = Path(__file__).resolve().parents[1] / "results" / "reproduce"
#: Page -> data, and its columns: the paper's method, k-means, normalised cut with unit rows.
PAGES = {
    "gnmf-table3": ("COIL20", "GNMF", "Kmeans", "NCut, unit rows"),
    "gnmf-table4": ("PIE", "GNMF", "Kmeans", "NCut, unit rows"),
    "gnmf-table5": ("TDT2", "GNMF", "Kmeans", "NCut, unit rows"),
    "lpnmf-table1": ("TDT2", "LPNMF", "kmeans", "NC, unit rows"),
    "lpnmf-table2": ("Reuters", "LPNMF", "kmeans", "NC, unit rows"),
    "alpnmf-table2": ("TDT2", "A-LPNMF", "Kmeans", "NCut, unit rows"),
    "alpnmf-table3": ("Reuters", "A-LPNMF", "Kmeans", "NCut, unit rows"),
    "lcf-table2": ("Yale", "LCF", "Kmeans", "NCut, unit rows"),
    "lcf-table3": ("ORL", "LCF", "Kmeans", "NCut, unit rows"),
}


def averages(page):
    """Score -> method -> the cell of the last line."""
    blocks = json.loads((FOLDER / f"{page}.json").read_text("utf-8"))["blocks"]
    return {
        block["title"]: {row["column"]: row for row in block["rows"] if row.get("row") == "Avg."}
        for block in blocks
        if any(row.get("row") == "Avg." for row in block.get("rows", ()))
    }


def rows():
    """One for each page and score; of sub-runs, those that are chosen without labels."""
    for page, (data, subject, kmeans, cut) in PAGES.items():
        columns = {"NMF": "NMF", "k-means": kmeans, "NCut": cut, "default": f"{subject}, default"}
        for score, cells in averages(page).items():
            if "by the labels" in score:
                continue
            found = {"paper": cells[subject].get("paper"), "ours": cells[subject]["ours"]}
            found |= {name: cells[column]["ours"] for name, column in columns.items()}
            found["AffinityNMF"] = cells["AffinityNMF"]["ours"]
            shown = {name: "–" if value is None else f"{value:.1f}" for name, value in found.items()}
            yield {"table": page, "data": data, "score": score.split()[0], "method": subject, **shown}


if __name__ == "__main__":
    note = (__doc__ or "").split("\n\n")[2].strip()
    print(write("averages", "The papers' clustering tables", note, list(rows())))
