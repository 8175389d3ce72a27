import subprocess
import sys

import manifact


def test_importing_loads_nothing_heavy():
    code = (
        "import sys, manifact; print([m for m in ('numpy', 'scipy', 'sklearn', 'numba', 'rich') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_every_public_name_loads():
    for name in manifact.__all__:
        assert getattr(manifact, name) is not None
    assert set(manifact.__all__) <= set(dir(manifact))


def test_kernels_are_only_imported_by_backends():
    """Models, terms, solvers and graphs must run on any backend."""
    from pathlib import Path

    source = Path(manifact.__file__).parent
    for file in source.rglob("*.py"):
        if "backends" not in file.parts:
            text = file.read_text()
            assert "numba" not in text.replace('"numba"', ""), file
            assert "backends.kernels" not in text, file
