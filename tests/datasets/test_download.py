import json

import pytest

from manifact.datasets.download import CutError, ResumingDownloader

requests = pytest.importorskip("requests")

CONTENT = bytes(range(256)) * 2000
HALF = len(CONTENT) // 2


@pytest.fixture
def get(tmp_path, server):
    """Download the served file again, with the part that is there."""
    part = tmp_path / "file.part"

    def get(remote):
        ResumingDownloader(part, "file")(remote.address, str(tmp_path / "file"), None)
        return (tmp_path / "file").read_bytes()

    get.part = part
    get.note = tmp_path / "file.part.json"
    return get


def interrupt(get, server, **how):
    """A first attempt that ends in the middle."""
    remote = server.add("file", CONTENT, cut=HALF, **how)
    with pytest.raises(CutError, match=r"the connection (broke|ended)"):
        get(remote)
    assert get.part.read_bytes() == CONTENT[:HALF]
    server.files["/file"].cut = None
    return remote


def test_a_file_arrives_whole(get, server):
    assert get(server.add("file", CONTENT)) == CONTENT
    assert not get.part.exists()
    assert not get.note.exists()
    assert server.requests == [("/file", None)]


@pytest.mark.parametrize("etag", ['"one"', 'W/"weak"', None])
def test_an_interrupted_download_continues(get, server, etag):
    assert get(interrupt(get, server, etag=etag)) == CONTENT
    assert server.requests == [("/file", None), ("/file", f"bytes={HALF}-")]


def test_it_continues_more_than_once(get, server):
    remote = interrupt(get, server)
    server.files["/file"].cut = 1000
    with pytest.raises(CutError):
        get(remote)
    assert get.part.stat().st_size == HALF + 1000
    server.files["/file"].cut = None
    assert get(remote) == CONTENT
    assert server.requests[-1] == ("/file", f"bytes={HALF + 1000}-")


def test_a_server_without_ranges_gives_it_from_the_start(get, server):
    assert get(interrupt(get, server, ranges=False)) == CONTENT
    assert len(server.requests) == 2


@pytest.mark.parametrize("etag", ['"two"', 'W/"two"'])
def test_a_changed_file_is_not_continued(get, server, etag):
    remote = interrupt(get, server, etag=etag.replace("two", "one"))
    server.add("file", CONTENT[::-1], etag=etag)
    assert get(remote) == CONTENT[::-1]


def test_a_file_that_became_shorter_is_not_continued(get, server):
    remote = interrupt(get, server, etag=None)
    server.add("file", CONTENT[: HALF - 1], etag=None)
    assert get(remote) == CONTENT[: HALF - 1]
    assert [asked for _, asked in server.requests] == [None, f"bytes={HALF}-", None]


def test_a_part_of_another_address_is_not_continued(get, server):
    interrupt(get, server)
    assert get(server.add("other", CONTENT[::-1])) == CONTENT[::-1]
    assert server.requests[-1] == ("/other", None)


@pytest.mark.parametrize("note", ["", "[]", "{torn", json.dumps({"address": 1})])
def test_a_part_that_nothing_is_known_about_is_not_continued(get, server, note):
    remote = interrupt(get, server)
    get.note.write_text(note)
    get.part.write_bytes(b"something else")
    assert get(remote) == CONTENT


def test_a_file_of_unknown_length(get, server):
    assert get(server.add("file", CONTENT, length=False)) == CONTENT


def test_an_error_keeps_the_part(get, server):
    remote = interrupt(get, server)
    del server.files["/file"]
    with pytest.raises(requests.HTTPError, match="404"):
        get(remote)
    assert get.part.read_bytes() == CONTENT[:HALF]
