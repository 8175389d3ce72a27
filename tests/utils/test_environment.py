"""What a measurement says about where it was made."""

from importlib.metadata import PackageNotFoundError

import numpy

import manifact
from manifact.utils import environment


def test_versions_are_those_that_are_loaded():
    found = environment.versions()
    assert found["manifact"] == manifact.__version__
    assert found["numpy"] == numpy.__version__
    assert list(found) == ["python", "manifact", *environment.PACKAGES]


def test_a_package_that_is_missing_is_said_to_be(monkeypatch):
    def gone(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(environment, "version", gone)
    assert environment.environment()["packages"]["numba"] == "not installed"


def test_the_sentence_names_the_machine_and_every_package():
    facts = {"date": "2024-02-03", "python": "3.12.1", "packages": {"numpy": "2.0"}, "machine": "a chip", "cores": 4}
    assert environment.provenance(facts) == "Measured 2024-02-03 with Python 3.12.1, numpy 2.0 on 4 cores of a chip."
    assert environment.provenance(facts, "Written").startswith("Written 2024")
