import pytest

from manifact.utils.sizes import shown_size, size_in_bytes


@pytest.mark.parametrize(
    ("text", "size"),
    [("4G", 4 << 30), ("500M", 500 << 20), ("2GiB", 2 << 30), ("1.5 gb", 3 << 29), ("64k", 65536), (4096, 4096)],
)
def test_sizes(text, size):
    assert size_in_bytes("memory", text) == size


@pytest.mark.parametrize("text", ["", "G", "-1G", "0", "4X", "4 5G", "1e3", "nan", "¼G"])
def test_what_is_no_size(text):
    with pytest.raises(ValueError, match="must be a size such as 500M, 4G or 2GiB"):
        size_in_bytes("memory", text)


@pytest.mark.parametrize("size", [1, 1023, 5 << 10, 7 << 20, 3 << 30])
def test_what_is_shown_reads_as_the_same(size):
    assert size_in_bytes("memory", shown_size(size)) == size
