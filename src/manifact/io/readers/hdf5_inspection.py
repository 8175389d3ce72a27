"""HDF5 files of others, walked through by a program of its own before we open them.

A few changed bytes make HDF5 go round in circles or write where it should not, and nothing inside the process can stop
it: so another process goes first, with limits on its time and its memory, and what it does not survive is refused.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from manifact.io.file_errors import refusal
from manifact.io.unpacked_size import allowed

PROGRAM = Path(__file__).with_name("hdf5_walk.py")
#: Seconds that it may take, and bytes of the file for which it gets another one.
SECONDS, BYTES_A_SECOND = 20.0, 1 << 24
#: How HDF5 begins, and where it may.
SIGNATURE, HEAD = b"\x89HDF\r\n\x1a\n", 1 << 20
DAMAGED = "it may be cut short or damaged, replace it"
#: Files that were found to be in order, as they were then.
_inspected: set[tuple[int, ...]] = set()


def inspect(file: Path) -> None:
    """Refuse a file that HDF5 does not get through, that reads other files, or whose values are no values."""
    state = file.stat()
    with file.open("rb") as content:  # a block of the user's own may come first
        if SIGNATURE not in content.read(HEAD):
            raise refusal(file, "is not an HDF5 file", DAMAGED)
    known = (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns)
    if known in _inspected:
        return
    command = [sys.executable, "-P", str(PROGRAM), str(file.resolve()), str(allowed(file))]
    paths = os.pathsep.join(path for path in sys.path if path)
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=SECONDS + state.st_size / BYTES_A_SECOND,
            env={**os.environ, "PYTHONPATH": paths},
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        raise refusal(file, f"keeps HDF5 busy for more than {late.timeout:.0f} s", DAMAGED) from None
    if done.returncode < 0:
        raise refusal(file, f"crashes HDF5 (signal {-done.returncode})", DAMAGED)
    if done.returncode:
        raise refusal(file, f"cannot be read as an AnnData file ({_reason(done.stderr)})", DAMAGED)
    found = json.loads(done.stdout)
    if found is not None:
        raise refusal(file, found, "write it again with anndata, in one file, if this is as it should be")
    _inspected.add(known)


def _reason(errors: bytes) -> str:
    """The last line of a traceback, without the class."""
    lines = errors.decode("utf-8", "replace").strip().splitlines() or ["no reason"]
    return lines[-1].partition(": ")[2] or lines[-1]
