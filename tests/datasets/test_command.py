import pytest

from manifact.datasets import NAMES
from manifact.datasets.command import describe, fetch_many


def test_every_set_has_a_line(tmp_path):
    rows = describe(tmp_path / "nowhere")
    assert [row.name for row in rows] == list(NAMES)
    assert not any(row.present for row in rows)
    coil = rows[0]
    assert (coil.samples, coil.features, coil.classes, coil.kind) == (1440, 1024, 20, "images 32 x 32")
    assert coil.source == "http://www.cad.zju.edu.cn/home/dengcai/Data/COIL20/COIL20.mat"
    (tmp_path / "coil20.mat").touch()
    assert describe(tmp_path)[0].file == tmp_path / "coil20.mat"


def test_the_data_home_has_them_all(home):
    assert all(row.present for row in describe(home))


def test_one_failure_does_not_stop_the_rest(toy, toy_mat, server, tmp_path, monkeypatch):
    pytest.importorskip("pooch")
    from dataclasses import replace

    entry = replace(toy[0], sources=((server.add("Toy.mat", toy_mat),),))
    gone = replace(entry, name="gone", sources=(), originals=(("Gone.mat",),), layout="gone.npz")
    for module in ("home", "fetching", "command"):
        monkeypatch.setattr(f"manifact.datasets.{module}.SETS", {"toy": entry, "gone": gone})
    first, second = fetch_many(["gone", "toy"], tmp_path / "home", progress=False)
    assert first.file is None
    assert first.problem.startswith("gone could not be downloaded (no source is known): put Gone.mat into")
    assert (second.file, second.problem) == (tmp_path / "home" / "Toy.mat", None)


def test_an_unknown_name_is_refused_before_anything_is_done(tmp_path):
    with pytest.raises(ValueError, match="name='iris' is not known"):
        fetch_many(["coil20", "iris"], tmp_path)
    assert list(tmp_path.iterdir()) == []
