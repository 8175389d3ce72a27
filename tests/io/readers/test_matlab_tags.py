import numpy as np
import pytest
from scipy import sparse
from scipy.io import loadmat, savemat

from manifact.datasets import load
from manifact.io.readers import matlab_tags as mattags

#: Places in a file that holds one matrix, uncompressed: its tag, the tag and the value of its flags, its data's tag.
ELEMENT, FLAGS_TAG, FLAGS, DATA = 128, 136, 144, 176


def written(tmp_path, fields, **options):
    savemat(tmp_path / "whole.mat", fields, **options)
    return bytearray((tmp_path / "whole.mat").read_bytes())


@pytest.mark.parametrize("compressed", [False, True])
def test_whole_files_pass(tmp_path, compressed):
    cells = np.empty((1, 2), dtype=object)
    cells[0, 0], cells[0, 1] = np.ones((2, 3, 4), np.uint8), np.eye(2)
    fields = {
        "X": np.ones((5, 3)), "empty": np.empty((0, 0)), "S": sparse.csc_matrix(np.eye(4)), "text": "some words",
        "cells": cells, "structure": {"a": 1, "b": {"c": "d"}}, "flag": np.array([True]), "small": np.uint8(3),
    }  # fmt: skip
    mattags.check(bytes(written(tmp_path, fields, do_compression=compressed)))


@pytest.mark.parametrize(
    ("place", "value", "sentence"),
    [
        (ELEMENT, 99, "an element of kind 99"),
        (ELEMENT + 6, 1, "bytes does not belong there"),
        (FLAGS_TAG, 10, "an element of kind 10"),
        (FLAGS, 0, "an array of kind 0x0 is not known"),
        (FLAGS, 200, "an array of kind 0xc8 is not known"),
        (FLAGS + 1, 8, "an array of kind 0x806 is not known"),
        (FLAGS, 5, "an array of kind 5 has 4 parts"),
        (DATA, 14, "an element of kind 14"),
    ],
)
def test_a_wrong_tag_is_refused_before_it_is_followed(tmp_path, place, value, sentence):
    content = written(tmp_path, {"fea": np.ones((5, 3))})
    content[place] = value
    with pytest.raises(ValueError, match=sentence):
        mattags.check(bytes(content))


def test_other_versions_are_left_to_scipy(tmp_path):
    savemat(tmp_path / "old.mat", {"fea": np.eye(3)}, format="4")
    mattags.check((tmp_path / "old.mat").read_bytes())
    assert loadmat(tmp_path / "old.mat")["fea"].shape == (3, 3)
    mattags.check(b"")
    mattags.check(b"short")


@pytest.mark.parametrize("kind", ["dense", "sparse", "cells"])
def test_damaged_files_never_do_worse_than_a_refusal(toy, tmp_path, rng, kind):
    _, X, y = toy
    cells = np.empty((2, 3), dtype=object)
    for number, image in enumerate(X):
        cells[number // 3, number % 3] = image.reshape(3, 4)
    table = {"fea": X.astype(float) if kind == "dense" else sparse.csc_matrix(X.astype(float)), "gnd": y[:, None] + 1}
    content = written(tmp_path, {"dat": cells} if kind == "cells" else table)
    for _ in range(150):
        damaged = bytearray(content)
        for place in rng.integers(len(content), size=3):
            damaged[place] = rng.integers(256)
        (tmp_path / "Toy.mat").write_bytes(damaged)
        message = refusal(tmp_path)
        assert message is None or "Toy.mat" in message


def refusal(folder):
    """What is said against the file, nothing if it can be read."""
    try:
        load("toy", folder)
    except ValueError as problem:
        return str(problem)
    return None
