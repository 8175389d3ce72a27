import numpy as np
import pytest

from manifact.files import read_arrays, write_arrays


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
