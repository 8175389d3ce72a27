"""What a refusal looks like, and small tables."""

from contextlib import contextmanager

import numpy as np
import pytest
from scipy import sparse


@contextmanager
def refused(file, match=None):
    """One sentence that names the file and, behind a colon, a remedy."""
    with pytest.raises(ValueError, match=match) as caught:
        yield
    message = str(caught.value)
    assert message.startswith(str(file)), message
    assert "\n" not in message
    assert message.count(str(file)) == 1, message
    assert ": " in message
    assert "--" not in message, "a reader is used from Python, too"
    assert len(message) < 600


def counts(seed=0, n=7, m=5):
    return np.random.default_rng(seed).integers(0, 4, (n, m))


def sparse_counts(seed=0, n=7, m=5):
    return sparse.csr_array(counts(seed, n, m))


def same(A, B):
    """Equal values, and sparse where the other one is."""
    assert sparse.issparse(A) == sparse.issparse(B)
    np.testing.assert_array_equal(A.toarray() if sparse.issparse(A) else A, B.toarray() if sparse.issparse(B) else B)
