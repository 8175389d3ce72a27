import subprocess
import sys
from threading import Thread

import pytest

from manifact.utils.errors import BadValueError
from manifact.utils.locks import only_writer

pytest.importorskip("fcntl", reason="this system has no such locks")

HOLDER = """
import sys
from pathlib import Path
from manifact.utils.locks import only_writer
with only_writer("path", Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_the_second_writer_is_told_until_the_first_is_gone_however_it_went(tmp_path):
    path = tmp_path / "a"
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    sentence = r"path='.*a' is being written by another process: wait until it has ended, or name another file"
    with pytest.raises(BadValueError, match=sentence), only_writer("path", path):
        pass
    holder.kill()
    holder.communicate()
    with only_writer("path", path):
        assert [file.name for file in tmp_path.iterdir()] == [".a.lock"]
    assert list(tmp_path.iterdir()) == []


def test_threads_are_kept_apart_as_well(tmp_path):
    refused = []

    def write():
        try:
            with only_writer("path", tmp_path / "a"):
                pass
        except ValueError as refusal:
            refused.append(str(refusal))

    with only_writer("path", tmp_path / "a"), only_writer("path", tmp_path / "b"):
        thread = Thread(target=write)
        thread.start()
        thread.join()
    assert len(refused) == 1
    write()
    assert len(refused) == 1


def test_a_link_in_the_place_of_a_lock_makes_no_file_elsewhere(tmp_path):
    (tmp_path / ".a.lock").symlink_to(tmp_path / "elsewhere")
    with (
        pytest.raises(BadValueError, match=r"\.a\.lock' cannot be opened \(.*symbolic link"),
        only_writer("path", tmp_path / "a"),
    ):
        pass
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("name", [255 * "a", 85 * "\N{SNOWMAN}"])
def test_the_longest_names_have_locks_as_well(tmp_path, name):
    with only_writer("path", tmp_path / name):
        with (
            pytest.raises(BadValueError, match="is being written by another process"),
            only_writer("path", tmp_path / name),
        ):
            pass
        with only_writer("path", tmp_path / f"b{name[1:]}"):
            assert len(list(tmp_path.iterdir())) == 2
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_a_lock_is_told(tmp_path):
    (tmp_path / ".a.lock").mkdir()
    with pytest.raises(BadValueError, match=r"path=.* cannot be opened \(Is a directory\): remove that"):
        only_writer("path", tmp_path / "a").__enter__()


def test_an_interrupt_while_a_lock_is_taken_leaves_none(tmp_path, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("os.path.samestat", interrupted)
        with pytest.raises(KeyboardInterrupt):
            only_writer("path", tmp_path / "a").__enter__()
    with only_writer("path", tmp_path / "a"):
        pass


def test_an_interrupt_while_a_lock_is_let_go_leaves_none(tmp_path, monkeypatch):
    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    held = only_writer("path", tmp_path / "a")
    held.__enter__()
    with monkeypatch.context() as patch:
        patch.setattr("pathlib.Path.unlink", interrupted)
        with pytest.raises(KeyboardInterrupt):
            held.__exit__(None, None, None)
    with only_writer("path", tmp_path / "a"):
        pass
