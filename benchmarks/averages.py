"""The averages of the papers' clustering tables and ours, in one table.

    python benchmarks/averages.py [table ...]

Mean over all numbers of classes, in percent, of the runs that `manifact reproduce` wrote to `results/reproduce`.
"paper" and "ours" are the paper's own method with its published rule and settings; "NMF" and "k-means" are ours by the
paper's protocol. "NCut" is spectral clustering with rows of unit length on the same 5-nearest-neighbour graph, which no
paper shows. "default" is the same model as it comes, with nothing but the number of parts and a seed given, on the same
draws: this command runs it again (k-means on V by k-means++ with 20 starts; LCF by the largest part, as the paper's).
"""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

from manifact.backends import threads
from manifact.datasets.home import user_cache
from manifact.experiments.reproduce import experiment_files
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Store
from manifact.experiments.reproduce.kinds import clustering_table
from manifact.experiments.result_tables import write

FOLDER = Path(__file__).resolve().parents[1] / "results" / "reproduce"
#: Page -> data, and its columns: the paper's method, k-means, normalised cut with unit rows.
PAGES = {
    "gnmf-table3": ("COIL20", "GNMF", "Kmeans", "NCut, unit rows"),
    "gnmf-table4": ("PIE", "GNMF", "Kmeans", "NCut, unit rows"),
    "gnmf-table5": ("TDT2", "GNMF", "Kmeans", "NCut, unit rows"),
    "lpnmf-table1": ("TDT2", "LPNMF", "kmeans", "NC, unit rows"),
    "lpnmf-table2": ("Reuters", "LPNMF", "kmeans", "NC, unit rows"),
    "lcf-table2": ("Yale", "LCF", "Kmeans", "NCut, unit rows"),
    "lcf-table3": ("ORL", "LCF", "Kmeans", "NCut, unit rows"),
}


def averages(page):
    """Score -> method -> the cell of the last line."""
    blocks = json.loads((FOLDER / f"{page}.json").read_text())["blocks"]
    return {
        block["title"]: {row["column"]: row for row in block["rows"] if row.get("row") == "Avg."}
        for block in blocks
        if any(row.get("row") == "Avg." for row in block.get("rows", ()))
    }


def as_it_comes(page, subject):
    """Score -> the average of the default column, run now."""
    experiment = experiment_files.load(page)
    own = [method for method in experiment.content["methods"] if method["name"] == f"{subject}, default"]
    experiment = replace(experiment, content={**experiment.content, "methods": own})
    runner = Runner(Store(user_cache() / "runs"), threads.count(), show=True)
    found = clustering_table.run(experiment, runner)
    return {
        score: clustering_table.averages(experiment, found, score)[f"{subject}, default"]
        for score in experiment["scores"]
    }


def rows(chosen):
    """The chosen tables run now, the others as they were written last."""
    known = json.loads((FOLDER.parent / "averages.json").read_text())["rows"]
    for page, (data, subject, kmeans, cut) in PAGES.items():
        if page not in chosen:
            yield from (row for row in known if row["table"] == page)
            continue
        now = as_it_comes(page, subject)
        for score, cells in averages(page).items():
            if "by the labels" in score:
                continue
            found = {
                "paper": cells[subject].get("paper", "–"), "ours": cells[subject]["ours"], "NMF": cells["NMF"]["ours"],
                "k-means": cells[kmeans]["ours"], "NCut": cells[cut]["ours"],
                "default": now[score.split()[0]],
            }  # fmt: skip
            shown = {name: value if isinstance(value, str) else f"{value:.1f}" for name, value in found.items()}
            yield {"table": page, "data": data, "score": score.split()[0], "method": subject, **shown}


if __name__ == "__main__":
    print(
        write(
            "averages",
            "The papers' clustering tables",
            (__doc__ or "").split("\n\n")[2].strip(),
            list(rows(sys.argv[1:] or PAGES)),
        )
    )
