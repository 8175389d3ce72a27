"""Neighbours in other features than the raw ones, beside what LAPACK makes of dense samples."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.preprocessing import normalize

import manifact
from manifact import GNMF, LPNMF, SPNMF, AffinityNMF
from manifact.backends import threads
from manifact.graphs import KNNGraph
from manifact.graphs.neighbor_lists import find_neighbors
from manifact.graphs.views import Directions, View
from manifact.utils.array_files import read_arrays, write_arrays

KINDS = [np.asarray, sparse.csr_array]
DTYPES = [np.float64, np.float32]
VIEWS = [
    {"directions": 8},
    {"directions": 8, "balance": 0.5},
    {"directions": 8, "balance": 1.0},
    {"directions": 8, "balance": 0.5, "roots": True},
    {"roots": True},
]


@pytest.fixture
def X(rng):
    return rng.random((120, 30)) * (rng.random((120, 30)) < 0.4) + 0.01 * (rng.random((120, 30)) < 0.3)


def plain_features(X, new, directions=None, balance=0.0, roots=False):
    """z of new samples as it is defined, by a full decomposition."""
    X, new = (normalize(np.sqrt(P) if roots else P) for P in (X.astype(np.float64), new.astype(np.float64)))
    if directions is None:
        return new
    _, s, right = np.linalg.svd(X, full_matrices=False)
    kept = np.flatnonzero(s > 1e-6 * s[0])[:directions]
    return normalize(new @ right[kept].T * s[kept] ** -balance)


def cosines(Z):
    """All inner products: what signs and rotations of directions leave alone."""
    Z = Z.toarray() if sparse.issparse(Z) else Z
    return Z @ Z.T


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("settings", VIEWS, ids=str)
def test_features_are_those_of_the_definition(X, rng, kind, dtype, settings):
    X, new = X.astype(dtype), rng.random((10, 30)).astype(dtype)
    view = View.fit(kind(X), **settings)
    for asked in (X, new):
        Z = view.features(kind(asked))
        assert Z.dtype == dtype
        digits = 1e-9 if dtype == np.float64 else 2e-4
        np.testing.assert_allclose(cosines(Z), cosines(plain_features(X, asked, **settings)), atol=digits)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weight", ["binary", "heat", "local"])
@pytest.mark.parametrize("settings", VIEWS, ids=str)
def test_the_graph_is_that_of_the_features(X, kind, weight, settings):
    Z = plain_features(X, X, **settings)
    expected = KNNGraph(4, weight=weight).build(Z).W.toarray()
    for metric in ("euclidean", "cosine"):
        W = KNNGraph(4, weight=weight, metric=metric, **settings).build(kind(X)).W.toarray()
        np.testing.assert_allclose(W, expected, rtol=1e-6, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1), n=st.integers(1, 40), m=st.integers(1, 40), rank=st.integers(1, 6),
    directions=st.integers(1, 60), balance=st.floats(0, 1), kind=st.sampled_from(KINDS), roots=st.booleans(),
)  # fmt: skip
def test_directions_are_at_most_the_rank(seed, n, m, rank, directions, balance, kind, roots):
    rng = np.random.default_rng(seed)
    X = rng.random((n, rank)) @ rng.random((rank, m))
    X = X**2 if roots else X
    X[rng.random(n) < 0.2] = 0
    view = View.fit(kind(X), roots, directions, balance)
    Z = view.features(kind(X))
    assert Z.shape == (n, view.n_compared)
    assert view.n_compared <= min(directions, n, m)
    np.testing.assert_array_equal(Z.any(axis=1), X.any(axis=1))
    np.testing.assert_allclose(np.linalg.norm(Z, axis=1), X.any(axis=1), rtol=1e-12)
    graph = KNNGraph(3, directions=directions, balance=balance, roots=roots).build(kind(X))
    assert not graph.degrees[~X.any(axis=1)].any()
    assert (graph.degrees > 0).sum() in (0, X.any(axis=1).sum())


def test_one_decomposition_serves_fewer_directions_and_every_balance(X):
    svd = Directions.of(X, 20)
    for directions, balance in ((20, 0.0), (8, 0.5), (3, 1.0)):
        mine = View.fit(X, directions=directions, balance=balance, svd=svd).features(X)
        np.testing.assert_allclose(
            cosines(mine), cosines(plain_features(X, X, directions=directions, balance=balance)), atol=1e-9
        )


def test_a_graph_of_neighbours_that_were_found_before(X):
    view = View.fit(X, directions=8, balance=0.5)
    Z = view.features(X)
    many = find_neighbors(Z, 20, "unit")
    builder = KNNGraph(6, weight="local", directions=8, balance=0.5)
    mine, theirs = builder._joined(view, Z, many.cut(6)), builder.build(X)
    assert (mine.W != theirs.W).nnz == 0
    new = X[:5] + 0.01
    np.testing.assert_array_equal(mine.tie(new, np.eye(120))[0], theirs.tie(new, np.eye(120))[0])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("settings", VIEWS, ids=str)
def test_equal_samples_stay_equal_and_count_once(rng, kind, dtype, settings):
    X = rng.random((2300, 30)).astype(dtype)
    # In another block of rows, and at the end of one.
    X[[1500, 2299]] = X[7]
    Z = View.fit(kind(X), **settings).features(kind(X))
    assert abs(Z[[1500, 2299]] - Z[[7, 7]]).max() == 0
    W = KNNGraph(3, **settings).build(kind(X)).W
    assert W[7, 1500] == W[1500, 2299] == W[2299, 7] == 1
    assert (W[[7]].indices < 2300).sum() >= 5


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("kind", "other"), [(np.asarray, sparse.csr_array), (sparse.csr_array, np.asarray)])
@pytest.mark.parametrize("weight", ["binary", "heat", "local"])
@pytest.mark.parametrize("settings", [*VIEWS, {}, {"metric": "cosine"}], ids=str)
def test_a_training_sample_has_its_own_neighbours_and_weights(X, kind, other, dtype, weight, settings):
    X = np.vstack([X, X[:3], np.zeros((2, 30))]).astype(dtype)
    for reach in (4, 200):
        graph = KNNGraph(reach, weight=weight, **settings).build(kind(X))
        for asked in (kind(X), other(X), kind(X.astype(np.float64))):
            ties = graph.tie(asked, np.eye(len(X), dtype=dtype))[0]
            np.testing.assert_allclose(ties[3:120], graph.W[3:120].toarray(), rtol=2e-5, atol=1e-30)
            # Of two equal samples either is as good as the other.
            np.testing.assert_allclose(ties[120:123], graph.W[:3].toarray(), rtol=2e-5, atol=1e-30)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("settings", [*VIEWS, {}, {"metric": "cosine"}], ids=str)
def test_new_samples_have_a_width_of_their_own(X, rng, kind, settings):
    new = rng.random((9, 30)) * (rng.random((9, 30)) < 0.5)
    graph = KNNGraph(4, weight="local", **settings).build(kind(X))
    ties, degrees = graph.tie(kind(new), np.eye(120))
    np.testing.assert_allclose(degrees, ties.sum(axis=1))
    metric = settings.get("metric")
    plain = {key: value for key, value in settings.items() if key != "metric"}
    if metric or plain:
        A, B = plain_features(X, X, **plain), plain_features(X, new, **plain)
    else:
        A, B = X, new
    W = graph.W.toarray()
    squares = ((A[:, None] - A[None]) ** 2).sum(axis=2)
    sigma2 = np.array([np.median(squares[i, W[i] > 0]) for i in range(120)])
    near = KNNGraph(4, **settings).build(kind(X)).tie(kind(new), np.eye(120))[0] > 0
    for row, z, tie in zip(near, B, ties, strict=True):
        far = ((A[row] - z) ** 2).sum(axis=1)
        expected = np.zeros(120)
        expected[row] = np.exp(-far / np.sqrt(np.median(far) * sigma2[row]))
        np.testing.assert_allclose(tie, expected, rtol=1e-6, atol=1e-12)


def test_roots_are_hellingers_distance(X):
    mine = KNNGraph(5, weight="heat", roots=True).build(X)
    theirs = KNNGraph(5, weight="heat").build(normalize(np.sqrt(X)))
    np.testing.assert_allclose(mine.W.toarray(), theirs.W.toarray(), rtol=1e-12)
    new = X[:7] + 0.1
    expected = theirs.tie(normalize(np.sqrt(new)), np.eye(120))[0]
    np.testing.assert_allclose(mine.tie(new, np.eye(120))[0], expected, rtol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_number_of_threads_does_not_matter(rng, kind):
    X = kind(rng.random((3000, 150)) * (rng.random((3000, 150)) < 0.3))
    found = []
    for count in (1, 2):
        with threads.limit(count):
            found.append(KNNGraph(5, weight="local", directions=20, balance=0.5).build(X))
    assert (found[0].W != found[1].W).nnz == 0
    np.testing.assert_array_equal(found[0]._X, found[1]._X)


def test_one_sample_and_samples_without_entries():
    for X in (np.ones((1, 3)), np.zeros((4, 3))):
        for kind in KINDS:
            graph = KNNGraph(2, weight="local", directions=2).build(kind(X))
            assert graph.W.nnz == 0
            assert graph.tie(kind(np.ones((1, 3))), np.eye(len(X)))[0].shape == (1, len(X))


def test_samples_outside_the_directions_have_no_neighbours(X):
    wide = np.hstack([X, np.zeros((120, 2))])
    graph = KNNGraph(3, directions=5).build(wide)
    alone = np.zeros((1, 32))
    alone[0, 30:] = 1
    assert not graph.tie(alone, np.eye(120))[1].any()


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e30, 1e200])
def test_the_unit_of_the_samples_does_not_matter(X, scale):
    settings = {"n_neighbors": 4, "weight": "local", "directions": 6, "balance": 0.5}
    one, other = (KNNGraph(**settings).build(P).W.toarray() for P in (X, scale * X))
    np.testing.assert_allclose(other, one, rtol=1e-9)


def test_the_other_searches_look_among_the_directions(X):
    exact = KNNGraph(4, directions=8).build(X).W
    assert (exact != KNNGraph(4, directions=8, search="projection").build(X).W).nnz == 0
    pytest.importorskip("pynndescent", reason="the approximate search is an extra")
    rough = KNNGraph(4, weight="local", directions=8, search="approximate").build(X)
    assert exact.multiply(rough.W > 0).sum() / exact.sum() > 0.9
    np.testing.assert_allclose(rough.tie(X, np.eye(120))[0], rough.W.toarray(), rtol=1e-9)


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"directions": 0}, "directions=0 must be an integer >= 1"),
        ({"directions": 2, "balance": 1.5}, "balance=1.5 must be a finite number >= 0 and <= 1"),
        ({"balance": 0.5}, "balance=0.5 balances directions: give directions as well, such as directions=50"),
        ({"roots": "yes"}, "roots='yes' is not known: choose one of False, True"),
    ],
)
def test_bad_parameters_are_refused_in_one_sentence(X, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        KNNGraph(**parameters).build(X)
    with pytest.raises(TypeError, match=r"directions=2\.5 must be an integer >= 1"):
        KNNGraph(directions=2.5).build(X)


@pytest.mark.parametrize("kind", KINDS)
def test_roots_of_negative_entries_are_refused(X, kind):
    negative = X.copy()
    negative[3, 3] = -0.5
    sentence = r"roots=True takes square roots of the entries, and one is negative \(-0.5\): use roots=False"
    for directions in (None, 3):
        with pytest.raises(ValueError, match=sentence):
            KNNGraph(roots=True, directions=directions).build(kind(negative))
        with pytest.raises(ValueError, match=sentence):
            KNNGraph(roots=True, directions=directions).build(kind(X)).tie(kind(negative), np.eye(120))
    assert KNNGraph(directions=3).build(kind(negative)).W.nnz


def test_new_samples_of_another_width_are_refused(X):
    graph = KNNGraph(directions=5).build(X)
    for width in (5, 29):
        with pytest.raises(ValueError, match=f"built on samples of 30 features .* samples of {width}"):
            graph.tie(X[:, :width], np.eye(120))


@pytest.mark.parametrize("model", [GNMF, LPNMF, SPNMF, AffinityNMF])
@pytest.mark.parametrize("kind", KINDS)
def test_models_take_it_and_files_keep_it(model, kind, tmp_path):
    X = normalize(load_digits().data[:260])
    graph = KNNGraph(directions=20, balance=0.5, weight="local", roots=kind is np.asarray)
    fitted = model(5, graph=graph, random_state=0, max_iter=30).fit(kind(X[:200]))
    V, labels = fitted.transform(kind(X)), fitted.predict(kind(X))
    # The steps have not come to their end, so that a few are elsewhere once the basis is held.
    assert (labels[:200] == fitted.labels_).mean() > 0.9
    assert fitted.graph_._X.shape == (200, 20)
    fitted.save(tmp_path / "m.safetensors")
    again = manifact.load(tmp_path / "m.safetensors")
    np.testing.assert_array_equal(again.transform(kind(X)), V)
    np.testing.assert_array_equal(again.predict(kind(X)), labels)
    assert again.graph.get_params() == graph.get_params()
    assert repr(again.graph_._view) == repr(fitted.graph_._view)


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("axes", lambda axes: np.vstack([axes, axes])),
        ("axes", lambda axes: axes[:, :4].copy()),
        ("axes", lambda axes: axes * np.inf),
        ("widths", lambda widths: widths[1:]),
        ("widths", lambda widths: 0 * widths),
    ],
)
def test_files_that_do_not_fit_together_are_refused(X, tmp_path, part, change):
    path = tmp_path / "m.safetensors"
    GNMF(3, graph=KNNGraph(directions=5, weight="local"), random_state=0).fit(X).save(path)
    arrays, metadata = read_arrays(path)
    name = next(name for name in arrays if name.endswith(part))
    write_arrays(path, arrays | {name: change(arrays[name])}, metadata)
    with pytest.raises(ValueError, match="is damaged"):
        manifact.load(path)


def test_files_of_former_versions_have_no_view(X, tmp_path):
    path = tmp_path / "m.safetensors"
    fitted = GNMF(3, graph=KNNGraph(4), random_state=0).fit(X)
    fitted.save(path)
    arrays, metadata = read_arrays(path)
    newer = ("directions", "balance", "roots", "view", "widths")
    attributes, parameters = (json.loads(metadata[key]) for key in ("attributes", "parameters"))
    graph = attributes["graph_"]["of"]
    graph["dict"] = [[key, part] for key, part in graph["dict"] if key not in newer]
    for builder in (dict(graph["dict"])["builder"]["of"], parameters["graph"]["of"]):
        builder["dict"] = [[key, part] for key, part in builder["dict"] if key not in newer]
    metadata |= {"attributes": json.dumps(attributes), "parameters": json.dumps(parameters)}
    assert "directions" not in metadata["attributes"] + metadata["parameters"]
    write_arrays(path, arrays, metadata)
    np.testing.assert_array_equal(manifact.load(path).transform(X + 0.1), fitted.transform(X + 0.1))
