"""The options of commands: groups of those that belong together, and single ones that several commands have."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from manifact.cli import parsing
from manifact.cli.choices import completion, known

#: Headings of a help page.
READ, GRAPH, TEXT, IMAGES, OUT = "Reading the data", "The graph", "Documents", "Images", "Output"
CELLS = "Cells"
DETAILS = "The model in detail"


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
        help="Another matrix of the same samples, such as sentence embeddings: neighbours are looked for in it.",
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
        help="Map of the page: a name in obsm of an .h5ad file, or own (by V). Default: X_umap or X_tsne, if there.",
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
ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `manifact fit` wrote.")]


@dataclass(frozen=True)
class Reading:
    """How DATA is read."""

    kind: Annotated[
        Literal["table", "documents", "images", "cells"] | None,
        typer.Option(help="What DATA holds, if that is open.", rich_help_panel=READ),
    ] = None
    layer: Annotated[
        str | None,
        typer.Option(
            metavar="NAME|raw|X",
            help="Matrix of an .h5ad file. Default: the first without negative values among layers of counts, .raw, X, "
            "other layers.",
            rich_help_panel=READ,
        ),
    ] = None
    text: Annotated[str | None, typer.Option(help="Field or column with the documents.", rich_help_panel=READ)] = None
    name: Annotated[str | None, typer.Option(help="Field or column with the samples' names.", rich_help_panel=READ)] = (
        None
    )
    variable: Annotated[str | None, typer.Option(help="Variable of a .mat or .npz file.", rich_help_panel=READ)] = None
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="What DATA are (csv, tsv, txt, jsonl, npy, …), where their name does not say so, as that of standard "
            "input.",
            rich_help_panel=READ,
        ),
    ] = None
    encoding: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of text, such as cp1252. Default: utf-8.", rich_help_panel=READ),
    ] = None
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Stop at a file of a folder that cannot be read, is empty or is not text, instead of skipping it.",
            rich_help_panel=READ,
        ),
    ] = False
    missing: Annotated[
        Literal["drop", "mean"] | None,
        typer.Option(
            help="Missing values of a table: leave their rows out, or take the column's mean among the training "
            "samples. Default: refuse them.",
            rich_help_panel=READ,
        ),
    ] = None


@dataclass(frozen=True)
class TrainingReading(Reading):
    """How DATA is read to fit a model, which remembers it."""

    label: Annotated[
        str | None,
        typer.Option(
            help="Field or column with known classes: not used, only compared with the clusters.", rich_help_panel=READ
        ),
    ] = None
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Columns of a table to leave out: names or numbers from 1, with commas between them; may be repeated.",
            rich_help_panel=READ,
        ),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Columns that are features though they look like ids, which are left out otherwise.",
            rich_help_panel=READ,
        ),
    ] = None
    image_shape: Annotated[
        str | None,
        typer.Option(metavar="HxW", help="Rows of the table are images of this size.", rich_help_panel=READ),
        parsing.shape,
    ] = None
    image_size: Annotated[
        str | None,
        typer.Option(
            metavar="HxW", help="Bring images to this size (one number: the longer side).", rich_help_panel=IMAGES
        ),
        parsing.size,
    ] = None
    color: Annotated[bool, typer.Option("--color", help="Keep colours.", rich_help_panel=IMAGES)] = False


@dataclass(frozen=True)
class Preparing:
    """What is done to the samples before they are factorised."""

    scale: Annotated[
        Literal["unit", "sum", "none"] | None,
        typer.Option(
            help="Rows to length 1, to sum 1, or as they are. Default: unit where columns are not scaled.",
            rich_help_panel=READ,
        ),
    ] = None
    columns: Annotated[
        Literal["none", "range", "std", "max"] | None,
        typer.Option(
            "--scale-columns",
            help="Columns of a table: as they are, from their smallest value to their largest, from the "
            "smallest in standard deviations, or by their largest. Default: range for .csv, .tsv and .parquet, unless "
            "columns read as one unit (counts, pixels, spectra) or --scale is given.",
            rich_help_panel=READ,
        ),
    ] = None
    weighting: Annotated[
        Literal["tfidf", "counts", "log"] | None,
        typer.Option(
            help="Documents: tfidf or counts. Cells: log (log1p at the median depth) or counts. Default: tfidf, log.",
            rich_help_panel=TEXT,
        ),
    ] = None
    stop_words: Annotated[
        str | None,
        typer.Option(
            metavar="english|none|FILE",
            help="Words to leave out; a file has one in each line. Default: english.",
            rich_help_panel=TEXT,
        ),
        parsing.stop_words,
    ] = None
    min_df: Annotated[
        str | None,
        typer.Option(
            metavar="N|SHARE",
            help="Documents (2) or share of them (0.01) a word must be in. Default: 2 from 101 documents on.",
            rich_help_panel=TEXT,
        ),
        parsing.frequency,
    ] = None
    max_df: Annotated[
        str | None,
        typer.Option(
            metavar="N|SHARE",
            help="Documents or share of them a word may be in. Default: 0.95 from 101 documents on.",
            rich_help_panel=TEXT,
        ),
        parsing.frequency,
    ] = None
    max_features: Annotated[
        int | None, typer.Option(min=1, help="Keep the most frequent words.", rich_help_panel=TEXT)
    ] = None
    ngrams: Annotated[
        str | None,
        typer.Option(metavar="MIN,MAX", help="Words in a row, such as 1,2.", rich_help_panel=TEXT),
        parsing.pair,
    ] = None
    genes: Annotated[
        str | None,
        typer.Option(
            metavar="N|all|highly_variable",
            help="Genes to keep: the N most variable, all, or those that var marks. Default: the latter, else 2000.",
            rich_help_panel=CELLS,
        ),
        parsing.genes,
    ] = None
    min_cells: Annotated[
        int | None,
        typer.Option(min=0, help="Cells a gene must be in. Default: 3 from 101 cells on.", rich_help_panel=CELLS),
    ] = None
    remove: Annotated[
        str | None,
        typer.Option(
            metavar="all|none|LIST",
            help="What is no text: a list of headers (of messages, authors' lines), addresses (web, mail), codes "
            "(hexadecimal, encoded data). Default: all.",
            rich_help_panel=TEXT,
        ),
        parsing.names,
    ] = None


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
            help="Stop when ten iterations change the objective by less than this share. Default: 1e-4 (affinity: "
            "1e-5); mu with a graph runs all its iterations.",
            rich_help_panel=DETAILS,
        ),
    ] = None
    n_init: Annotated[
        int | None, typer.Option(min=1, help="Starts, of which the best goes on.", rich_help_panel=DETAILS)
    ] = None
    assign: Annotated[
        str | None,
        _chosen("assign", help="Clusters by k-means on V, the largest part or the nearest.", rich_help_panel=DETAILS),
        known,
    ] = None
    random_state: Annotated[int, typer.Option("--seed", help="Seed of the start and of k-means.")] = 0


@dataclass(frozen=True)
class GraphSource:
    """Where a graph comes from, if not from the samples."""

    graph: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|obsp:NAME",
            help="A graph that is there: a file with an n x n affinity, or obsp:connectivities of an .h5ad file.",
            rich_help_panel=GRAPH,
        ),
    ] = None
    graph_from: GraphFromOption = None


@dataclass(frozen=True)
class GraphSettings:
    """Parameters of a graph that is built; the help page adds which models have it, and defaults."""

    n_neighbors: Annotated[
        str | None,
        typer.Option("--neighbors", metavar="N|auto", help="Neighbours of each sample.", rich_help_panel=GRAPH),
        parsing.count,
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
    search: Annotated[str | None, _chosen("search", help="How neighbours are found.", rich_help_panel=GRAPH), known] = (
        None
    )
    n_landmarks: Annotated[
        int | None,
        typer.Option("--landmarks", min=1, help="Samples that the others are tied to.", rich_help_panel=GRAPH),
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
    overwrite: OverwriteOption = False
