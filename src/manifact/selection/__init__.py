"""Values for what nobody wants to choose by hand, chosen without labels."""

from manifact.selection.choosing import select
from manifact.selection.result import Selection

__all__ = ["Selection", "select"]
