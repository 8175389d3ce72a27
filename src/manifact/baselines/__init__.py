"""What the papers compare with and scikit-learn lacks.

Names load on first use: asking which there are costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from manifact.baselines.average_association import AverageAssociation
    from manifact.baselines.cnmf import CNMF
    from manifact.baselines.ksda import KSDA
    from manifact.baselines.lnmf import LNMF
    from manifact.baselines.lpp import LPP
    from manifact.baselines.ncut import NCut
    from manifact.baselines.npe import NPE
    from manifact.baselines.npnmf import NPNMF
    from manifact.baselines.sparse_nmf import SNMF, SparseNMF

_WHERE = {
    "AverageAssociation": "average_association",
    "CNMF": "cnmf",
    "KSDA": "ksda",
    "LNMF": "lnmf",
    "LPP": "lpp",
    "NCut": "ncut",
    "NPE": "npe",
    "NPNMF": "npnmf",
    "SNMF": "sparse_nmf",
    "SparseNMF": "sparse_nmf",
}

__all__ = [
    "CNMF",
    "KSDA",
    "LNMF",
    "LPP",
    "NPE",
    "NPNMF",
    "SNMF",
    "AverageAssociation",
    "NCut",
    "SparseNMF",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(f"manifact.baselines.{_WHERE[name]}"), name)
    raise AttributeError(f"module 'manifact.baselines' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
