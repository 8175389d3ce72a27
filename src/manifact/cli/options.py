"""Options that several commands have, and the values that they may take: completion and help show them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

Model = Literal["affinity", "gnmf", "nmf", "lpnmf", "alpnmf", "spnmf", "cf", "lccf", "lcf"]
Loss = Literal["frobenius", "kullback-leibler"]
Solver = Literal["auto", "mu", "bcd", "newton"]
Start = Literal["random", "nndsvd", "nndsvda", "kmeans", "spectral"]
Assign = Literal["kmeans", "argmax", "nearest"]
Weight = Literal["binary", "heat", "dot", "cosine"]
Metric = Literal["euclidean", "cosine"]
Search = Literal["exact", "projection", "approximate"]
Kind = Literal["table", "documents", "images"]
Scale = Literal["unit", "sum", "none"]
Columns = Literal["none", "max"]
Weighting = Literal["tfidf", "counts"]

#: Headings of a help page.
READ, GRAPH, TEXT, IMAGES, OUT = "Reading the data", "The graph", "Documents", "Images", "Output"
KindOption = Annotated[
    Kind | None, typer.Option("--kind", help="What DATA holds, if that is open.", rich_help_panel=READ)
]
LayerOption = Annotated[
    str | None, typer.Option("--layer", help="Layer of an .h5ad file, instead of its X.", rich_help_panel=READ)
]
TextOption = Annotated[
    str | None, typer.Option("--text", help="Field or column with the documents.", rich_help_panel=READ)
]
NameOption = Annotated[
    str | None, typer.Option("--name", help="Field or column with the samples' names.", rich_help_panel=READ)
]
VariableOption = Annotated[
    str | None, typer.Option("--variable", help="Variable of a .mat or .npz file.", rich_help_panel=READ)
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
OverwriteOption = Annotated[
    bool, typer.Option("--overwrite", help="Replace files that are there.", rich_help_panel=OUT)
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No progress and no summary, only problems.", rich_help_panel=OUT)
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="The outcome as JSON on standard output.", rich_help_panel=OUT)
]
ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A file that `manifact fit` wrote.")]


def given(**options: Any) -> dict[str, Any]:
    """Options that were used."""
    return {name: value for name, value in options.items() if value is not None}
