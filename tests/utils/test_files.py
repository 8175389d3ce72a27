import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from manifact.utils.array_files import write_arrays
from manifact.utils.files import PREFIX, SUFFIX, check_place, replacing, write_text
from manifact.utils.living_processes import has_ended, name_of_process


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "a.safetensors"
    write_arrays(path, {"U": np.ones(3)}, {})
    before = path.read_bytes()

    def fail(*args, **kwargs):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write_arrays(path, {"U": np.zeros(3)}, {})
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["a.safetensors"]


def test_a_link_stays_a_link(tmp_path):
    target, link = tmp_path / "a.txt", tmp_path / "b.txt"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="this system has no folder that refuses even its owner")
def test_a_folder_that_takes_no_files_is_refused_before_any_work():
    with pytest.raises(ValueError, match=r"path='/proc/a\.txt' cannot be written"):
        check_place("path", Path("/proc/a.txt"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_places_that_are_no_files_are_refused_in_a_sentence(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "file").write_text("")
    for name, sentence in {
        "pipe": "is a pipe or a device: name a file",
        "loop": "cannot be a file",
        "n" * 300: r"cannot be a file \(File name too long\)",
        "a\0b": "cannot be a file",
        "file/below": "is in a folder that does not exist",
        ".": "is a folder: name a file in it",
    }.items():
        with pytest.raises(ValueError, match=f"^checkpoint=.* {sentence}"):
            check_place("checkpoint", tmp_path / name)


def test_an_interrupt_while_a_file_is_begun_leaves_none(tmp_path, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    (tmp_path / "a").write_text("old")
    monkeypatch.setattr("pathlib.Path.chmod", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_text(tmp_path / "a", "new")
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_files_are_for_everyone_the_folder_is_for(tmp_path):
    write_arrays(tmp_path / "a", {"U": np.ones(3)}, {})
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_a_file_that_is_replaced_keeps_its_readers(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "a").chmod(0o640)
    write_text(tmp_path / "a", "new")
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o640


def test_the_umask_stays_as_it_is_for_other_threads(tmp_path, monkeypatch):
    def forbidden(mask):
        raise AssertionError("the umask belongs to the whole process")

    monkeypatch.setattr("os.umask", forbidden)
    write_text(tmp_path / "a", "text")
    assert (tmp_path / "a").read_text() == "text"


def test_a_file_is_on_the_disk_before_it_is_in_its_place(tmp_path, monkeypatch):
    order, fsync, replace = [], os.fsync, os.replace

    def synced(handle):
        order.append("folder" if os.path.samestat(os.fstat(handle), tmp_path.stat()) else "file")
        fsync(handle)

    def replaced(*names):
        order.append("replace")
        replace(*names)

    monkeypatch.setattr("os.fsync", synced)
    monkeypatch.setattr("os.replace", replaced)
    write_text(tmp_path / "a", "text")
    assert order == ["file", "replace", "folder"]


KILLED = """
import os, signal, sys
from pathlib import Path
from manifact.utils.files import replacing
with replacing(Path(sys.argv[1])) as temporary:
    temporary.write_bytes(bytes(1000))
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_killed_writers_left_goes_and_nothing_else(tmp_path):
    subprocess.run([sys.executable, "-c", KILLED, str(tmp_path / "a")], check=False)
    (left,) = tmp_path.iterdir()
    elsewhere = tmp_path / f"{PREFIX}another-1-0-00{SUFFIX}"
    elsewhere.write_text("somebody writes it on another machine")
    with replacing(tmp_path / "b") as mine:
        check_place("path", tmp_path / "a")
        assert mine.exists()
    assert not left.exists()
    assert sorted(file.name for file in tmp_path.iterdir()) == [elsewhere.name, "b"]
    os.utime(elsewhere, (0, 0))
    check_place("path", tmp_path / "a")
    assert [file.name for file in tmp_path.iterdir()] == ["b"]


def test_processes_are_known_by_their_start(tmp_path):
    name = name_of_process()
    machine, number, _ = name.split("-")
    assert has_ended(name) is False
    assert has_ended(f"{machine}-{number}-1") is Path("/proc").exists()
    assert has_ended("0-1-1") is None


def test_threads_that_write_one_file_leave_one_of_them(tmp_path):
    path = tmp_path / "a"
    threads = [threading.Thread(target=write_text, args=(path, 1000 * text)) for text in "abcdef"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert path.read_text() in {1000 * text for text in "abcdef"}
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


def test_a_text_for_which_there_is_no_room_is_told_by_its_name(tmp_path, monkeypatch):
    def full(self, *more, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(OSError, match=r"page.html cannot be written \(No space left on device\): name another file"):
        write_text(tmp_path / "page.html", "x")
    assert list(tmp_path.iterdir()) == []
