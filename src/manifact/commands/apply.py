"""``manifact transform`` and ``manifact predict``: new data of the kind that a model was fitted on."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from manifact.commands import looks, outputs
from manifact.utils.progress import showing


def transform(
    path: Path,
    data: Path,
    reading: Mapping[str, Any],
    output: Path,
    graph_from: Path | None,
    tie: bool,
    overwrite: bool,
    quiet: bool,
) -> tuple[int, int]:
    """Write V of new samples; its shape."""
    import manifact
    from manifact.io.writers import check_output, write_matrix

    model = manifact.load(path)
    check_output(outputs.free("--output", output, overwrite, path, data))
    _check_tie(model, tie, graph_from)
    with showing(not quiet):
        samples, X = new_samples(model, path, data, reading)
        V = model.transform(X, tie=tie, graph_X=_graph_samples(graph_from))
    write_matrix(output, V, names=samples.names)
    return V.shape


def predict(
    path: Path,
    data: Path | None,
    reading: Mapping[str, Any],
    output: Path | None,
    graph_from: Path | None,
    tie: bool | None,
    overwrite: bool,
    quiet: bool,
) -> list[tuple[str, int]]:
    """Clusters of new samples, or without data of the training samples, written to ``output`` if there is one."""
    import manifact
    from manifact.io.writers import TABLES, check_output

    model = manifact.load(path)
    if output is not None:
        check_output(outputs.free("--output", output, overwrite, path, data), TABLES)
    if model.assign is None or not hasattr(model, "labels_"):
        raise ValueError(f"{path} holds a model without clusters: fit again with --assign kmeans, to the end")
    if data is None:
        labels, names = model.labels_, getattr(model, "source_", {}).get("names")
    else:
        _check_tie(model, tie is not False, graph_from)
        with showing(not quiet):
            samples, X = new_samples(model, path, data, reading)
            labels, names = model.predict(X, tie=tie, graph_X=_graph_samples(graph_from)), samples.names
    if output is not None:
        write_clusters(output, labels, names)
    return list(zip(named(names, len(labels)), labels.tolist(), strict=True))


def new_samples(model: Any, path: Path, data: Path, reading: Mapping[str, Any]) -> tuple[Any, Any]:
    """Samples read as the training samples were, and X."""
    from manifact.io.readers import read

    preparation = getattr(model, "preparation_", None)
    if preparation is None:
        raise ValueError(
            f"{path} does not say how its data were prepared: it was saved in Python, so use manifact.load there"
        )
    source = getattr(model, "source_", {})
    samples = read(data, **(_as_before(source, data) | preparation.read_options | dict(reading)))
    X = preparation.apply(samples)
    for note in looks.empty(samples, X):
        warnings.warn(note, stacklevel=2)
    return samples, X


def _as_before(source: Mapping[str, Any], data: Path) -> dict[str, Any]:
    """The options that the training samples were read with, as far as they suit this file.

    New data need not have classes; but where columns are told by their numbers, leaving one out would shift the others.
    """
    options = dict(source.get("reading", {}))
    known = source.get("path", "")
    if Path(known).suffix.lower() != data.suffix.lower():
        return {}
    if str(data) != known and not str(options.get("label", "")).isdecimal():
        options.pop("label", None)
    return options


def _check_tie(model: Any, tie: bool, graph_from: Path | None) -> None:
    if tie and graph_from is None and getattr(model, "source_", {}).get("graph_from"):
        raise ValueError(
            "the model's neighbours come from another matrix than its data: pass that of the new samples with "
            "--graph-from FILE, or do without neighbours with --no-tie"
        )


def named(names: Sequence[str] | None, n: int) -> list[str]:
    """Names of samples, their numbers where they have none."""
    return [str(number) for number in range(n)] if names is None else list(names)


def write_clusters(path: Path, labels: Any, names: Sequence[str] | None) -> None:
    """A table of samples and their clusters."""
    from manifact.io.writers import write_labels

    write_labels(path, labels, named(names, len(labels)))


def _graph_samples(path: Path | None) -> Any:
    if path is None:
        return None
    from manifact.io.readers import read_matrix

    return read_matrix(path)
