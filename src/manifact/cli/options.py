"""The options of commands: groups of those that belong together, and single ones that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from manifact.cli import parsing
from manifact.cli.choices import completion, known
from manifact.cli.help_headings import CELLS, DETAILS, GRAPH, OUT


def _chosen(parameter: str, *names: str, **how: Any) -> Any:
    """An option that takes one of the names in `manifact.cli.choices`."""
    return typer.Option(*names, autocompletion=completion(parameter), **how)


ModelOption = Annotated[str, _chosen("model", "--model", "-m", help="The model: what is minimised.")]
SettingOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Any other parameter of the model, may be repeated.",
        rich_help_panel=DETAILS,
    ),
]
GraphFromOption = Annotated[
    Path | None,
    typer.Option(
        "--graph-from",
        metavar="FILE",
        help="Another matrix of the same samples, such as sentence embeddings: neighbours are looked for in it, in all "
        "its columns as they are, unless --graph auto is given.",
        rich_help_panel=GRAPH,
    ),
]
TieOption = Annotated[
    bool | None,
    typer.Option(
        "--tie/--no-tie",
        help="Hold new samples near their training neighbours. Default: where the graph can find them.",
        rich_help_panel=GRAPH,
    ),
]
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that are there.", rich_help_panel=OUT)
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no summary, only problems.", rich_help_panel=OUT)
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="The outcome as JSON on standard output.", rich_help_panel=OUT)
]
MapOption = Annotated[
    str,
    typer.Option(
        "--map",
        metavar="NAME|own",
        help="Map of the page: a name in obsm of an .h5ad file, or own (by V); auto is X_umap or X_tsne, if there.",
        rich_help_panel=OUT,
    ),
]
WriteOption = Annotated[
    Path | None,
    typer.Option(
        "--write",
        metavar="FILE",
        help="Also write the cells with the results (obsm, varm, obs, uns): a copy of DATA, or DATA itself (.h5ad).",
        rich_help_panel=CELLS,
    ),
]
KeyOption = Annotated[
    str, typer.Option("--key", metavar="NAME", help="What --write calls the results.", rich_help_panel=CELLS)
]
DeviceOption = Annotated[
    str | None,
    _chosen(
        "device",
        "--device",
        help="Where arrays are worked on: cpu; cuda, a GPU (needs PyTorch), cuda:1 the second one; auto, a GPU if "
        "there is one.",
        rich_help_panel=DETAILS,
    ),
    parsing.device,
]
ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `manifact fit` wrote.")]


@dataclass(frozen=True)
class ModelParameters:
    """Parameters of models; the help page adds which models have them, and their defaults."""

    n_components: Annotated[
        str | None,
        typer.Option("-k", "--components", metavar="N|auto", help="Number of parts; auto chooses it without labels."),
        parsing.count,
    ] = None
    loss: Annotated[
        str | None, _chosen("loss", help="How the distance from the data is measured.", rich_help_panel=DETAILS), known
    ] = None
    tau: Annotated[
        str | None,
        typer.Option(metavar="NUMBER|auto", help="Weight of the graph beside the data.", rich_help_panel=DETAILS),
        parsing.strength,
    ] = None
    graph_reg: Annotated[
        float | None, typer.Option(min=0, help="λ, the weight of the graph.", rich_help_panel=DETAILS)
    ] = None
    locality_reg: Annotated[
        float | None, typer.Option(min=0, help="λ, the weight of locality.", rich_help_panel=DETAILS)
    ] = None
    solver: Annotated[
        str | None,
        _chosen(
            "solver",
            help="mu is the published rule, stopped early; bcd and newton minimise to the end, with a small λ. auto is "
            "mu for models with a graph (spnmf: simplex), else the exact one if there is one.",
            rich_help_panel=DETAILS,
        ),
        known,
    ] = None
    init: Annotated[
        str | None,
        _chosen(
            "init",
            help="Where the iterations start; auto: at clusters, for models with a graph, cf and lcf.",
            rich_help_panel=DETAILS,
        ),
        known,
    ] = None
    max_iter: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="Iterations. Default: a few for models with a graph where solver and start are auto; else 100 for mu "
            "(cf, lcf: 500), 1000 for affinity, 500 for the others.",
            rich_help_panel=DETAILS,
        ),
    ] = None
    tol: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Stop when ten iterations change the objective by less than this share. Default: 1e-4; mu with a "
            "graph runs all its iterations.",
            rich_help_panel=DETAILS,
        ),
    ] = None
    n_init: Annotated[
        int | None, typer.Option(min=1, help="Starts, of which the best goes on.", rich_help_panel=DETAILS)
    ] = None
    assign: Annotated[
        str | None,
        _chosen(
            "assign",
            help="Clusters by k-means on V, the largest part, the nearest, or the graph and V.",
            rich_help_panel=DETAILS,
        ),
        known,
    ] = None
    device: DeviceOption = None
    random_state: Annotated[int, typer.Option("--seed", help="Seed of the start and of k-means.")] = 0


@dataclass(frozen=True)
class GraphSource:
    """Where a graph comes from, if not from the samples."""

    graph: Annotated[
        str | None,
        typer.Option(
            metavar="auto|knn|FILE|obsp:NAME",
            help="auto chooses without labels in which features to look for neighbours; knn is the papers' graph. Or "
            "one that is there: a file with an n x n affinity, or obsp:connectivities of an .h5ad file. Default: auto, "
            "unless other options here describe a graph (alpnmf: landmarks).",
            rich_help_panel=GRAPH,
        ),
    ] = None
    graph_from: GraphFromOption = None


@dataclass(frozen=True)
class NeighborSettings:
    """Parameters of a graph of neighbours; the help page adds which models have it, and defaults."""

    n_neighbors: Annotated[
        str | None,
        typer.Option(
            "--neighbors",
            metavar="N|N,N|auto",
            help="Neighbours of each sample; with --graph auto several to choose from, and auto is 5,30.",
            rich_help_panel=GRAPH,
        ),
        parsing.counts,
    ] = None
    weight: Annotated[
        str | None, _chosen("weight", "--graph-weight", help="Weight of an edge.", rich_help_panel=GRAPH), known
    ] = None
    metric: Annotated[
        str | None,
        _chosen(
            "metric",
            help="What near means. Default: euclidean; cosine for rows of unit length, where both agree.",
            rich_help_panel=GRAPH,
        ),
        known,
    ] = None
    directions: Annotated[
        int | None,
        typer.Option(
            min=1, help="Look for neighbours among so many leading directions of the rows.", rich_help_panel=GRAPH
        ),
    ] = None
    balance: Annotated[
        float | None,
        typer.Option(
            min=0, max=1, help="From 0, each direction as long as it is, to 1, all equally long.", rich_help_panel=GRAPH
        ),
    ] = None
    roots: Annotated[
        bool,
        typer.Option("--roots", help="Compare square roots of the values, as suits counts.", rich_help_panel=GRAPH),
    ] = False
    search: Annotated[str | None, _chosen("search", help="How neighbours are found.", rich_help_panel=GRAPH), known] = (
        None
    )


@dataclass(frozen=True)
class GraphSettings(NeighborSettings):
    """Parameters of a graph that is built."""

    n_landmarks: Annotated[
        int | None,
        typer.Option(
            "--landmarks",
            min=1,
            help="A graph through so many samples, which the others are tied to.",
            rich_help_panel=GRAPH,
        ),
    ] = None


@dataclass(frozen=True)
class FitOutputs:
    """Files that ``manifact fit`` writes."""

    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Model file. Default: NAME.safetensors here.", rich_help_panel=OUT
        ),
    ] = None
    clusters: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the cluster of each sample: .csv .tsv .parquet .jsonl .npy.",
            rich_help_panel=OUT,
        ),
    ] = None
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the page to explore.", rich_help_panel=OUT)
    ] = None
    map: MapOption = "auto"
    write: WriteOption = None
    key: KeyOption = "manifact"
    checkpoint: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Keep the iterates in this file: the same command goes on from there, and ends where it would have.",
            rich_help_panel=OUT,
        ),
    ] = None
    every: Annotated[
        int | None,
        typer.Option(min=1, help="Iterations between two checkpoints. Default: 10.", rich_help_panel=OUT),
    ] = None
    overwrite: OverwriteOption = False
