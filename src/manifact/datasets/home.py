"""The papers' data sets, read from a data home."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from scipy import sparse

from manifact import checks
from manifact.datasets.dataset import Dataset

#: Name -> file, for images in one .npz (X, y, image_shape, scale).
IMAGES = {
    "coil20": "coil20.npz",
    "pie": "pie_pose27.npz",
    "yale": "yale32.npz",
    "orl": "orl32.npz",
    "umist": "umist_28x23.npz",
    "binalpha": "binalpha.npz",
    "mnist": "mnist.npz",
}
#: Name -> stem, for counts in SciPy's sparse .npz with labels in <stem>_y.npy.
COUNTS = {"tdt2": "tdt2", "reuters": "reuters21578", "news20": "news20", "pbmc3k": "pbmc3k"}
NAMES = (*IMAGES, *COUNTS)


def data_home(home: str | os.PathLike[str] | None = None) -> Path:
    """The folder that holds the data: ``home``, else ``$MANIFACT_DATA``, else ``~/.cache/manifact``."""
    return Path(home or os.environ.get("MANIFACT_DATA") or Path.home() / ".cache" / "manifact")


def load(name: str, home: str | os.PathLike[str] | None = None) -> Dataset:
    """The raw samples and classes of one of the papers' data sets."""
    checks.option("name", name, NAMES)
    folder = data_home(home)
    file = folder / (IMAGES.get(name) or f"{COUNTS[name]}.npz")
    if not file.exists():
        raise FileNotFoundError(f"{name} is not in {folder}: put {file.name} there, or set MANIFACT_DATA to its folder")
    if name in IMAGES:
        with np.load(file, allow_pickle=False) as stored:
            X = stored["X"] / stored["scale"] if stored["scale"] != 1 else stored["X"]
            return Dataset(name, X, stored["y"].astype(np.int64), tuple(stored["image_shape"].tolist()))
    X = sparse.csr_array(sparse.load_npz(file))
    y = np.load(folder / f"{COUNTS[name]}_y.npy", allow_pickle=False).astype(np.int64)
    names = folder / f"{COUNTS[name]}_names.npz"
    if not names.exists():
        return Dataset(name, X, y)
    with np.load(names, allow_pickle=False) as stored:
        return Dataset(name, X, y, feature_names=stored["genes"], target_names=stored["classes"])
