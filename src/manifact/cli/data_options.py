"""Options of data: how they are read, and how they are prepared."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from manifact.cli import parsing
from manifact.cli.help_headings import CELLS, IMAGES, READ, TEXT


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
    decimal: Annotated[
        Literal[".", ","] | None,
        typer.Option(
            help="What stands before decimals in .csv and .tsv. Default: a comma where ; or tabs separate cells and "
            "nothing else fits, else a point.",
            rich_help_panel=READ,
        ),
    ] = None


@dataclass(frozen=True)
class MemoryLimit:
    """How much memory data may take, where they are kept if they need more, and who works on them."""

    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory that may be used, such as 4G or 500M: DATA that need more are read in blocks of rows. "
            "Default: what is free.",
            rich_help_panel=READ,
        ),
        parsing.memory_size,
    ] = None
    scratch: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Folder for temporary files of DATA that are larger than memory. Default: the system's.",
            rich_help_panel=READ,
        ),
    ] = None

    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="local:N|ADDRESS",
            help="Let a Dask cluster work on blocks of rows: local:4 starts four processes here, and tcp://host:8786 "
            "is the address of a scheduler (manifact's extra \\[dask]).",
            rich_help_panel=READ,
        ),
    ] = None

    @property
    def workspace(self) -> Any:
        """The same as `manifact.io.out_of_core` takes it."""
        from manifact.io.out_of_core.workspace import Workspace

        return Workspace.of(self.memory, self.scratch)


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
