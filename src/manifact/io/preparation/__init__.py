"""From samples to X: what a model learns about its samples before it factorises them, kept as JSON in its file."""

from manifact.io.preparation.base_preparation import SCALES, Preparation
from manifact.io.preparation.learn_preparation import learn, learn_and_apply

__all__ = ["SCALES", "Preparation", "learn", "learn_and_apply"]
