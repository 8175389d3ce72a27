"""How long building the documentation takes.

``python benchmarks/documentation.py`` (needs the extra docs)

A first build, in a copy of the repository without anything that an earlier one left, without the gallery's scripts
(`MANIFACT_DOCS_EXAMPLES=none`) and with all of them. Minutes of work of one core, which do not depend on what else the
machine does; a second build takes up only what has changed.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from manifact.experiments.result_tables import write

ROOT = Path(__file__).resolve().parents[1]
#: Made by a build, or no part of it.
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "_build", "generated", "auto_examples", "__pycache__", ".*cache")
COMMAND = ["-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", "docs/_build/html"]


def minutes(examples):
    """How much work a build is that runs the examples of this pattern (None: all)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder) / "manifact", ignore=LEFT_OUT)
        chosen = {} if examples is None else {"MANIFACT_DOCS_EXAMPLES": examples}
        before = worked()
        subprocess.run([sys.executable, *COMMAND], cwd=copy, env=os.environ | chosen, check=True)
        return (worked() - before) / 60


def worked():
    """Seconds that finished processes of ours have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure():
    for told, examples in (("none", "none"), ("all", None)):
        row = {"examples that run": told, "minutes": round(minutes(examples), 1)}
        print(row, flush=True)
        yield row


if __name__ == "__main__":
    note = (__doc__ or "").split("\n\n")[2].strip()
    print(write("documentation", "Building the documentation", note, list(measure())))
