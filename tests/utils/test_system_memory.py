import subprocess
import sys

import pytest

from manifact.utils import system_memory


@pytest.fixture
def proc(tmp_path, monkeypatch):
    """Writes files of a made-up system and returns their folder."""
    monkeypatch.setattr(system_memory, "PROC", tmp_path / "proc")

    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


def group(folder, limit, used, inactive=0):
    """Files of a control group of the second version."""
    stat = f"anon 1\ninactive_file {inactive}\n"
    return {
        f"{folder}/memory.max": f"{limit}\n",
        f"{folder}/memory.current": f"{used}\n",
        f"{folder}/memory.stat": stat,
    }


def mount(folder, root="/", version="cgroup2", options="rw"):
    return f"30 20 0:26 {root} {folder} rw,nosuid shared:4 - {version} cgroup {options}\n"


def test_the_machine(proc):
    proc({"proc/meminfo": "MemTotal: 9 kB\nMemAvailable:    2048 kB\n"})
    assert system_memory.free_on_machine() == 2 << 20


def test_the_machine_here():
    assert system_memory.free_on_machine() > 1 << 20


def test_a_group_with_a_limit(proc):
    root = proc(group("sys/job", 1000, 600, inactive=100))
    proc({"proc/self/cgroup": "0::/job\n", "proc/self/mountinfo": mount(root / "sys")})
    assert system_memory.free_in_control_groups() == 500


def test_every_level_counts(proc):
    root = proc(group("sys/a/b", "max", 10) | group("sys/a", 300, 100) | group("sys", 5000, 4000))
    proc({"proc/self/cgroup": "0::/a/b\n", "proc/self/mountinfo": mount(root / "sys")})
    assert system_memory.free_in_control_groups() == 200


def test_a_group_beyond_its_limit_has_nothing(proc):
    root = proc(group("sys/job", 100, 150))
    proc({"proc/self/cgroup": "0::/job\n", "proc/self/mountinfo": mount(root / "sys")})
    assert system_memory.free_in_control_groups() == 0


def test_the_first_version(proc):
    root = proc(
        {
            "mem/job/memory.limit_in_bytes": "2000\n",
            "mem/job/memory.usage_in_bytes": "900\n",
            "mem/job/memory.stat": "inactive_file 1\ntotal_inactive_file 50\n",
            "mem/memory.limit_in_bytes": "9223372036854771712\n",
        }
    )
    mounts = mount(root / "cpu", version="cgroup", options="rw,cpu") + mount(
        root / "mem", version="cgroup", options="rw,memory"
    )
    proc({"proc/self/cgroup": "5:cpu:/job\n4:memory:/job\n0::/\n", "proc/self/mountinfo": mounts})
    assert system_memory.free_in_control_groups() == 1150


def test_a_container_that_sees_only_its_own_group(proc):
    root = proc(group("sys", 700, 200))
    proc({"proc/self/cgroup": "0::/docker/x\n", "proc/self/mountinfo": mount(root / "sys", root="/docker/x")})
    assert system_memory.free_in_control_groups() == 500
    proc({"proc/self/cgroup": "0::/elsewhere\n"})
    assert system_memory.free_in_control_groups() == 500


def test_no_groups(proc):
    assert system_memory.free_in_control_groups() is None
    root = proc(group("sys/job", "max", 5))
    proc({"proc/self/cgroup": "0::/job\n", "proc/self/mountinfo": mount(root / "sys")})
    assert system_memory.free_in_control_groups() is None


@pytest.mark.parametrize("which", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_limits_of_the_process(which):
    resource = pytest.importorskip("resource")
    if not hasattr(resource, which):
        pytest.skip(f"no {which} here")
    code = (
        "import resource; from manifact.utils import memory, system_memory as s\n"
        "assert s.free_by_process_limits() is None\n"
        f"resource.setrlimit(resource.{which}, (1 << 30, 1 << 30))\n"
        "free = s.free_by_process_limits(); assert memory.available() <= free + (1 << 20)\n"
        "block = bytearray(200 << 20); print(free, s.free_by_process_limits())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = map(int, done.stdout.split())
    assert 0 < before < 1 << 30
    if sys.platform == "linux":
        assert 200 << 20 <= before - after < 202 << 20


def test_memory_that_is_taken_is_resident():
    before = system_memory.resident()
    block = bytearray(b"x" * (64 << 20))
    assert 60 << 20 < system_memory.resident() - before < 140 << 20
    del block
