import json

import numpy as np
import pytest
from tests.io.readers.helpers import refused

from manifact.io.readers import read
from manifact.io.readers.zarr_stores import check_store

zarr = pytest.importorskip("zarr", reason="zarr is not installed")


@pytest.fixture(params=[2, 3])
def store(request, tmp_path):
    folder = tmp_path / "x.zarr"
    zarr.save_array(folder, np.arange(12.0).reshape(4, 3), zarr_format=request.param)
    return folder


def test_whole_stores_pass(store):
    assert read(store).X.shape == (4, 3)


def rewritten(store, change):
    file = next(file for name in (".zarray", "zarr.json") if (file := store / name).is_file())
    described = json.loads(file.read_text())
    change(described)
    file.write_text(json.dumps(described))


def test_codecs_that_run_programs_are_refused_before_zarr_opens_them(store, monkeypatch):
    def packed(described):
        if "codecs" in described:
            described["codecs"].append({"name": "numcodecs.pickle", "configuration": {}})
        else:
            described["filters"] = [{"id": "pickle", "protocol": 4}]

    rewritten(store, packed)
    monkeypatch.setattr(zarr, "open", lambda *place, **how: pytest.fail("opened"))
    with refused(store, "which may run programs"):
        read(store)


def test_values_that_are_not_there_are_not_made_up(store):
    rewritten(store, lambda described: described.update(shape=[1 << 40, 3]))
    with refused(store, "would unpack to 25,165,824 MiB"):
        read(store)


def test_links_out_of_the_store_are_refused(store, tmp_path):
    (tmp_path / "other").write_bytes(b"secret")
    (store / "c0").symlink_to(tmp_path / "other")
    with refused(store / "c0", "is a link out of the folder"):
        read(store)


def test_what_users_wrote_is_not_looked_at(tmp_path):
    (tmp_path / "zarr.json").write_text(json.dumps({"attributes": {"filters": ["pickle"], "shape": [1 << 60]}}))
    check_store(tmp_path)
