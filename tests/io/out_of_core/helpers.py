"""X that was read in blocks, held against X that was read at once."""

import numpy as np
from scipy import sparse

from manifact.io import learn_and_apply, read
from manifact.io.out_of_core.open_blocks import read_blocks
from manifact.io.out_of_core.row_sources import stacked
from manifact.io.out_of_core.workspace import Workspace
from manifact.io.sample_fingerprints import fingerprint

#: So little memory that there are several blocks, of the file and on disk.
LITTLE = Workspace(16 << 10)


def dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def assembled(blocks):
    """All blocks as one matrix."""
    return stacked([blocks.block(number) for number in range(blocks.n_blocks)])


def same_as_at_once(path, space=LITTLE, reading=None, at_once=None, **learning):
    """Blocks of a file, after it was checked that they are what reading and preparing it at once gives."""
    reading = reading or {}
    samples = read(path, **reading) if at_once is None else at_once
    preparation, X = learn_and_apply(samples, **learning)
    found = read_blocks(path, space, reading, learning)
    Y = assembled(found.X)
    assert (found.X.shape, found.X.dtype, found.X.is_sparse) == (X.shape, X.dtype, sparse.issparse(X))
    single = X.dtype == np.float32
    np.testing.assert_allclose(dense(Y), dense(X), rtol=1e-5 if single else 1e-12, atol=1e-7 if single else 1e-13)
    stored, expected = found.preparation.to_dict(), preparation.to_dict()
    assert stored.keys() == expected.keys()
    for name, value in expected.items():
        alike(stored[name], value)
    about = found.samples
    assert (about.kind, about.n_samples, about.feature_names) == (samples.kind, len(dense(X)), samples.feature_names)
    assert (None if about.names is None else list(about.names)) == samples.names
    assert (about.labels is None) == (samples.labels is None)
    if samples.labels is not None:
        assert about.labels.tolist() == samples.labels.tolist()
    assert (about.matrix, about.image_shape) == (samples.matrix, samples.image_shape)
    np.testing.assert_allclose(found.fingerprint, fingerprint(samples, X), rtol=1e-5, atol=1e-6)
    return found


def alike(value, expected):
    if isinstance(expected, list) and expected and isinstance(expected[0], float):
        np.testing.assert_allclose(value, expected, rtol=1e-10)
    elif isinstance(expected, dict):
        assert value.keys() == expected.keys()
        for name in expected:
            alike(value[name], expected[name])
    else:
        assert value == expected
