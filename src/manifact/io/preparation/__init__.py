"""From samples to X: what a model learns about its samples before it factorises them, kept as JSON in its file."""

from manifact.io.preparation.base import SCALES, Preparation
from manifact.io.preparation.learning import learn

__all__ = ["SCALES", "Preparation", "learn"]
