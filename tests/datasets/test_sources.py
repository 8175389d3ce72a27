import re

import pytest

from manifact.datasets.sources import CAI, NAMES, ROWEIS, SETS, Remote


@pytest.mark.parametrize("name", NAMES)
def test_every_source_gives_files_that_are_read(name):
    entry = SETS[name]
    groups = {tuple(sorted(file.lower() for file in group)) for group in entry.originals}
    assert entry.sources
    for source in entry.sources:
        assert tuple(sorted(remote.file.lower() for remote in source)) in groups


@pytest.mark.parametrize("name", NAMES)
def test_checksums_are_sha256(name):
    entry = SETS[name]
    sums = [entry.content, *(remote.sha256 for source in entry.sources for remote in source if remote.sha256)]
    assert all(re.fullmatch("[0-9a-f]{64}", checksum) for checksum in sums)


def test_every_set_comes_from_a_file_whose_checksum_is_known():
    for entry in SETS.values():
        assert any(all(remote.sha256 for remote in source) for source in entry.sources), entry.name
        for remote in (remote for source in entry.sources for remote in source):
            assert remote.sha256 or remote.address.startswith((CAI, ROWEIS))


def test_a_file_is_named_by_its_address():
    assert Remote("http://a.b/c%20d/My%20file.mat?raw=1#x").file == "My file.mat"
