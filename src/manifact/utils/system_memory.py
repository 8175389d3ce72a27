"""How much more memory the system lets this process have: what the machine has free, and what limits leave."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

#: Where Linux tells of itself.
PROC = Path("/proc")
#: Limits of the first version of control groups that mean none: the largest number, down to a whole page.
NO_LIMIT = 1 << 62


def free_on_machine() -> int | None:
    """Bytes that are free or can be made so; all there are where the system does not say how many are in use."""
    try:
        for line in (PROC / "meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None


class _Files(NamedTuple):
    """What files of a control group are called."""

    limit: str
    used: str
    #: In ``memory.stat``: pages of files that nobody has looked at for long, which the kernel gives up first.
    reclaimable: str


_VERSIONS = {
    "cgroup2": _Files("memory.max", "memory.current", "inactive_file"),
    "cgroup": _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def free_in_control_groups() -> int | None:
    """What the tightest of the control groups around this process leaves, all levels up; None where none has a limit.

    Containers, batch systems and ``systemd-run -p MemoryMax=…`` set these limits, and kill who goes beyond them.
    """
    left: list[int] = []
    for folder, files in _groups():
        try:
            limit = (folder / files.limit).read_text().strip()
            if limit == "max" or int(limit) >= NO_LIMIT:
                continue
            used = int((folder / files.used).read_text())
            left.append(max(0, int(limit) - used + _reclaimable(folder, files.reclaimable)))
        except (OSError, ValueError):
            continue
    return min(left, default=None)


def _reclaimable(folder: Path, name: str) -> int:
    for line in (folder / "memory.stat").read_text().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0


def _groups() -> Iterator[tuple[Path, _Files]]:
    """Folders of the groups that this process is in, innermost first, for both versions."""
    try:
        mine = (PROC / "self" / "cgroup").read_text().splitlines()
        mounts = (PROC / "self" / "mountinfo").read_text().splitlines()
    except OSError:
        return
    inside = {}
    for line in mine:
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            inside["cgroup2"] = path
        elif "memory" in controllers.split(","):
            inside["cgroup"] = path
    for line in mounts:
        fields, _, kind = line.partition(" - ")
        version, _, options = kind.split(" ", 2)
        if version not in inside or (version == "cgroup" and "memory" not in options.split(" ")[-1].split(",")):
            continue
        root, mounted = fields.split(" ")[3:5]
        for folder in _up_to(Path(mounted), root, inside[version]):
            yield folder, _VERSIONS[version]


def _up_to(mounted: Path, root: str, path: str) -> Iterator[Path]:
    """The folder of a group and those around it; a container may see no more than the one it is in."""
    try:
        steps = PurePosixPath(path).relative_to(root).parts
    except ValueError:
        steps = ()
    for length in range(len(steps), -1, -1):
        yield mounted.joinpath(*steps[:length])


def free_by_process_limits() -> int | None:
    """What ``ulimit -v`` and ``ulimit -d`` leave; None where there is neither."""
    try:
        import resource
    except ImportError:
        return None
    in_use = _pages()
    left = []
    for which, used in ((resource.RLIMIT_AS, in_use.address_space), (resource.RLIMIT_DATA, in_use.data)):
        limit = resource.getrlimit(which)[0]
        if limit != resource.RLIM_INFINITY:
            left.append(max(0, limit - used))
    return min(left, default=None)


def resident() -> int:
    """Bytes of memory that this process has now; its most so far where the system says no more."""
    found = _pages().resident
    if found:
        return found
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class _InUse(NamedTuple):
    """Bytes of this process; zeros where the system does not say."""

    address_space: int = 0
    resident: int = 0
    data: int = 0


def _pages() -> _InUse:
    try:
        pages = [int(word) for word in (PROC / "self" / "statm").read_text().split()]
    except (OSError, ValueError):
        return _InUse()
    size = os.sysconf("SC_PAGE_SIZE")
    return _InUse(pages[0] * size, pages[1] * size, pages[5] * size)
