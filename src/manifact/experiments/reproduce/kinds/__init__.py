"""Kinds of experiments: each module has ``reproduce(experiment, runner)``, which runs jobs and gives a page."""
