"""Samples are known again after rounding, and not after they have changed places or contents."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

from manifact import GNMF
from manifact.io.raw_samples import Samples
from manifact.io.sample_fingerprints import fingerprint, first_changed


def known(samples, X, **more):
    """A model that keeps what it was fitted to."""
    return SimpleNamespace(source_={"fingerprint": fingerprint(samples, X)} | more)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_values_are_known_again_after_rounding_and_not_after_a_change(rng, kind):
    X = rng.random((5000, 12))
    X[7] = 0
    samples = Samples("table", "a.csv", X)
    model = known(samples, kind(X))
    assert first_changed(model, samples, kind(X)) is None
    assert first_changed(model, samples, kind(X.astype(np.float32))) is None
    assert first_changed(model, samples, kind(X[::-1])) == 0
    other = X.copy()
    other[4321, 5] += 1e-3
    assert first_changed(model, samples, kind(other)) == 4321
    other = X.copy()
    other[[3, 9]] = other[[9, 3]]
    assert first_changed(model, samples, kind(other)) == 3


def test_pixels_may_be_rounded_otherwise(rng):
    X = rng.integers(0, 256, (40, 64)).astype(float)
    samples = Samples("images", "faces", X.astype(np.uint8))
    model = known(samples, X)
    assert first_changed(model, samples, np.clip(X + rng.integers(-1, 2, X.shape), 0, 255)) is None
    assert first_changed(model, samples, np.roll(X, 1, axis=0)) is not None


def test_texts_are_known_by_every_letter(rng):
    texts = ["a cat", "a dog", "", "\ud800 lone"]
    X = rng.random((4, 2))
    samples = Samples("documents", "a.txt", texts=texts)
    model = known(samples, X)
    assert first_changed(model, samples, 2 * X) is None
    assert first_changed(model, Samples("documents", "a.txt", texts=["a cat", "a Dog", *texts[2:]]), X) == 1
    assert first_changed(model, Samples("documents", "a.txt", texts=texts[:3]), X[:3]) == 3


def test_without_a_fingerprint_the_graph_remembers(rng):
    X = rng.random((40, 6))
    samples, turned = Samples("table", "a.csv", X), X[::-1].copy()
    model = GNMF(3, random_state=0, max_iter=3).fit(X)
    assert first_changed(model, samples, X) is None
    assert first_changed(model, samples, turned) == 0
    model.source_ = {"graph_from": True}
    assert first_changed(model, samples, turned) is None
    assert first_changed(SimpleNamespace(), samples, turned) is None
