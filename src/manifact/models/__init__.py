"""One file per paper: its objective, its equations, its parameters."""

from manifact.models.gnmf import GNMF
from manifact.models.lpnmf import LPNMF
from manifact.models.nmf import NMF

__all__ = ["GNMF", "LPNMF", "NMF"]
