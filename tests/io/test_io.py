"""What `manifact.io` offers, and what it costs to import."""

import subprocess
import sys

import pytest

import manifact.io


def test_every_public_name_loads():
    for name in manifact.io.__all__:
        assert getattr(manifact.io, name) is not None
    assert dir(manifact.io) == sorted(manifact.io.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'write'"):
        manifact.io.write  # noqa: B018


def test_importing_loads_nothing_heavy():
    code = "import sys, manifact.io; print([m for m in ('numpy', 'scipy', 'sklearn', 'rich') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_rooms_above_are_not_imported():
    """Readers and preparations serve data sets, commands and reports, and know none of them."""
    above = ("cli", "commands", "datasets", "experiments", "plot", "report")
    code = (
        "import sys, pkgutil, importlib, manifact.io.readers, manifact.io.preparation, manifact.io.writers\n"
        "for room in (manifact.io.readers, manifact.io.preparation):\n"
        "    for module in pkgutil.iter_modules(room.__path__, room.__name__ + '.'):\n"
        "        importlib.import_module(module.name)\n"
        f"print([room for room in {above} if f'manifact.{{room}}' in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"
