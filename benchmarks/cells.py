"""How cells should be prepared, against cell types that others named.

    python benchmarks/cells.py

NMI (over max(H, H'), %) of clusters with cell types, as many parts as there are types, means over 3 seeds, of
AffinityNMF and GNMF as they come: PBMC 3k (2,700 cells, 13,714 genes, raw counts; 9 types), and the 700 cells of PBMC
68k that scanpy ships (765 genes, log-normalised in .raw, 309 of them marked as highly variable; 10 types by their
likeness to sorted cells, and the 11 Louvain clusters of scanpy's own analysis). The first row is what `manifact fit`
does; each other changes what it names. "connectivities" takes scanpy's neighbours (15, on 50 principal components) for
the graph. The last row is scanpy's Leiden at resolution 1 on those neighbours, which chooses the number of clusters
itself and is no model of ours: its number stands in both columns.
"""

from __future__ import annotations

import sys
import warnings

import numpy as np
import scanpy
from scipy import sparse

from manifact import GNMF, AffinityNMF
from manifact.anndata import prepare
from manifact.datasets import load
from manifact.experiments.result_tables import write
from manifact.metrics import nmi

SEEDS = (0, 1, 2)
VARIANTS = {
    "as it comes": {},
    "rows as they are (scale none)": {"scale": "none"},
    "counts, not logged": {"weighting": "counts"},
    "all genes": {"genes": "all"},
    "500 genes": {"genes": 500},
    "1,000 genes": {"genes": 1000},
    "3,000 genes": {"genes": 3000},
    "4,000 genes": {"genes": 4000},
    "connectivities": {},
}


def sets():
    """Cells, by name, with their known types."""
    import anndata
    import pandas as pd

    known = load("pbmc3k")
    counts = anndata.AnnData(sparse.csr_matrix(known.X, dtype=np.float32), var=pd.DataFrame(index=known.feature_names))
    small = scanpy.datasets.pbmc68k_reduced()
    types = {"68k types": small.obs["bulk_labels"].cat.codes, "68k Louvain": small.obs["louvain"].cat.codes}
    return [("3k", counts, {"3k": np.asarray(known.y)}), ("68k", small, {k: np.asarray(y) for k, y in types.items()})]


def with_neighbours(cells):
    """The cells as scanpy's tutorial treats them, with obsp["connectivities"]."""
    if "connectivities" in cells.obsp:
        return cells
    treated = cells.copy()
    scanpy.pp.normalize_total(treated)
    scanpy.pp.log1p(treated)
    scanpy.pp.highly_variable_genes(treated, n_top_genes=2000)
    scanpy.pp.pca(treated)
    scanpy.pp.neighbors(treated)
    return treated


def agreement(labels, y):
    known = y >= 0
    return nmi(y[known], np.asarray(labels)[known])


def rows():
    found = sets()
    neighbours = {name: with_neighbours(cells) for name, cells, _ in found}
    for variant, options in VARIANTS.items():
        row = {"preparation": variant}
        for name, cells, truths in found:
            try:
                _, X = prepare(cells, **options)
            except ValueError:  # counts that are not there
                continue
            graph = neighbours[name].obsp["connectivities"] if variant == "connectivities" else None
            for truth, y in truths.items():
                k = len(np.unique(y[y >= 0]))
                for cls in (AffinityNMF, GNMF):
                    own = {} if graph is None else {"graph": sparse.csr_array(graph)}
                    scores = [agreement(cls(k, random_state=seed, **own).fit(X).labels_, y) for seed in SEEDS]
                    row[f"{truth}, {cls.__name__}"] = round(100 * float(np.mean(scores)), 1)
        print(row, file=sys.stderr, flush=True)
        yield row
    row = {"preparation": "Leiden"}
    for name, _, truths in found:
        treated = neighbours[name].copy()
        scanpy.tl.leiden(treated, flavor="igraph", n_iterations=2, directed=False)
        for truth, y in truths.items():
            score = round(100 * agreement(treated.obs["leiden"].cat.codes, y), 1)
            row |= {f"{truth}, {cls.__name__}": score for cls in (AffinityNMF, GNMF)}
    yield row


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    note = " ".join((__doc__ or "").split("\n\n")[2].split())
    print(write("cells", "Preparation of cells", note, list(rows())))
