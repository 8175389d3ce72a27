import subprocess
import sys

import pytest

import manifact


def loaded(statement):
    """What a statement loads in a fresh interpreter that does not come with Python."""
    code = (
        "import sys; before = set(sys.modules)\n"
        f"{statement}\n"
        "new = {name for name in set(sys.modules) - before if name.partition('.')[0] not in sys.stdlib_module_names}\n"
        "print(*sorted(new))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_loads_nothing_heavy():
    assert loaded("import manifact; dir(manifact)") == {"manifact", "manifact._version"}


@pytest.mark.parametrize(
    ("statement", "heavy"),
    [
        ("import manifact; manifact.NMF", {"numpy", "scipy", "sklearn", "array_api_compat"}),
        ("import manifact; manifact.load", {"numpy"}),
        ("import manifact.backends.numpy", {"numpy", "scipy", "numba"}),
    ],
)
def test_what_is_asked_for_is_loaded(statement, heavy):
    """What the test above looks for is there to be found."""
    assert heavy <= loaded(statement)


@pytest.mark.parametrize("statement", ["import manifact; manifact.NMF", "import manifact; manifact.AffinityNMF"])
def test_models_load_nothing_that_they_may_not_need(statement):
    rarely = {"numba", "torch", "dask", "matplotlib", "pynndescent", "pooch", "typer", "safetensors", "anndata", "PIL"}
    assert not rarely & loaded(statement)


def test_every_public_name_loads():
    for name in manifact.__all__:
        assert getattr(manifact, name) is not None
    assert set(manifact.__all__) <= set(dir(manifact))
