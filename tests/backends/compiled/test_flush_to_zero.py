"""Subnormal numbers are neither met nor left by anything that an iteration does, and the caller keeps its own."""

import threading

import numpy as np
import pytest
from scipy import sparse

from manifact import GNMF, NMF
from manifact.backends import as_data, backend_of, threads
from manifact.backends.compiled.flush_to_zero import FLAGS, MET, OPERANDS, RESULTS, control_word, flush, restore
from manifact.backends.matrix import Matrix

FLUSHING = RESULTS | OPERANDS
known = pytest.mark.skipif(not FLUSHING, reason="no such bits are known for this processor")


def product(small):
    """A product of normal numbers that is subnormal."""
    return (np.full(8, small) * small)[0]


@pytest.fixture(params=[np.float32, np.float64])
def dtype(request):
    return np.dtype(request.param)


@pytest.fixture
def tiny(dtype, rng):
    """Arrays whose entries, and products of them, lie around the smallest normal number on both sides."""
    low, high = np.log10(np.finfo(dtype).smallest_subnormal.astype(np.float64)), 0.0

    def make(*shape):
        P = 10 ** rng.uniform(low, high, shape)
        P[rng.random(shape) < 0.2] = 0
        return P.astype(dtype)

    return make


@pytest.fixture
def met(monkeypatch):
    """What control words were left behind by kernels, all of which this thread runs."""
    words = []

    def seen(before):
        words.append(control_word())
        restore(before)

    monkeypatch.setattr(threads, "_flushing", lambda: (flush, seen))
    with threads.limit(1):
        yield words
    assert words
    for word in words:
        assert word & FLUSHING == FLUSHING
        assert not word & MET


def subnormal(P):
    """How many entries are subnormal, as integers tell."""
    tiny = np.abs(np.asarray(P)).view({4: np.int32, 8: np.int64}[P.dtype.itemsize])
    return int(((tiny > 0) & (tiny < np.finfo(P.dtype).tiny.view(tiny.dtype))).sum())


@known
def test_products_become_zero_until_the_word_is_restored(dtype):
    small = dtype.type(np.finfo(dtype).tiny) ** dtype.type(0.51)
    before = flush()
    flushed = product(small)
    restore(before)
    assert flushed == 0
    assert product(small) > 0


@known
def test_the_flag_tells_whether_one_was_met(dtype):
    """Without it the tests below would prove nothing."""
    if not MET:
        pytest.skip("this processor keeps its flags elsewhere")
    values = np.full(8, np.finfo(dtype).smallest_subnormal)
    before = flush()
    restore(before & ~FLUSHING & ~MET)
    values.dot(values)
    word = control_word()
    restore(before)
    assert word & MET


@known
@pytest.mark.parametrize("count", [1, 3])
def test_the_caller_computes_as_before(monkeypatch, count):
    monkeypatch.setattr(threads, "SMALL_WORK", 0)
    small = np.float32(1e-21)
    seen = []

    def look(start, stop):
        seen.append((threading.get_ident(), product(small), control_word() & FLUSHING))

    def fail(start, stop):
        raise ZeroDivisionError

    before = control_word() & ~FLAGS
    with threads.limit(count):
        threads.over_rows(look, 64, 1e9)
        with pytest.raises(ZeroDivisionError):
            threads.over_rows(fail, 64, 1e9)
    assert control_word() & ~FLAGS == before
    assert product(small) > 0
    assert all(found[1:] == (0, FLUSHING) for found in seen)


def test_finfo_finds_its_subnormal_number():
    """NumPy computes it at the first use, and warns where it is zero: kernels must not be the first."""
    before = flush()
    try:
        assert np.finfo(np.float32).smallest_normal > 0
    finally:
        restore(before)
    assert np.finfo(np.float32).smallest_subnormal > 0


def operations(tiny, n=900, m=30, k=5):
    """Everything that iterations ask of a backend, by name, on tiny factors."""
    dtype = tiny(1, 1).dtype
    V, A, U = tiny(n, k), tiny(n, k), tiny(m, k)
    dense = tiny(n, m)
    X = sparse.csr_array(dense)
    W = sparse.random_array((n, n), density=0.01, random_state=np.random.default_rng(0), format="csr").astype(dtype)
    W = Matrix(W + W.T)
    G, B = tiny(k, k), tiny(n, k)
    backend = backend_of(V)
    yield "times", lambda: backend.times(W, V)
    yield "cross", lambda: backend.cross(V, A)
    yield "column_sums", lambda: backend.column_sums(V)
    yield "column_products", lambda: backend.column_products(V, A)
    yield "inner", lambda: np.array([backend.inner(V, A)])
    yield "rescale", lambda: backend.rescale(V, A, B)
    yield "rescale by columns", lambda: backend.rescale(V, A, B[:1])
    yield "edge_energies", lambda: backend.edge_energies(W, V, A)
    yield "edge_gaussians", lambda: backend.edge_gaussians(W, V).csr.data
    yield "sweep_rows", lambda: backend.sweep_rows(V, G, B, 1.0, 0.1, 2)
    yield "sweep_rows on a graph", lambda: backend.sweep_rows(V, G, B, 1.0, 0.1, 2, W, 0.5)
    yield (
        "sweep_affinity",
        lambda: backend.sweep_affinity(V, G, B, 1.0, 0.1, A, np.arange(n) > 3, 0.7, 2),
    )
    yield "multiply_rows", lambda: backend.multiply_rows(V, G, B, 1.0, 0.1, 0.2)
    yield "multiply_rows on a graph", lambda: backend.multiply_rows(V, G, B, B[:, 0], A[:, 0], 0.0, W, 0.5)
    yield "product", lambda: backend.product(V, G)
    yield "scale", lambda: backend.scale(V, rows=A[:, 0], columns=G[0])
    yield "ahead", lambda: backend.ahead(V, A, 0.7)
    for kind, data in (("sparse", as_data(X)), ("dense", as_data(dense))):
        yield f"{kind} times", lambda data=data: data.times(U)
        yield f"{kind} times_transposed", lambda data=data: data.times_transposed(V)
        yield f"{kind} ratio_times", lambda data=data: data.ratio_times(U, V)[0]
        yield f"{kind} ratio_times_transposed", lambda data=data: data.ratio_times_transposed(U, V)
        yield f"{kind} descended", lambda data=data: data.descended(U, V, (U, A), 0.7, B[:m], 1).U
        yield f"{kind} gram", lambda data=data: data.gram(V)


NAMES = [name for name, _ in operations(lambda *shape: np.ones(shape))]


@known
@pytest.mark.parametrize("name", NAMES)
def test_operations_neither_meet_nor_leave_subnormal_numbers(met, tiny, name):
    found = dict(operations(tiny))[name]()
    assert np.isfinite(found).all()
    if found.dtype == tiny(1, 1).dtype:
        assert subnormal(found) == 0


MODELS = {
    "NMF": lambda **start: NMF(5, solver="mu", **start),
    "NMF, bcd": lambda **start: NMF(5, solver="bcd", **start),
    "NMF, divergence": lambda **start: NMF(5, solver="mu", loss="kullback-leibler", **start),
    "GNMF": lambda **start: GNMF(5, solver="mu", graph_reg=0.1, **start),
    "GNMF, bcd": lambda **start: GNMF(5, solver="bcd", graph_reg=0.1, **start),
    "GNMF, divergence": lambda **start: GNMF(5, solver="mu", loss="kullback-leibler", graph_reg=0.1, **start),
}


@known
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("sparsely", [False, True])
@pytest.mark.parametrize("name", MODELS)
def test_runs_neither_meet_nor_leave_subnormal_numbers(met, tiny, name, sparsely):
    X = np.minimum(tiny(120, 40) + 1e-3 * np.eye(120, 40, dtype=tiny(1, 1).dtype), 1)
    start = tiny(120, 5), tiny(5, 40)
    assert min(subnormal(P) for P in start) > 0
    model = MODELS[name](init=start, max_iter=6, tol=0, normalize=None)
    V = model.fit_transform(sparse.csr_array(X) if sparsely else X)
    assert subnormal(V) == subnormal(model.components_) == 0
    assert np.isfinite(model.objective_).all()
