"""
Blood cells: clusters and gene programs in an AnnData object
============================================================

scanpy ships 700 blood cells as its tutorials leave them: scaled values in ``X``, log-normalised ones in ``.raw``,
marked genes, neighbours, and a UMAP. `manifact.anndata.fit` takes the object as it is and puts what it finds where
scanpy's plots look for it.
"""

# %%
# One line
# --------
# The model says which matrix it took: ``X`` has negative values, so it was ``.raw``, of which it keeps the genes that
# ``var["highly_variable"]`` marks. Known cell types are used for nothing but the comparison at the end.
import warnings

import matplotlib.pyplot as plt

import manifact.anndata
from manifact import AffinityNMF
from manifact.metrics import nmi

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import scanpy as sc

    adata = sc.datasets.pbmc68k_reduced()

model = manifact.anndata.fit(adata, AffinityNMF(10, random_state=0))
print(adata.uns["manifact"]["matrix"], "-", adata.uns["manifact"]["preparation"])
print(adata)

# %%
# ``obs["manifact"]`` holds the clusters
# --------------------------------------
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
sc.pl.umap(adata, color="manifact", ax=axes[0], show=False, legend_loc="on data", title="clusters of AffinityNMF")
sc.pl.umap(adata, color="bulk_labels", ax=axes[1], show=False, title="cell types by their likeness to sorted cells")
for name in ("bulk_labels", "louvain"):
    print(f"NMI with {name:11} {nmi(adata.obs[name].cat.codes.to_numpy(), model.labels_):.3f}")

# %%
# Cluster i is the cluster of part i, and a part is a list of genes
# -----------------------------------------------------------------
# The genes that tell most about each part make a data frame; as a dictionary, scanpy's plots group their columns by it.
genes = manifact.anndata.top_genes(model, 3)
print(genes.to_string())
dots = sc.pl.dotplot(adata, genes.to_dict("list"), groupby="manifact", show=False, return_fig=True)
dots.make_figure()

# %%
# ``obsm["X_manifact"]`` holds how much of each part a cell has
# -------------------------------------------------------------
# Part 4 and part 7 share their genes of cytotoxic cells: V tells cells that have a little of a program from those that
# have none, which clusters cannot.
for part in (4, 7):
    adata.obs[f"part {part}"] = adata.obsm["X_manifact"][:, part]
axes = sc.pl.umap(adata, color=["part 4", "part 7", "NKG7"], show=False)

# %%
# With scanpy's own neighbours for the graph, the clusters follow them.
again = manifact.anndata.fit(adata, AffinityNMF(11, random_state=0), graph="connectivities", key="neighbours")
print(f"NMI with louvain     {nmi(adata.obs['louvain'].cat.codes.to_numpy(), again.labels_):.3f}")

plt.show()
