"""What a fitted model knows of its data: names and shapes, from whoever prepared or held them."""

from __future__ import annotations

from typing import Any


def prepared(model: Any, what: str) -> Any:
    """Something that the preparation of the model's data knows, or None."""
    return getattr(getattr(model, "preparation_", None), what, None)


def feature_names(model: Any) -> Any:
    """Names of the features: those of the preparation, else of the data frame that was fitted, else None.

    Columns of a file without a header are called by their numbers in it, from 1.
    """
    names = prepared(model, "feature_names")
    if names is None and (places := prepared(model, "places")):
        return [f"column {place}" for place in places]
    return getattr(model, "feature_names_in_", None) if names is None else names
