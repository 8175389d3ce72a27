"""The machine and the versions that numbers come from."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping
from datetime import date
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from manifact._version import __version__

#: The packages, beside this one, whose versions can change a number.
PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def environment() -> dict[str, Any]:
    """Date, versions and machine, as result files keep them."""
    return {
        "date": date.today().isoformat(),
        "python": platform.python_version(),
        "packages": package_versions(),
        "machine": processor(),
        "cores": os.cpu_count(),
    }


def versions() -> dict[str, str]:
    """Versions of Python and of the packages that make the numbers."""
    return {"python": platform.python_version(), **package_versions()}


def package_versions() -> dict[str, str]:
    """Versions of this package and of `PACKAGES`."""
    found = {"manifact": __version__}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def processor() -> str:
    """The name of the processor, as well as the system knows it."""
    try:
        with open("/proc/cpuinfo") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def provenance(facts: Mapping[str, Any], done: str = "Measured") -> str:
    """Where numbers come from, in one sentence, from what `environment` returned."""
    packages = ", ".join(f"{name} {number}" for name, number in facts["packages"].items())
    machine = f"{facts['cores']} cores of {facts['machine']}"
    if "threads" in facts:
        machine += f", {facts['threads']} threads"
    return f"{done} {facts['date']} with Python {facts['python']}, {packages} on {machine}."
