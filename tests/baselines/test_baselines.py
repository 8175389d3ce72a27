"""What the room offers, and that asking costs nothing."""

import subprocess
import sys

import pytest

import manifact.baselines


def test_every_public_name_loads():
    for name in manifact.baselines.__all__:
        assert getattr(manifact.baselines, name) is not None
    with pytest.raises(AttributeError, match="has no attribute 'PCA'"):
        _ = manifact.baselines.PCA


def test_nothing_is_imported_before_it_is_asked_for():
    code = "import sys, manifact.baselines as b; dir(b); print('numpy' in sys.modules, 'sklearn' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "False False"
