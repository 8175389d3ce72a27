"""The toys are written as by a stranger, in files of their own; nothing in the package knows them."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from manifact.models import registry
from manifact.solvers.all_solvers import SOLVERS
from manifact.terms import LOSSES
from manifact.utils import stored_classes

FOLDER = Path(__file__).parent
#: Looking for doctests would import them, and what they declare would be there for all other tests.
collect_ignore_glob = ["toy_*.py"]


@pytest.fixture
def toy(monkeypatch):
    """toy("loss") imports toy_loss.py; what it declared is forgotten after the test."""
    registry.entries()
    registries = [LOSSES, SOLVERS, registry._entries, stored_classes._classes]
    before = [dict(known) for known in registries]
    monkeypatch.syspath_prepend(str(FOLDER))
    yield lambda name: import_module(f"toy_{name}")
    for known, content in zip(registries, before, strict=True):
        known.clear()
        known.update(content)
    for name in [name for name in sys.modules if name.startswith("toy_")]:
        del sys.modules[name]
