"""How long building the documentation takes.

``python benchmarks/documentation.py`` (needs the extra docs; on several cores it takes as long as the table says)

A first build, in a copy of the repository without anything that an earlier one left: without the gallery's scripts
(`MANIFACT_DOCS_EXAMPLES=none`), with those that continuous integration runs, and with all of them. A second build takes
up only what has changed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from manifact.experiments.result_tables import write

ROOT = Path(__file__).resolve().parents[1]
#: Made by a build, or no part of it.
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "_build", "generated", "auto_examples", "__pycache__", ".*cache")
COMMAND = ["-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", "docs/_build/html"]


def quick_examples():
    """The examples that continuous integration runs."""
    return re.search(r"MANIFACT_DOCS_EXAMPLES='([^']+)'", (ROOT / ".ci" / "run").read_text())[1]


def seconds(examples):
    """How long a build takes that runs the examples of this pattern (None: all)."""
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copytree(ROOT, Path(folder) / "manifact", ignore=LEFT_OUT)
        chosen = {} if examples is None else {"MANIFACT_DOCS_EXAMPLES": examples}
        begun = time.perf_counter()
        subprocess.run([sys.executable, *COMMAND], cwd=copy, env=os.environ | chosen, check=True)
        return time.perf_counter() - begun


def measure():
    for told, examples in (("none", "none"), ("the quick ones", quick_examples()), ("all", None)):
        row = {"examples that run": told, "minutes": round(seconds(examples) / 60, 1)}
        print(row, flush=True)
        yield row


if __name__ == "__main__":
    note = (__doc__ or "").split("\n\n")[2].strip()
    print(write("documentation", "Building the documentation", note, list(measure())))
