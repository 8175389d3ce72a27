"""Kinds of experiments: each module has ``reproduce(experiment, setting)``, which runs jobs and gives a page."""
