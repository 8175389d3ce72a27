"""Kernels without a place on disk, with a torn one and with a full one: they are compiled anew."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from manifact.backends.compiled.kernel_cache import cached_njit

PACKAGE = Path(__file__).parents[3] / "src"
#: Two kernels only: compiling takes long.
WORK = """
from manifact.backends.compiled.flush_to_zero import flush, restore
restore(flush())
print("done")
"""


def ended(tmp_path, **environment):
    """What a process prints whose home is a file, and whose own folder takes no files."""
    (tmp_path / "file").write_text("not a folder")
    home = str(tmp_path / "file")
    kept = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(PACKAGE), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", environment.pop("before", "") + WORK],
        env=kept | {"HOME": home, "XDG_CACHE_HOME": home} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


#: As on a read-only file system, which tests by the superuser do not have.
READ_ONLY = """
import os, tempfile
from numba.core import caching
def refuse(self):
    raise OSError(30, "Read-only file system")
caching._CacheLocator.ensure_cache_path = refuse
"""


def test_a_folder_that_takes_no_files_is_no_reason_to_fail(tmp_path):
    assert ended(tmp_path, before=READ_ONLY) == "done\n"


def test_a_torn_cache_is_made_anew(tmp_path):
    cache = tmp_path / "cache"
    assert ended(tmp_path, NUMBA_CACHE_DIR=str(cache)) == "done\n"
    files = {file: file.read_bytes() for file in cache.rglob("*.nb[ic]")}
    assert len(files) >= 4
    for file, content in files.items():
        if file.suffix == (".nbi" if "flush-" in file.name else ".nbc"):
            file.write_bytes(content[: len(content) // 2])
    assert ended(tmp_path, NUMBA_CACHE_DIR=str(cache)) == "done\n"
    # and whole again
    assert all(len(file.read_bytes()) >= len(content) - 8 for file, content in files.items())


def test_a_full_disk_keeps_nothing_and_costs_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path))

    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("numba.core.caching.IndexDataCacheFile.save", full)

    @cached_njit()
    def twice(x):
        return 2 * x

    assert twice(np.float64(3)) == 6
    assert not list(tmp_path.rglob("*.nb[ic]"))


@pytest.mark.parametrize("name", ["cache_path", "enable", "disable", "flush"])
def test_it_is_a_cache_of_numbas(name):
    @cached_njit()
    def same(x):
        return x

    assert hasattr(same._cache, name)
    assert same.stats.cache_path == same._cache.cache_path
