"""New data of the kind that a model was fitted on, for ``manifact predict``, ``transform`` and ``report``."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manifact.cli import data_notes
from manifact.cli.standard_input import called, is_dash, received
from manifact.utils.errors import BadValueError


def read_for(model: Any, path: Path, data: Path, reading: Mapping[str, Any], same: bool = False) -> tuple[Any, Any]:
    """Samples read as the training samples were, and X; ``same`` if they are those."""
    samples = checked_for(model, path, data, reading, same).read()
    return samples, model.preparation_.apply(samples)


def checked_for(model: Any, path: Path, data: Path, reading: Mapping[str, Any], same: bool = False) -> Any:
    """What reads samples as the training samples were read."""
    from manifact.io.readers import check

    preparation = getattr(model, "preparation_", None)
    if preparation is None:
        raise ValueError(
            f"{path} does not say how its data were prepared: it was saved in Python, so use manifact.load there"
        )
    source = getattr(model, "source_", {})
    asked = _as_before(source, data, reading, same) | dict(reading)
    data = received(data, asked, preparation.kind)
    if preparation.kind == "documents" and data.is_file() and not asked.keys() & {"kind", "text"}:
        _refuse_numbers(data, asked)
    return check(data, **(asked | preparation.read_options | dict(reading)))


def put_on(model: Any, device: str | None) -> None:
    """Let a model work on the device that is asked for, if it is there."""
    if device is not None:
        from manifact.backends.devices import chosen_device

        chosen_device(device)
        model.set_params(device=device)


def _refuse_numbers(data: Path, asked: Mapping[str, Any]) -> None:
    """Refuse a table of numbers whose one column of text, such as names, would be taken for the documents."""
    from manifact.io.readers import check
    from manifact.io.readers.formats import columns_of_numbers

    known = {name: asked[name] for name in ("format", "encoding") if name in asked}
    check(data, kind="documents", **known)
    numbers = columns_of_numbers(data, **known)
    if numbers > 1:
        raise BadValueError(
            "{} is a table with {} columns of numbers and the model was fitted to documents: give it documents, or say "
            "with {text}=… which column holds them",
            data,
            numbers,
        )


def warn_of_empty(samples: Any, empty: Any, quiet: bool = False) -> None:
    """Say what was left out, and which samples say nothing (``empty``); ``quiet``: only what matters."""
    harmless = [] if quiet else data_notes.blank_lines(samples)
    for note in [*data_notes.skipped(samples), *harmless, *data_notes.empty(samples, empty)]:
        warnings.warn(note, stacklevel=2)


def warn_of_reading(model: Any, samples: Any, below: int | None = None) -> None:
    """Say which rows of a table were left out, and what else was done to its cells."""
    for note in data_notes.of_new_samples(model, samples, below):
        warnings.warn(note, stacklevel=2)


def refuse_if_nobody(data: Path, samples: Any, labels: Any) -> None:
    """Refuse data of which no sample can be placed: they are of another kind, or in another language."""
    if (labels >= 0).any():
        return
    what = {"documents": "has a word", "images": "has a pixel", "cells": "has a gene"}.get(
        samples.kind, "has an entry in a column"
    )
    raise ValueError(
        f"none of the {samples.n_samples:,} samples of {called(data)} {what} that the model's parts have: give it data "
        "like those that it was fitted on"
    )


def check_tie(model: Any, tie: bool, graph_from: Path | None) -> None:
    """Refuse neighbours that nothing says where to look for."""
    if tie and graph_from is None and getattr(model, "source_", {}).get("graph_from"):
        raise ValueError(
            "the model's neighbours come from another matrix than its data: pass that of the new samples with "
            "--graph-from FILE, or do without neighbours with --no-tie"
        )


def graph_samples(path: Path | None, samples: Any) -> Any:
    """The matrix to look for neighbours in, if it is another than the data; its rows are those of the samples."""
    if path is None:
        return None
    from manifact.io.readers import read_matrix

    return samples.rows_of(read_matrix(path))


def _as_before(source: Mapping[str, Any], data: Path, reading: Mapping[str, Any], same: bool) -> dict[str, Any]:
    """The options that the training samples were read with, as far as they suit this file.

    New data need not have classes; but where columns are told by their numbers, leaving one out would shift the others.
    Nor need they be in the same encoding: some read any bytes as text, and nobody would notice.
    """
    options = dict(source.get("reading", {}))
    for settled in ("drop", "keep", "missing", "decimal"):  # the preparation knows what came of them
        options.pop(settled, None)
    known = Path(source.get("path", ""))
    piped_as_before = is_dash(data) and is_dash(known) and "format" not in reading
    if not piped_as_before and _format(known, options) != _format(data, reading):
        return {}
    if (same or data == known) and not is_dash(data):
        return options
    options.pop("encoding", None)
    if not str(options.get("label", "")).isdecimal():
        options.pop("label", None)
    return options


def _format(path: Path, reading: Mapping[str, Any]) -> str:
    """What a file is, as far as its name and the options say."""
    from manifact.io.readers.formats import suffix

    return f".{reading['format']}" if "format" in reading else suffix(path)
