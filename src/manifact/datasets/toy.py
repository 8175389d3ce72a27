"""The papers' synthetic data, shifted to be non-negative where the models need that."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from manifact.datasets.dataset import Dataset


def two_rings(n_samples: int = 400, noise: float = 0.02, random_state: Any = None) -> Dataset:
    """Two rings of radius 0.8 and 1.0 around one centre, the inner one first (SPNMF paper, fig. 2a)."""
    rng = check_random_state(random_state)
    sizes = _halves(n_samples)
    radius = np.concatenate([rng.normal(mean, noise, size) for mean, size in zip((0.8, 1.0), sizes, strict=True)])
    angle = rng.uniform(0, 2 * np.pi, n_samples)
    X = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    return Dataset("two-rings", X - X.min(axis=0), np.repeat([0, 1], sizes))


def crossing_lines(n_samples: int = 200, variance: float = 0.02, random_state: Any = None) -> Dataset:
    """A vertical and a horizontal line that cross at right angles, the vertical one first (SPNMF paper, fig. 2f)."""
    rng = check_random_state(random_state)
    sizes = _halves(n_samples)
    along, across = rng.uniform(-1, 1, n_samples), rng.normal(0, np.sqrt(variance), n_samples)
    vertical = np.stack([across, along], axis=1)[: sizes[0]]
    horizontal = np.stack([along, across], axis=1)[sizes[0] :]
    X = np.concatenate([vertical, horizontal])
    return Dataset("crossing-lines", X - X.min(axis=0), np.repeat([0, 1], sizes))


#: Centres and standard deviation of `three_gaussians`.
CENTRES = np.array([[1.0, 1.0], [1.0, 4.0], [4.0, 2.5]])
DEVIATION = 0.35


def three_gaussians(n_samples: int = 150, random_state: Any = None) -> Dataset:
    """Three round clusters in the plane (LCF paper, fig. 5)."""
    rng = check_random_state(random_state)
    y = np.arange(n_samples) * 3 // n_samples
    X = CENTRES[y] + DEVIATION * rng.standard_normal((n_samples, 2))
    return Dataset("three-gaussians", np.maximum(X, 0), y)


def _halves(n_samples: int) -> tuple[int, int]:
    return n_samples - n_samples // 2, n_samples // 2
