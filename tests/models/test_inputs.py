"""Samples on a device are checked there, and refused in the words of the host."""

import re

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

from manifact import CF, NMF
from manifact.models.inputs import checked_samples

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends import torch as tensors  # noqa: E402

X = problem()[0]


def with_value(value):
    bad = X.copy()
    bad[3, 4] = value
    return bad


FAULTS = {
    "NaN": with_value(np.nan),
    "infinity": with_value(np.inf),
    "minus infinity": with_value(-np.inf),
    "negative": with_value(-1.0),
    "infinity of float32": with_value(np.inf).astype(np.float32),
    "one dimension": X[0],
    "three dimensions": X[None],
    "no samples": X[:0],
    "no features": X[:, :0],
    "complex": X + 1j,
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_faults_have_the_sentence_of_the_host(fault, kind):
    bad = FAULTS[fault]
    if kind is not np.asarray and bad.ndim != 2:
        pytest.skip("sparse tensors of models have two dimensions")
    here = kind(bad)
    with pytest.raises(ValueError, match=r"\w") as expected:
        NMF(2).fit(here)
    # Arrays and tensors show themselves differently, below the sentence.
    sentence = str(expected.value).partition("\n")[0]
    with pytest.raises(ValueError, match=re.escape(sentence)):
        NMF(2).fit(tensors.like(here, torch.ones(1)))


def test_samples_of_another_width_are_refused():
    model = NMF(2).fit(torch.as_tensor(X))
    with pytest.raises(ValueError, match="X has 5 features, but NMF is expecting 17 features as input"):
        model.transform(torch.as_tensor(X[:, :5]))


def test_nothing_comes_to_the_host_to_be_looked_at(monkeypatch):
    def refused(*_):
        raise AssertionError("all samples came to the host")

    tensor = torch.as_tensor(X)
    monkeypatch.setattr(tensors, "host", refused)
    assert checked_samples(NMF(2), tensor, reset=True, non_negative=True) is not None


@pytest.mark.parametrize(
    ("given", "kept"),
    [(torch.float32, torch.float32), (torch.float64, torch.float64), (torch.uint8, torch.float64),
     (torch.bool, torch.float64), (torch.float16, torch.float64), (torch.int64, torch.float64)],
)  # fmt: skip
def test_types_are_those_of_arrays(given, kept):
    samples = torch.as_tensor(np.round(X * 4)).to(given)
    assert checked_samples(NMF(2), samples, reset=True, non_negative=True).dtype == kept


def test_entries_too_large_for_float32_are_float64():
    samples = torch.as_tensor(X, dtype=torch.float32) * 1e20
    assert checked_samples(NMF(2), samples, reset=True, non_negative=True).dtype == torch.float64


def test_other_sparse_layouts_become_csr():
    dense = torch.as_tensor(X)
    for samples in (dense.to_sparse_coo(), dense.to_sparse_csc()):
        found = checked_samples(CF(2), samples, reset=True, non_negative=False)
        assert found.layout == torch.sparse_csr
        assert torch.equal(found.to_dense(), dense)


def test_gradients_are_left_behind():
    samples = torch.as_tensor(X).requires_grad_()
    assert not NMF(2, random_state=0).fit_transform(samples).requires_grad
