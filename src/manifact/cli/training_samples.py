"""The samples that a model was fitted to, found and read again; others that have taken their place are refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from manifact.cli.new_samples import read_for
from manifact.cli.standard_input import is_dash


def place(model: Any, path: Path) -> Path:
    """Where the samples are: where they were, seen from here, or else beside the model file."""
    known = Path(model.source_["path"])
    if is_dash(known):
        return known
    places = (known, path.parent / known, path.parent / known.name)
    return next((found for found in places if found.exists()), known)


def is_near(found: Path, path: Path) -> bool:
    """Whether samples may be read because a model file says where they are, and nobody else does.

    Somebody else may have written it: what it names is read if it is a file or folder below the working folder or that
    of the model, and left alone if it is anywhere else, a pipe or a device.
    """
    below = any(found.resolve().is_relative_to(folder.resolve()) for folder in (Path.cwd(), path.parent))
    return below and (found.is_file() or found.is_dir())


def is_known(model: Any) -> bool:
    """Whether a model file has what tells its samples from others."""
    return "fingerprint" in model.source_ or getattr(getattr(model, "graph_", None), "_X", None) is not None


def read_again(
    model: Any, path: Path, data: Path | None, reading: Mapping[str, Any], otherwise: str = ""
) -> tuple[Any, Any]:
    """Samples and X, if they are those that the model was fitted to; ``otherwise`` is what one can do without them."""
    where = place(model, path) if data is None else data
    if data is None and not is_near(where, path):
        raise ValueError(f"{where} is where the model file says that its samples are: name it as DATA if it is yours")
    samples, X = read_for(model, path, where, reading, same=data is None)
    n = len(model.representation_)
    if samples.n_samples != n:
        raise ValueError(
            f"{where} holds {samples.n_samples} samples but the model was fitted on {n}: "
            "this is about the training samples, so name the data that the model was fitted on"
        )
    _refuse_changed(where, model, samples, X, otherwise)
    return samples, X


def _refuse_changed(where: Path, model: Any, samples: Any, X: Any, otherwise: str) -> None:
    """Samples in another order, or with other contents, would stand beside the parts and clusters of others."""
    from manifact.io.sample_fingerprints import first_changed

    ways = ["name the data as they were", "fit again", *([otherwise] if otherwise else [])]
    remedy = f"{', '.join(ways[:-1])}, or {ways[-1]}"
    names, known = samples.names, getattr(model, "source_", {}).get("names")
    if names is not None and known is not None and list(names) != list(known):
        position = next(i for i, pair in enumerate(zip(names, known, strict=True)) if pair[0] != pair[1])
        raise ValueError(
            f"{where} has changed since the model was fitted (sample {position} is {names[position]!r}, it was "
            f"{known[position]!r}): {remedy}"
        )
    changed = first_changed(model, samples, X)
    if changed is not None:
        called = "" if names is None else f", {names[changed]!r},"
        raise ValueError(
            f"{where} has changed since the model was fitted (sample {changed}{called} is not what it was): {remedy}"
        )
