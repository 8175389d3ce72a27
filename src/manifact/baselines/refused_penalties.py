"""What a baseline without room for further penalties says when it is given one."""

from __future__ import annotations

from manifact.models.base import Factorization


def refuse_penalties(model: Factorization) -> None:
    """``alpha_V`` and ``alpha_U`` are not set."""
    for name in ("alpha_V", "alpha_U"):
        value = getattr(model, name)
        if value != "same" and value != 0:
            raise ValueError(
                f"{name}={value:g} is not known to {type(model).__name__}, whose published rule has no such penalty: "
                f"leave {name} as it is, or use NMF"
            )
