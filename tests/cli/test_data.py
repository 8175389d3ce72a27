from dataclasses import replace

import pytest
from typer.testing import CliRunner

from manifact.cli import app
from manifact.cli.data import downloads, rows
from manifact.datasets import NAMES, sources


def test_every_set_has_a_line(tmp_path):
    found = rows(tmp_path / "nowhere")
    assert [row.name for row in found] == list(NAMES)
    assert not any(row.present for row in found)
    coil = found[0]
    assert (coil.samples, coil.features, coil.classes, coil.kind) == (1440, 1024, 20, "images 32 x 32")
    assert coil.source == "http://www.cad.zju.edu.cn/home/dengcai/Data/COIL20/COIL20.mat"
    (tmp_path / "coil20.mat").touch()
    assert rows(tmp_path)[0].file == tmp_path / "coil20.mat"


def test_the_data_home_has_them_all(home):
    assert all(row.present for row in rows(home))


def test_an_unknown_name_is_refused_before_anything_is_done(tmp_path):
    with pytest.raises(ValueError, match=r"NAME='iris' is not known: choose one of 'coil20', .*'all'"):
        downloads(["coil20", "iris"], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_one_failure_does_not_stop_the_rest(tmp_path, monkeypatch):
    from manifact.datasets import fetching

    def only_the_second(name, home, progress, unverified):
        if name != NAMES[1]:
            raise OSError(f"{name} could not be downloaded")
        (home / f"{name}.mat").touch()

    monkeypatch.setattr(fetching, "fetch", only_the_second)
    result = CliRunner().invoke(app, ["data", "all", "--home", str(tmp_path)])
    assert result.exit_code == 1
    told = {name: f"{name} could not be downloaded" for name in NAMES}
    told[NAMES[1]] = f"{NAMES[1]}: {tmp_path / NAMES[1]}.mat"
    assert result.stdout.splitlines() == list(told.values())
    assert CliRunner().invoke(app, ["data", NAMES[1], "--home", str(tmp_path)]).exit_code == 0
    listed = CliRunner().invoke(app, ["data", "--home", str(tmp_path)], env={"COLUMNS": "200"})
    assert listed.exit_code == 0
    assert f"no: manifact data {NAMES[0]}" in listed.stdout
    assert f"no: manifact data {NAMES[1]}" not in listed.stdout


def test_a_set_that_nobody_offers_says_where_to_put_it(tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    gone = replace(sources.SETS["coil20"], name="gone", sources=(), originals=(("Gone.mat",),), layout="gone.npz")
    for module in ("sources", "home", "fetching"):
        monkeypatch.setattr(f"manifact.datasets.{module}.SETS", {"gone": gone})
    (outcome,) = downloads(["gone"], tmp_path, progress=False)
    assert outcome.file is None
    assert outcome.problem.startswith("gone could not be downloaded (no source is known): put Gone.mat into")
