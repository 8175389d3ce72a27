import builtins
import gzip
import hashlib
import logging
import socket
from dataclasses import replace

import numpy as np
import pytest
from scipy.io import savemat

from manifact.datasets import DownloadError, fetch, fetching, load
from manifact.datasets.sources import MNIST, Remote

pooch = pytest.importorskip("pooch")


def names(folder):
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file())


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "home"


def test_a_set_is_downloaded_once(toy, toy_mat, server, folder):
    _, X, y = toy
    source = (server.add("Toy.mat", toy_mat),)
    for _ in range(2):
        data = fetch("toy", folder, sources=[source], progress=False)
        np.testing.assert_array_equal(data.X, X)
        np.testing.assert_array_equal(data.y, y)
    assert server.requests == [("/Toy.mat", None)]
    assert names(folder) == ["Toy.mat"]
    assert [path.name for path in folder.iterdir()] == ["Toy.mat"]


def test_the_registered_sources_are_the_default(toy, toy_mat, server, folder, monkeypatch):
    entry = replace(toy[0], sources=((server.add("Toy.mat", toy_mat),),))
    for module in ("home", "fetching"):
        monkeypatch.setattr(f"manifact.datasets.{module}.SETS", {"toy": entry})
    assert fetch("toy", folder, progress=False).n_classes == 2


def test_a_file_checksum_is_checked_where_it_is_known(toy, toy_mat, server, folder):
    remote = server.add("Toy.mat", toy_mat)
    wrong = replace(remote, sha256="0" * 64)
    with pytest.raises(DownloadError, match=r"Toy.mat does not have the sha256 that we know, and is deleted"):
        fetch("toy", folder, sources=[(wrong,)], progress=False)
    assert not folder.exists() or names(folder) == []
    right = replace(remote, sha256=hashlib.sha256(toy_mat).hexdigest())
    assert fetch("toy", folder, sources=[(wrong,), (right,)], progress=False).n_classes == 2


def test_other_content_is_refused_in_any_container(toy, toy_mat, server, folder, tmp_path):
    _, X, y = toy
    savemat(tmp_path / "other.mat", {"fea": X[::-1].astype(float), "gnd": y[:, None]})
    for content in ((tmp_path / "other.mat").read_bytes(), b"<html>Sign in</html>", b"", toy_mat[:-40]):
        with pytest.raises(DownloadError) as refusal:
            fetch("toy", folder, sources=[(server.add("Toy.mat", content),)], progress=False)
        assert "what came as Toy.mat is not the toy that we know, and is deleted" in str(refusal.value)
        assert names(folder) == []


def test_what_is_in_the_data_home_stays(toy, toy_mat, server, folder):
    folder.mkdir()
    (folder / "Toy.mat").write_bytes(b"mine")
    with pytest.raises(ValueError, match=r"Toy.mat cannot be read"):
        fetch("toy", folder, sources=[(server.add("Toy.mat", toy_mat),)], progress=False)
    assert (folder / "Toy.mat").read_bytes() == b"mine"
    assert server.requests == []


def test_an_interrupted_download_continues_and_is_verified(toy, toy_mat, server, folder):
    source = (server.add("Toy.mat", toy_mat, cut=100),)
    with pytest.raises(DownloadError, match="the connection"):
        fetch("toy", folder, sources=[source], progress=False)
    assert names(folder) == [".downloads/toy-0/Toy.mat.part", ".downloads/toy-0/Toy.mat.part.json"]
    server.files["/Toy.mat"].cut = None
    assert fetch("toy", folder, sources=[source], progress=False).n_classes == 2
    assert server.requests == [("/Toy.mat", None), ("/Toy.mat", "bytes=100-")]
    assert names(folder) == ["Toy.mat"]


def test_a_part_that_was_damaged_is_given_up(toy, toy_mat, server, folder):
    source = (server.add("Toy.mat", toy_mat, cut=600),)
    with pytest.raises(DownloadError):
        fetch("toy", folder, sources=[source], progress=False)
    (folder / ".downloads/toy-0/Toy.mat.part").write_bytes(bytes(600))
    server.files["/Toy.mat"].cut = None
    with pytest.raises(DownloadError, match="is deleted"):
        fetch("toy", folder, sources=[source], progress=False)
    assert fetch("toy", folder, sources=[source], progress=False).n_classes == 2
    assert [asked for _, asked in server.requests] == [None, "bytes=600-", None]


def test_the_next_source_is_tried(toy, toy_mat, server, folder):
    sources = [(Remote(f"{server.address}/gone/Toy.mat", "0" * 64),), (server.add("Toy.mat", toy_mat),)]
    assert fetch("toy", folder, sources=sources, progress=False).n_classes == 2
    assert names(folder) == ["Toy.mat"]


def test_failure_is_one_sentence_with_every_way_out(toy, server, folder):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{unused.getsockname()[1]}/Toy.mat"
    sources = [(Remote(f"{server.address}/gone/Toy.mat", "0" * 64),), (Remote(closed, "0" * 64),)]
    with pytest.raises(DownloadError) as refusal:
        fetch("toy", folder, sources=sources, progress=False)
    assert str(refusal.value) == (
        f"toy could not be downloaded ({server.address}/gone/Toy.mat: the server answered 404 Not Found; "
        f"{closed}: the server cannot be reached): put Toy.mat into {folder} by hand, see http://toy.invalid/page"
    )
    assert list(folder.iterdir()) == []


def test_a_source_must_name_a_file_that_is_read(toy, toy_mat, server, folder):
    with pytest.raises(DownloadError, match=r"toy is not read from a file named x.mat, but from Toy.mat"):
        fetch("toy", folder, sources=[(server.add("x.mat", toy_mat),)], progress=False)


def test_a_data_home_that_cannot_be_written(toy, toy_mat, server, tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(DownloadError, match="toy cannot be put into"):
        fetch("toy", tmp_path / "file", sources=[(server.add("Toy.mat", toy_mat),)], progress=False)


def test_a_bar_is_drawn_if_asked_for(toy, toy_mat, server, folder, capsys):
    fetch("toy", folder, sources=[(server.add("Toy.mat", toy_mat),)], progress=True)
    out = capsys.readouterr().err
    assert "Toy.mat" in out
    assert "100%" in out


def test_nothing_is_printed_otherwise(toy, toy_mat, server, folder, capsys):
    before = pooch.get_logger().level
    fetch("toy", folder, sources=[(server.add("Toy.mat", toy_mat),)], progress=False)
    assert capsys.readouterr() == ("", "")
    assert pooch.get_logger().level == before != logging.WARNING


def test_an_interrupt_by_the_user_goes_through(toy, toy_mat, server, folder, monkeypatch):
    def interrupt(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(fetching, "_download", interrupt)
    with pytest.raises(KeyboardInterrupt):
        fetch("toy", folder, sources=[(server.add("Toy.mat", toy_mat),)], progress=False)


def test_without_pooch_one_sentence(folder, monkeypatch):
    real = builtins.__import__

    def without(name, *rest):
        if name == "pooch":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"downloads need pooch: pip install pooch, or"):
        fetch("coil20", folder)
    with pytest.raises(ValueError, match="name='iris' is not known"):
        fetch("iris", folder)


def test_a_real_set_in_another_container(home, server, folder, tmp_path):
    known = load("orl", home)
    pixels = np.arange(1024).reshape(32, 32).ravel(order="F")
    savemat(tmp_path / "o.mat", {"X": known.X[:, pixels], "Y": known.y[:, None] + 1}, do_compression=True)
    remote = server.add("ORL.mat", (tmp_path / "o.mat").read_bytes())
    np.testing.assert_array_equal(fetch("orl", folder, sources=[(remote,)], progress=False).X, known.X)


def test_a_set_of_four_files(home, server, folder):
    known = load("mnist", home)
    X = known.X.reshape(-1, 28, 28)
    arrays = (X[:60000], known.y[:60000], X[60000:], known.y[60000:])
    source = []
    for name, array in zip(MNIST, arrays, strict=True):
        head = bytes([0, 0, 8, array.ndim]) + np.array(array.shape, dtype=">u4").tobytes()
        source.append(server.add(name, gzip.compress(head + array.astype(np.uint8).tobytes(), 1)))
    last = server.files.pop(f"/{list(MNIST)[-1]}")
    with pytest.raises(DownloadError, match="404"):
        fetch("mnist", folder, sources=[source], progress=False)
    assert [name for name in names(folder) if "/" not in name] == []
    server.files[f"/{list(MNIST)[-1]}"] = last
    np.testing.assert_array_equal(fetch("mnist", folder, sources=[source], progress=False).X, known.X)
    assert names(folder) == sorted(MNIST)
    assert len(server.requests) == 5


def test_a_file_without_a_checksum_is_not_even_downloaded(toy, toy_mat, server, folder):
    unknown = (replace(server.add("Toy.mat", toy_mat), sha256=None),)
    with pytest.raises(DownloadError, match=r"Toy.mat: its sha256 is not known, and so it is not downloaded unless"):
        fetch("toy", folder, sources=[unknown], progress=False)
    assert server.requests == []
    assert fetch("toy", folder, sources=[unknown], progress=False, unverified=True).n_classes == 2


def test_a_file_with_another_checksum_is_never_opened(toy, toy_mat, server, folder, monkeypatch):
    opened = []
    monkeypatch.setattr(fetching, "load", lambda *set: opened.append(set))
    wrong = (replace(server.add("Toy.mat", toy_mat), sha256="0" * 64),)
    for unverified in (False, True):
        with pytest.raises(DownloadError, match="does not have the sha256"):
            fetch("toy", folder, sources=[wrong], progress=False, unverified=unverified)
    assert not opened
