"""Runs on samples in blocks that end and go on: the same numbers as one run, and no other samples."""

import numpy as np
import pytest
from scipy import sparse

from manifact import ALPNMF, NMF, AffinityNMF
from manifact.backends.block_samples import ArrayBlocks
from manifact.graphs import LandmarkGraph

LANDMARKS = LandmarkGraph(n_landmarks=20)
MODELS = {
    "nmf": lambda **more: NMF(3, random_state=0, tol=0, **more),
    "kl": lambda **more: NMF(3, loss="kullback-leibler", solver="mu", random_state=0, tol=0, **more),
    "alpnmf": lambda **more: ALPNMF(3, graph=LANDMARKS, random_state=0, tol=0, **more),
    "affinity": lambda **more: AffinityNMF(3, graph=LANDMARKS, random_state=0, tol=0, **more),
}


@pytest.fixture(params=["dense", "sparse"])
def samples(request):
    X = sparse.random(90, 12, 0.4, random_state=0, format="csr")
    return X.toarray() if request.param == "dense" else X


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_run_goes_on_bit_for_bit(samples, name, tmp_path):
    whole = MODELS[name](max_iter=12).fit(ArrayBlocks(samples, 25))
    path = tmp_path / "run.safetensors"
    for iterations in (5, 8, 12):
        part = MODELS[name](max_iter=iterations).fit(ArrayBlocks(samples, 25), checkpoint=path, every=2)
    np.testing.assert_array_equal(part.components_, whole.components_)
    np.testing.assert_array_equal(part.representation_, whole.representation_)
    np.testing.assert_array_equal(part.objective_, whole.objective_)


def test_other_samples_are_refused_and_other_blocks_are_not(samples, tmp_path):
    path = tmp_path / "run.safetensors"
    MODELS["nmf"](max_iter=4).fit(ArrayBlocks(samples, 25), checkpoint=path)
    MODELS["nmf"](max_iter=6).fit(ArrayBlocks(samples, 40), checkpoint=path)
    other = samples[:, ::-1] if isinstance(samples, np.ndarray) else sparse.csr_array(samples[:, ::-1])
    with pytest.raises(ValueError, match="another run"):
        MODELS["nmf"](max_iter=6).fit(ArrayBlocks(other, 25), checkpoint=path)
