"""Files of arrays: every reader of the format takes them, equal content is equal bytes, and no bit may change."""

import json
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of
from safetensors import safe_open

from manifact.utils.array_files import CHECKSUM, TYPES, read_arrays, write_arrays

ARRAYS = {
    "V": np.arange(6.0).reshape(2, 3),
    "b": np.array([True, False]),
    "none": np.zeros((0, 4), dtype=np.float32),
    "n": np.array(3, dtype=np.int64),
    "turned": np.arange(6, dtype=np.int16).reshape(2, 3).T,
}


def test_arrays_and_metadata_come_back(tmp_path):
    path = tmp_path / "a.safetensors"
    write_arrays(path, ARRAYS, {"who": 'me, "checksum":"', "ü": "ö"})
    arrays, metadata = read_arrays(path)
    assert list(metadata) == [CHECKSUM, "who", "ü"]
    assert (metadata["who"], metadata["ü"]) == ('me, "checksum":"', "ö")
    assert set(arrays) == set(ARRAYS)
    for name, value in ARRAYS.items():
        assert arrays[name].dtype == value.dtype
        np.testing.assert_array_equal(arrays[name], value)
        assert arrays[name].flags.writeable
    with safe_open(path, framework="numpy") as file:
        assert file.metadata() == metadata
        for name, value in ARRAYS.items():
            np.testing.assert_array_equal(file.get_tensor(name), value)


@given(
    value=st.sampled_from(list(TYPES.values())).flatmap(
        lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=0, min_side=0, max_side=4))
    )
)
def test_every_type_and_shape_comes_back_to_the_last_bit(value, tmp_path_factory):
    path = tmp_path_factory.mktemp("types") / "a"
    write_arrays(path, {"a": value}, {})
    found = read_arrays(path)[0]["a"]
    assert (found.dtype, found.shape, found.tobytes()) == (value.dtype, value.shape, value.tobytes())


def test_equal_content_is_equal_bytes(tmp_path):
    write_arrays(tmp_path / "a", ARRAYS, {"x": "1", "y": "2"})
    write_arrays(tmp_path / "b", dict(reversed(ARRAYS.items())), {"y": "2", "x": "1", CHECKSUM: "another"})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_changed_bit_is_noticed_wherever_it_is(tmp_path):
    path = tmp_path / "a"
    write_arrays(path, {"V": np.arange(3.0)}, {"kind": "ours"})
    content, unnoticed = path.read_bytes(), []
    for place in range(8 * len(content)):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            metadata = read_arrays(path)[1]
        except ValueError:
            continue
        unnoticed.append(metadata)
    # Only where no checksum is left to be seen: whoever wrote one asks for it.
    assert len(unnoticed) < 8 * len(CHECKSUM) + 8 * len("__metadata__")
    assert not any(CHECKSUM in metadata for metadata in unnoticed)


def torn(header, body=b""):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PK\x03\x04 something else",
        (2**63).to_bytes(8, "little") + b"{}",
        torn([]),
        torn({"a": 3}),
        torn({"__metadata__": {"a": 3}}),
        torn({"a": {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]}}),
        torn({"a": {"dtype": "F64", "shape": [10**12], "data_offsets": [0, 8 * 10**12]}}),
        torn({"a": {"dtype": "F64", "shape": [2**40, 2**40], "data_offsets": [0, 8]}}, bytes(8)),
        torn({"a": {"dtype": "F64", "shape": [-1, -1], "data_offsets": [0, 8]}}, bytes(8)),
        torn({"a": {"dtype": "F64", "shape": [True], "data_offsets": [0, 8]}}, bytes(8)),
        torn({"a": {"dtype": "BOOL", "shape": [1], "data_offsets": [0, 1]}}, b"\x07"),
        torn({"a": {"dtype": "object", "shape": [1], "data_offsets": [0, 8]}}, bytes(8)),
        torn({name: {"dtype": "F64", "shape": [1], "data_offsets": [0, 8]} for name in "ab"}, bytes(8)),
        torn({"a": {"dtype": "F64", "shape": [1], "data_offsets": [8, 16]}}, bytes(16)),
        torn({"__metadata__": {CHECKSUM: "0"}}),
        (10**5).to_bytes(8, "little") + 10**5 * b"[",
    ],
)
def test_what_is_no_such_file_is_refused_and_costs_nothing(content, tmp_path):
    (tmp_path / "a").write_bytes(content)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=r"is torn or not a file of ours: name another one$"):
            read_arrays(tmp_path / "a")
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_numbers_that_the_format_does_not_know_are_refused(tmp_path):
    with pytest.raises(TypeError, match="a holds numbers of type complex128"):
        write_arrays(tmp_path / "a", {"a": np.zeros(2, dtype=complex)}, {})
    assert list(tmp_path.iterdir()) == []
