"""Runs beside the pages that show them: whoever has the results has the runs, and need not do them again."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Iterable
from pathlib import Path

from manifact.experiments.code_digest import numerical_code
from manifact.experiments.reproduce.jobs import Job, Store
from manifact.utils.files import replacing

#: In the folder of the pages: a file for each page, a line for each of its runs.
FOLDER = "runs"


def keep(folder: Path, name: str, jobs: Iterable[Job], store: Store) -> None:
    """Write what the store has of the runs of a page; the same runs are the same bytes."""
    lines = [json.dumps(store.stored(job), sort_keys=True) for job in sorted(jobs, key=lambda job: job.key)]
    if not lines:
        return
    file = _file(folder, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    packed = io.BytesIO()
    with gzip.GzipFile(fileobj=packed, mode="wb", filename="", mtime=0) as lines_of_json:
        lines_of_json.write("".join(f"{line}\n" for line in lines).encode())
    with replacing(file) as temporary:
        temporary.write_bytes(packed.getvalue())


def adopt(folder: Path, name: str, store: Store) -> int:
    """Put runs that are kept of a page into the store, if this code did them; their number.

    A file that is torn, or none of ours, counts as none.
    """
    try:
        with gzip.open(_file(folder, name), "rt", encoding="utf-8") as lines:
            runs = [json.loads(line) for line in lines]
        own = [run for run in runs if run["settings"]["code"] == numerical_code()]
        return sum(store.adopt(run["settings"], run["result"]) for run in own)
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return 0


def _file(folder: Path, name: str) -> Path:
    return folder / FOLDER / f"{name}.jsonl.gz"
