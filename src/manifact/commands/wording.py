"""Parameters in the words of the command line."""

from __future__ import annotations

import re

#: Parameters whose options have other names than theirs with two dashes.
OPTIONS = {
    "n_components": "-k",
    "n_neighbors": "--neighbors",
    "n_landmarks": "--landmarks",
    "random_state": "--seed",
    "weight": "--graph-weight",
    "columns": "--scale-columns",
}
#: Words that are parameters wherever they stand, and those that are only before "=".
ALWAYS = (
    *("n_components", "n_neighbors", "n_landmarks", "graph_reg", "locality_reg", "max_iter", "n_init", "random_state"),
    *("image_size", "image_shape", "min_df", "max_df", "max_features", "stop_words"),
)
ASSIGNED = (
    *("init", "solver", "tau", "tol", "loss", "assign", "metric", "search", "weight", "columns", "ngrams", "scale"),
    *("weighting", "kind", "layer", "text", "name", "label", "variable", "color", "graph"),
)
PARAMETERS = re.compile(rf"(?<![\w-])(?:({'|'.join(ALWAYS)})\b|({'|'.join(ASSIGNED)})(?==))")


def option(parameter: str) -> str:
    """The option of a parameter.

    >>> option("graph_reg"), option("n_neighbors")
    ('--graph-reg', '--neighbors')
    """
    return OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")


def as_typed(message: str) -> str:
    """A message about parameters, in the words of the command line.

    >>> as_typed("init='nndsvd' needs n_components <= 3: say which label is meant with label='class'")
    "--init='nndsvd' needs -k <= 3: say which label is meant with --label='class'"
    """
    return PARAMETERS.sub(lambda found: option(found[1] or found[2]), message)
