"""``manifact report``: the page to explore a model in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manifact.commands import outputs
from manifact.commands.apply import new_samples
from manifact.utils.progress import showing


def report(
    path: Path,
    data: Path | None,
    reading: Mapping[str, Any],
    output: Path | None,
    title: str | None,
    overwrite: bool,
    quiet: bool,
) -> tuple[Path, str | None]:
    """Write the page; where it is, and what it lacks."""
    import manifact

    model = manifact.load(path)
    named = output or outputs.named_after(path, ".html")
    output = outputs.free("--output", named, overwrite, path, data, ending=".html")
    with showing(not quiet):
        samples, X, lacking = _training_samples(model, path, data, reading)
        page(model, samples, X, output, title)
    return output, lacking


def page(model: Any, samples: Any, X: Any, output: Path, title: str | None = None) -> None:
    """The page of a model and, as far as they are at hand, its samples."""
    source = getattr(model, "source_", {})
    pixels = samples is not None and samples.kind == "images"
    model.report(
        X,
        output,
        sample_names=source.get("names"),
        labels=source.get("labels"),
        texts=None if samples is None else samples.texts,
        images=samples.X if pixels else None,
        title=title or _title(source),
    )


def _check_names(data: Path, names: Any, known: Any) -> None:
    """Data that have changed since would show the wrong texts and pictures."""
    if names is None or known is None or list(names) == list(known):
        return
    position = next(i for i, pair in enumerate(zip(names, known, strict=True)) if pair[0] != pair[1])
    raise ValueError(
        f"{data} has changed since the model was fitted (sample {position} is {names[position]!r}, it was "
        f"{known[position]!r}): fit again, or name the data as they were"
    )


def _title(source: Mapping[str, Any]) -> str | None:
    path = source.get("path")
    return Path(path).name if path else None


def _training_samples(
    model: Any, path: Path, data: Path | None, reading: Mapping[str, Any]
) -> tuple[Any, Any, str | None]:
    """The samples that the model was fitted on, read again; or None and why."""
    if data is None and not hasattr(model, "source_"):
        return None, None, "the samples themselves are not shown: the model was saved in Python, without them"
    if data is None:
        data = Path(model.source_["path"])
        if not data.exists():
            return None, None, f"the samples themselves are not shown: {data} is not there, name it after the model"
    samples, X = new_samples(model, path, data, reading)
    n = len(model.representation_)
    if samples.n_samples != n:
        raise ValueError(
            f"{data} holds {samples.n_samples} samples but the model was fitted on {n}: "
            "a report shows the training samples, so name the data that the model was fitted on"
        )
    _check_names(data, samples.names, model.source_.get("names"))
    return samples, X, None
