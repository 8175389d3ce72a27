import tracemalloc

import numpy as np
import pytest
from scipy import sparse

from manifact import GNMF, NMF
from manifact.backends import as_data
from manifact.backends.block_samples import ArrayBlocks
from manifact.backends.sketched_data import SketchedData
from manifact.models import short_runs
from manifact.models.short_runs import FEWEST_PARTS, is_sketched


@pytest.fixture(scope="module")
def wide():
    """Samples that are worth a sketch."""
    rng = np.random.default_rng(0)
    V, U = rng.gamma(0.3, size=(300, 8)), rng.gamma(0.3, size=(250, 8))
    return rng.poisson(20 * V @ U.T).astype(np.float64)


def test_sketches_are_of_dense_samples_that_are_large_both_ways(wide):
    assert is_sketched(wide, 6)
    assert not is_sketched(wide, FEWEST_PARTS - 1)
    assert not is_sketched(wide[:215], 6)
    assert not is_sketched(wide[:, :215], 6)
    assert not is_sketched(wide, 20)
    assert not is_sketched(sparse.csr_array(wide), 6)


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_the_iterations_begin_below_where_random_factors_do(wide, loss, kind):
    first = {init: NMF(8, loss=loss, init=init, max_iter=1, tol=0, random_state=0) for init in ("auto", "random")}
    for model in first.values():
        model.fit(kind(wide))
    begun = {init: model.objective_[0] for init, model in first.items()}
    if loss == "frobenius" and kind is sparse.csr_array:
        assert begun["auto"] == begun["random"]
    else:
        assert begun["auto"] < 0.5 * begun["random"]


@pytest.mark.parametrize("loss", ["frobenius", "kullback-leibler"])
def test_the_end_is_as_good_in_fewer_iterations(wide, loss):
    ends = {"auto": [], "random": []}
    for init, found in ends.items():
        for seed in range(5):
            model = NMF(8, loss=loss, init=init, random_state=seed, tol=1e-6, max_iter=3000).fit(wide)
            found.append((model.objective_[-1], model.n_iter_))
    auto, drawn = (np.median(np.array(ends[init]), axis=0) for init in ("auto", "random"))
    assert auto[0] <= 1.005 * drawn[0]
    assert auto[1] < drawn[1]


def test_the_divergence_begins_without_zeros(wide):
    model = NMF(8, loss="kullback-leibler", random_state=0, max_iter=0).fit(wide)
    assert (model.components_ > 0).all()
    assert (model.representation_ > 0).all()


def test_a_sketch_is_of_the_samples_and_not_of_the_seed(wide):
    first, second = (NMF(8, random_state=1).fit(wide) for _ in range(2))
    np.testing.assert_array_equal(first.representation_, second.representation_)


def test_weights_and_other_starts_see_no_sketch(wide, monkeypatch):
    def refused(*args):
        raise AssertionError("a sketch was made")

    monkeypatch.setattr("manifact.backends.sketched_data.SketchedData.of", refused)
    NMF(8, random_state=0).fit(wide, sample_weight=np.ones(len(wide)))
    NMF(8, init="random", random_state=0).fit(wide)
    NMF.as_published(8, random_state=0, max_iter=2).fit(wide)
    GNMF(8, random_state=0).fit(wide)
    with pytest.raises(AssertionError, match="a sketch was made"):
        NMF(8, random_state=0).fit(wide)


def test_samples_of_zeros_begin_as_they_are_drawn():
    model = NMF(6, random_state=0).fit(np.zeros((220, 220)))
    assert np.isfinite(model.representation_).all()
    assert model.objective_[-1] == 0


def test_zeros_that_multiplicative_steps_could_not_change_are_raised(wide):
    model = NMF(8, solver="mu", random_state=0, max_iter=0).fit(wide)
    assert (model.components_ > 0).all()
    assert not (NMF(8, random_state=0, max_iter=0).fit(wide).components_ > 0).all()


def test_who_interrupts_a_later_short_run_keeps_the_starts_before(wide, monkeypatch):
    made, whole = [], short_runs.least_squares_run

    def interrupted(*args):
        made.append(args)
        if len(made) == 2:
            raise KeyboardInterrupt
        return whole(*args)

    monkeypatch.setattr(short_runs, "least_squares_run", interrupted)
    model = NMF(8, n_init=3, init_iter=4, random_state=0)
    with pytest.raises(KeyboardInterrupt, match="holds the last iterate"):
        model.fit(wide)
    assert model.n_iter_ == 4
    made[:] = [None]
    with pytest.raises(KeyboardInterrupt):
        NMF(8, random_state=0).fit(wide)


@pytest.mark.parametrize("shape", [(6000, 230), (230, 6000)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sketch_takes_about_the_memory_that_is_asked_for(shape, dtype):
    X = np.random.default_rng(0).random(shape).astype(dtype)
    data = as_data(X)
    data.square_sum  # noqa: B018 - what the iterations need as well is there before
    tracemalloc.start()
    SketchedData.of(X, data, 8)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak <= NMF(8)._sketch_bytes(X, None) <= 1.8 * peak


def test_no_memory_is_asked_for_where_no_sketch_is_made(wide, monkeypatch):
    assert NMF(8)._sketch_bytes(wide, None) > 0
    assert NMF(8)._sketch_bytes(wide, np.ones(len(wide))) == 0
    assert NMF(8, init="random")._sketch_bytes(wide, None) == 0
    assert NMF(8, warm_start=True).fit(wide)._sketch_bytes(wide, None) == 0
    rows = NMF(8)._sketch_bytes(ArrayBlocks(np.vstack([wide] * 3), 100), None)
    assert rows == NMF(8)._sketch_bytes(ArrayBlocks(wide, 100), None)
    monkeypatch.setattr("manifact.utils.memory.available", lambda: 1_000_000)
    with pytest.raises(MemoryError, match="use init='random'"):
        NMF(8).fit(wide)
    NMF(8, init="random").fit(wide)
