from pathlib import Path

import numpy as np
import pytest

from manifact.utils.files import check_place, read_arrays, write_arrays, write_text


def test_arrays_and_metadata_come_back(tmp_path):
    path = tmp_path / "a.safetensors"
    write_arrays(path, {"U": np.arange(6.0).reshape(2, 3)}, {"who": "me"})
    arrays, metadata = read_arrays(path)
    np.testing.assert_array_equal(arrays["U"], np.arange(6.0).reshape(2, 3))
    assert metadata == {"who": "me"}


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


def test_files_are_for_everyone_the_folder_is_for(tmp_path):
    write_arrays(tmp_path / "a", {"U": np.ones(3)}, {})
    (tmp_path / "b").write_text("")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
