"""One file per paper: its objective, its equations, its parameters; and one that goes beyond them."""

from manifact.models.alpnmf import ALPNMF
from manifact.models.concept import CF, LCCF, LCF
from manifact.models.gnmf import GNMF
from manifact.models.joint import JointNMF
from manifact.models.lpnmf import LPNMF
from manifact.models.nmf import NMF
from manifact.models.spnmf import SPNMF

__all__ = ["ALPNMF", "CF", "GNMF", "LCCF", "LCF", "LPNMF", "NMF", "SPNMF", "JointNMF"]
