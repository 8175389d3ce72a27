"""Experiments and the record they leave in ``results/``."""
