"""``manifact fit`` and its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from manifact.cli import parsing
from manifact.cli.options import (
    GRAPH,
    IMAGES,
    OUT,
    READ,
    TEXT,
    Assign,
    Columns,
    GraphFromOption,
    JsonOption,
    KindOption,
    LayerOption,
    Loss,
    Metric,
    Model,
    NameOption,
    OverwriteOption,
    QuietOption,
    Scale,
    Search,
    Solver,
    Start,
    TextOption,
    VariableOption,
    Weight,
    Weighting,
    given,
)
from manifact.cli.telling import REFUSALS, told


def fit(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help=(
                "A table (.npy .npz .csv .tsv .parquet .mtx .mat .h5ad), documents (.txt with one in each line, "
                ".jsonl, a folder of text files) or a folder of images."
            ),
        ),
    ],
    components: Annotated[
        str | None,
        typer.Option(
            "--components",
            "-k",
            metavar="N|auto",
            help="Number of parts; auto chooses it without labels. Default: auto for affinity; else 10.",
        ),
    ] = None,
    model: Annotated[Model, typer.Option("--model", "-m", help="What is minimised.")] = "affinity",
    loss: Annotated[Loss | None, typer.Option(help="How the distance from the data is measured (nmf, gnmf).")] = None,
    tau: Annotated[
        str | None,
        typer.Option(metavar="NUMBER|auto", help="affinity: weight of the graph beside the data. Default: 2."),
    ] = None,
    graph_reg: Annotated[
        float | None, typer.Option(min=0, help="λ of gnmf, lpnmf, alpnmf, spnmf, lccf. Default: 100 (spnmf: 1).")
    ] = None,
    locality_reg: Annotated[float | None, typer.Option(min=0, help="λ of lcf. Default: 0.3.")] = None,
    solver: Annotated[
        Solver | None,
        typer.Option(help="Default: mu (the published rule, stopped early) for gnmf, lpnmf, alpnmf; else auto."),
    ] = None,
    init: Annotated[
        Start | None, typer.Option(help="Default: spectral for affinity, kmeans for cf, lccf, lcf; else random.")
    ] = None,
    max_iter: Annotated[int | None, typer.Option(min=0, help="Iterations. Default: 100 for mu, else 500.")] = None,
    tol: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="Stop when ten iterations change the objective by less than this share. Default: 1e-4.",
        ),
    ] = None,
    n_init: Annotated[int | None, typer.Option(min=1, help="Starts, of which the best goes on. Default: 1.")] = None,
    assign: Annotated[
        Assign | None,
        typer.Option(
            help="Clusters by k-means on V, the largest part or the nearest. Default: nearest (affinity) or kmeans."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the start and of k-means.")] = 0,
    setting: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="Any other parameter of the model, may be repeated."),
    ] = None,
    graph: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|obsp:NAME",
            help="A graph that is there: a file with an n x n affinity, or obsp:connectivities of an .h5ad file.",
            rich_help_panel=GRAPH,
        ),
    ] = None,
    graph_from: GraphFromOption = None,
    neighbors: Annotated[
        str | None,
        typer.Option(metavar="N|auto", help="Neighbours of each sample. Default: 5.", rich_help_panel=GRAPH),
    ] = None,
    graph_weight: Annotated[
        Weight | None, typer.Option(help="Weight of an edge. Default: binary (spnmf: heat).", rich_help_panel=GRAPH)
    ] = None,
    metric: Annotated[
        Metric | None,
        typer.Option(
            help="What near means. Default: euclidean; cosine for rows of unit length, where both agree.",
            rich_help_panel=GRAPH,
        ),
    ] = None,
    search: Annotated[
        Search | None, typer.Option(help="How neighbours are found. Default: exact.", rich_help_panel=GRAPH)
    ] = None,
    landmarks: Annotated[
        int | None, typer.Option(min=1, help="Landmarks of alpnmf. Default: 1000.", rich_help_panel=GRAPH)
    ] = None,
    kind: KindOption = None,
    layer: LayerOption = None,
    text: TextOption = None,
    name: NameOption = None,
    label: Annotated[
        str | None,
        typer.Option(
            help="Field or column with known classes: not used, only compared with the clusters.", rich_help_panel=READ
        ),
    ] = None,
    variable: VariableOption = None,
    image_shape: Annotated[
        str | None,
        typer.Option(metavar="HxW", help="Rows of the table are images of this size.", rich_help_panel=READ),
    ] = None,
    scale: Annotated[
        Scale | None,
        typer.Option(help="Rows to length 1, to sum 1, or as they are. Default: unit.", rich_help_panel=READ),
    ] = None,
    scale_columns: Annotated[
        Columns | None,
        typer.Option(
            help="Divide the columns of a table by their largest value: for columns in different units. Default: none.",
            rich_help_panel=READ,
        ),
    ] = None,
    weighting: Annotated[Weighting | None, typer.Option(help="Default: tfidf.", rich_help_panel=TEXT)] = None,
    stop_words: Annotated[
        str | None,
        typer.Option(
            metavar="english|none|FILE",
            help="Words to leave out; a file has one in each line. Default: english.",
            rich_help_panel=TEXT,
        ),
    ] = None,
    min_df: Annotated[
        str | None,
        typer.Option(
            help="Documents (2) or share of them (0.01) a word must be in. Default: 2 from 101 documents on.",
            rich_help_panel=TEXT,
        ),
    ] = None,
    max_df: Annotated[
        str | None,
        typer.Option(
            help="Documents or share of them a word may be in. Default: 0.95 from 101 documents on.",
            rich_help_panel=TEXT,
        ),
    ] = None,
    max_features: Annotated[
        int | None, typer.Option(min=1, help="Keep the most frequent words.", rich_help_panel=TEXT)
    ] = None,
    ngrams: Annotated[
        str | None, typer.Option(metavar="MIN,MAX", help="Words in a row, such as 1,2.", rich_help_panel=TEXT)
    ] = None,
    image_size: Annotated[
        str | None,
        typer.Option(
            metavar="HxW", help="Bring images to this size (one number: the longer side).", rich_help_panel=IMAGES
        ),
    ] = None,
    color: Annotated[bool, typer.Option("--color", help="Keep colours.", rich_help_panel=IMAGES)] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Model file. Default: NAME.safetensors here.", rich_help_panel=OUT
        ),
    ] = None,
    clusters: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Also write the cluster of each sample: .csv .tsv .parquet .jsonl .npy.",
            rich_help_panel=OUT,
        ),
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write the page to explore.", rich_help_panel=OUT)
    ] = None,
    overwrite: OverwriteOption = False,
    quiet: QuietOption = False,
    json: JsonOption = False,
) -> None:
    """Factorise DATA: find parts and clusters, and write a model file."""
    from manifact.commands.choosing import GraphChoice
    from manifact.commands.fit import Request
    from manifact.commands.fit import fit as run

    with told(*REFUSALS):
        done = run(
            Request(
                data=data,
                model=model,
                reading=given(
                    kind=kind,
                    layer=layer,
                    text=text,
                    name=name,
                    label=label,
                    variable=variable,
                    image_size=parsing.size("--image-size", image_size),
                    image_shape=parsing.shape("--image-shape", image_shape),
                    color=color or None,
                ),
                preparing=given(
                    scale=scale,
                    columns=scale_columns,
                    weighting=weighting,
                    stop_words=parsing.stop_words(stop_words),
                    min_df=parsing.frequency("--min-df", min_df),
                    max_df=parsing.frequency("--max-df", max_df),
                    max_features=max_features,
                    ngrams=parsing.pair("--ngrams", ngrams),
                ),
                parameters=given(
                    n_components=parsing.count("-k", components),
                    loss=loss,
                    tau=parsing.strength("--tau", tau),
                    graph_reg=graph_reg,
                    locality_reg=locality_reg,
                    solver=solver,
                    init=init,
                    max_iter=max_iter,
                    tol=tol,
                    n_init=n_init,
                    assign=assign,
                    random_state=seed,
                ),
                extra=setting or (),
                graph=GraphChoice(
                    graph,
                    graph_from,
                    given(
                        n_neighbors=parsing.count("--neighbors", neighbors),
                        weight=graph_weight,
                        metric=metric,
                        search=search,
                        n_landmarks=landmarks,
                    ),
                ),
                output=output,
                clusters=clusters,
                page=report,
                overwrite=overwrite,
                quiet=quiet or json,
            )
        )
        if json:
            typer.echo(done.json())
        elif not quiet:
            done.show()
            if report is None:
                typer.echo(f"explore   manifact report {done.files['model']}")
