import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel
from tests.conftest import KINDS, problem
from tests.reference import updates as plain

from manifact import CF, LCCF, LCF, NMF
from manifact.datasets import three_gaussians
from manifact.datasets.toy import CENTRES, DEVIATION

RAW = {"max_iter": 50, "tol": 0, "normalize": None}


def concept_problem(signed=False, n=24, seed=0):
    X, W, V, _ = problem(seed, n)
    if signed:
        X = X - 0.3
    return X, W, V, np.random.default_rng(seed + 1).random((n, 4)) + 0.1


MODELS = {
    "CF": (lambda W: CF(4), {}),
    "LCCF": (lambda W: LCCF(4, graph_reg=2.0, graph=W), {"graph_reg": 2.0}),
    "LCF": (lambda W: LCF(4, locality_reg=0.3), {"locality_reg": 0.3}),
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kind", ["dense", "csr", "kernel"])
@pytest.mark.parametrize("signed", [False, True])
def test_fifty_iterations_equal_the_transcription(name, kind, signed):
    X, W, V, C = concept_problem(signed)
    make, strengths = MODELS[name]
    model = make(W).set_params(init=(V, C.T), **RAW)
    K = X @ X.T
    if kind == "kernel":
        mine = model.set_params(kernel="precomputed").fit_transform(K)
        plus, minus = np.maximum(K, 0), np.maximum(-K, 0)
    else:
        mine = model.fit_transform(KINDS[kind](X))
        one, other = np.maximum(X, 0), np.maximum(-X, 0)
        plus, minus = one @ one.T + other @ other.T, one @ other.T + other @ one.T
    assert model.objective_[0] == pytest.approx(plain.objective_concept(K, C, V, W, **strengths))
    for _ in range(50):
        if signed:
            C, V = plain.signed_concept(K, plus, minus, C, V, W, **strengths)
        else:
            C, V = plain.concept(K, C, V, W, **strengths)
    assert np.linalg.norm(mine - V) <= 1e-9 * np.linalg.norm(V)
    assert np.linalg.norm(model.concepts_.T - C) <= 1e-9 * np.linalg.norm(C)
    assert model.objective_[-1] == pytest.approx(plain.objective_concept(K, C, V, W, **strengths), rel=1e-8)


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("iterations", [1, 10, 100])
def test_lcf_equals_the_reference_trace(traces, kind, iterations):
    trace = traces("lcf_raw")
    init = (trace["V0"], trace["U0"].T)
    model = LCF(5, locality_reg=float(trace["lambda"]), init=init, max_iter=iterations, tol=0, normalize=None)
    V = model.fit_transform(KINDS[kind](trace["X"].T))
    expected = trace[f"V{iterations}"]
    assert np.linalg.norm(V - expected) <= 1e-9 * np.linalg.norm(expected)
    C = trace[f"U{iterations}"]
    assert np.linalg.norm(model.concepts_.T - C) <= 1e-9 * np.linalg.norm(C)
    np.testing.assert_allclose(model.objective_, trace["obj"][: iterations + 1], rtol=1e-9)


@given(
    st.sampled_from(sorted(MODELS)), st.integers(0, 10**6), st.integers(2, 12), st.booleans(),
    st.sampled_from(["linear", "rbf", "cosine", "polynomial"]), st.booleans(), st.booleans(),
)  # fmt: skip
def test_the_objective_never_rises(name, seed, n, signed, kernel, weighted, sparse_data):
    X, W, V, C = concept_problem(signed, n, seed)
    gamma = np.random.default_rng(seed).random(n) + 0.01 if weighted else None
    model = MODELS[name][0](W).set_params(init=(V, C.T), kernel=kernel, **RAW)
    model.fit(KINDS["csr" if sparse_data else "dense"](X), sample_weight=gamma)
    o = model.objective_
    assert (np.diff(o) <= 1e-10 * np.abs(o[:-1]) + 1e-13 * model_scale(model, X)).all()


def model_scale(model, X):
    return float(np.abs(model._make_data(X, None).row_squares).sum())


@pytest.mark.parametrize("name", MODELS)
def test_concepts_make_the_components(name):
    X, W, _, _ = concept_problem(signed=True)
    model = MODELS[name][0](W).set_params(random_state=0).fit(X)
    np.testing.assert_allclose(model.components_, model.concepts_ @ X)
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)
    V = model.representation_
    np.testing.assert_allclose(model.inverse_transform(V), V @ model.components_)
    assert model.reconstruction_err_ == pytest.approx(np.linalg.norm(X - V @ model.components_))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "kmeans", "spectral"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_every_start_works(name, init, kind):
    X, W, _, _ = concept_problem(signed=init != "nndsvda")
    model = MODELS[name][0](W).set_params(random_state=0, init=init, max_iter=20).fit(KINDS[kind](X))
    assert np.isfinite(model.objective_).all()
    assert model.objective_[-1] < model.objective_[0]


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("kind", ["dense", "csr"])
def test_new_samples_are_projected_to_their_minimum(name, kernel, kind):
    X, W, _, _ = concept_problem()
    model = MODELS[name][0](W).set_params(random_state=0, kernel=kernel, normalize=None).fit(KINDS[kind](X))
    new = X[:5] + 0.1
    V = model.transform(KINDS[kind](new))
    C = model.concepts_.T
    k_new = new @ X.T if kernel == "linear" else rbf_kernel(new, X)
    K = X @ X.T if kernel == "linear" else rbf_kernel(X)
    own = np.sum(new**2, axis=1) if kernel == "linear" else np.ones(5)
    G, B = C.T @ K @ C, k_new @ C
    lam = getattr(model, "locality_reg", 0.0)
    gradient = 2 * V @ G - 2 * B + lam * (own[:, None] + np.diag(G) - 2 * B)
    assert np.abs(gradient[V > 0]).max(initial=0) < 1e-6
    assert gradient[V == 0].min(initial=0) > -1e-6
    np.testing.assert_allclose(model.transform(KINDS[kind](new), method="pinv"), B @ np.linalg.pinv(G), atol=1e-6)
    loss = own.sum() - 2 * np.sum(V * B) + np.sum((V @ G) * V)
    assert model.score(KINDS[kind](new)) == pytest.approx(-loss / new.size)


@pytest.mark.parametrize("name", MODELS)
def test_projections_do_not_depend_on_how_the_basis_is_normalised(name):
    """The locality penalty is not free of scale: new samples are treated as the training samples were."""
    X, W, V, C = concept_problem()
    one, other = (MODELS[name][0](W).set_params(init=(V, C.T), normalize=how).fit(X) for how in ("basis", None))
    mine = one.transform(X) @ one.components_
    np.testing.assert_allclose(mine, other.transform(X) @ other.components_, rtol=1e-6, atol=1e-9)


def test_products_of_samples_with_themselves_are_the_kernels_diagonal():
    X = problem(n=150)[0]
    model = LCF(3, kernel="polynomial", random_state=0, max_iter=2).fit(X)
    np.testing.assert_allclose(model._own_products(X), np.diag(model._kernel_with(X, X)))


def test_a_precomputed_kernel_projects_rows_of_kernel_values():
    X, _, V, C = concept_problem()
    named = CF(4, kernel="rbf", init=(V, C.T)).fit(X)
    given_K = CF(4, kernel="precomputed", init=(V, C.T)).fit(rbf_kernel(X, gamma=1 / X.shape[1]))
    np.testing.assert_allclose(given_K.representation_, named.representation_, rtol=1e-9)
    new = X[:3] + 0.1
    np.testing.assert_allclose(
        given_K.transform(rbf_kernel(new, X, gamma=1 / X.shape[1])), named.transform(new), atol=1e-8
    )


def test_a_precomputed_kernel_takes_weights_of_zero():
    X, _, V, C = concept_problem()
    weight = (np.arange(24) > 2).astype(float)
    linear, given_K = (LCF(4, kernel=k, init=(V, C.T)) for k in ("linear", "precomputed"))
    mine = linear.fit_transform(X, sample_weight=weight)
    np.testing.assert_allclose(given_K.fit_transform(X @ X.T, sample_weight=weight), mine, rtol=1e-6, atol=1e-9)


def test_checkpoints_of_other_weights_are_refused(tmp_path):
    X = concept_problem()[0]
    weight = np.where(np.arange(24) < 12, 5.0, 1.0)
    model = CF(3, kernel="rbf", random_state=0, max_iter=5)
    model.fit(X, sample_weight=weight, checkpoint=tmp_path / "run")
    with pytest.raises(ValueError, match=r"belongs to another run \(sample_weight is not the same\)"):
        model.fit(X, sample_weight=weight[::-1], checkpoint=tmp_path / "run")


def test_kernel_parameters_reach_the_kernel():
    X, _, V, C = concept_problem()
    narrow = CF(4, kernel="rbf", kernel_params={"gamma": 10.0}, init=(V, C.T)).fit(X)
    given_K = CF(4, kernel="precomputed", init=(V, C.T)).fit(rbf_kernel(X, gamma=10.0))
    np.testing.assert_allclose(narrow.concepts_, given_K.concepts_, rtol=1e-9)


def test_the_linear_kernel_forms_no_matrix_larger_than_X():
    X = sparse.random_array((60_000, 300), density=0.005, random_state=np.random.default_rng(0), format="csr")
    model = CF(3, max_iter=3, random_state=0).fit(X)
    assert model.objective_[-1] < model.objective_[0]
    with pytest.raises(MemoryError, match=r"would need about .* GiB .*use kernel='linear'"):
        CF(3, kernel="rbf").fit(sparse.csr_array((10**6, 10)))


@pytest.mark.parametrize("name", MODELS)
def test_named_kernels_that_would_not_fit_are_refused_before_they_are_formed(name, monkeypatch):
    X, W, _, _ = concept_problem(n=40)
    linear, rbf = (MODELS[name][0](W).set_params(kernel=kernel, random_state=0) for kernel in ("linear", "rbf"))
    rbf.fit(X)
    # Room for the factors, and for half a kernel.
    monkeypatch.setattr("manifact.utils.memory.available", lambda: 40 * 40 * 8)
    monkeypatch.setattr("manifact.models.concept_models.pairwise_kernels", None)
    monkeypatch.setattr("manifact.models.planning.require", lambda *facts: None)
    for refused in (rbf.fit, rbf.transform):
        with pytest.raises(MemoryError, match=r"the kernel matrix would need about .* are free.*use kernel='linear'"):
            refused(X)
    linear.fit(X)


def test_weights_are_those_of_each_samples_summand():
    X, _, V, C = concept_problem()
    times = np.random.default_rng(0).integers(1, 3, len(X))
    weighted = CF(4, init=(V, C.T), **RAW).fit(X, sample_weight=times)
    first = np.sum(times[:, None] * (X - V @ C.T @ X) ** 2)
    assert weighted.objective_[0] == pytest.approx(first)
    K = X @ X.T
    np.testing.assert_allclose(CF()._weight("ncw", X), 1 / K.sum(axis=1))


@pytest.mark.parametrize("seed", range(5))
def test_lcf_puts_its_basis_at_the_centres(seed):
    """LCF paper, fig. 5."""
    X = three_gaussians(random_state=seed).X
    lcf = LCF(3, normalize=None, max_iter=500, random_state=seed).fit(X)
    distance = np.linalg.norm(lcf.components_[:, None] - CENTRES[None], axis=2)
    assert distance.min(axis=1).max() < DEVIATION
    assert sorted(distance.argmin(axis=1)) == [0, 1, 2]
    nmf = NMF(3, normalize=None, max_iter=500, random_state=seed).fit(X)
    assert np.linalg.norm(nmf.components_[:, None] - CENTRES[None], axis=2).min(axis=1).max() > DEVIATION


def test_what_it_cannot_do_is_refused():
    X, W, V, C = concept_problem()
    for model, data, sentence in (
        (CF(2, kernel="gauss"), X, "kernel='gauss' is not known: choose one of 'linear', 'precomputed'"),
        (CF(2, kernel="precomputed"), X, "kernel='precomputed' needs a square X of kernel values, got 24 x 17"),
        (CF(2, kernel="precomputed"), np.triu(X @ X.T), "kernel='precomputed' needs a symmetric X"),
        (LCCF(2, kernel="gauss"), X, "kernel='gauss' is not known: choose one of 'linear', 'precomputed'"),
        (LCCF(2, graph_reg=-1), X, "graph_reg=-1 must be a finite number >= 0"),
        (LCF(2, locality_reg=-1), X, "locality_reg=-1 must be a finite number >= 0"),
        (CF(4, init=(V, C)), X, r"\(V0, concepts0\): concepts0 has shape .24, 4. but must be 4 x 24"),
        (LCCF(2, graph=W[:5, :5]), X, "graph is a 5 x 5 affinity but X has 24 samples"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.fit(data)
    for model, error, sentence in (
        (CF(2, kernel="additive_chi2"), ValueError, "kernel is not positive semi-definite"),
        (
            CF(2, kernel="rbf", kernel_params={"gama": 5}),
            ValueError,
            "kernel_params={'gama': 5} does not fit kernel='rbf'",
        ),
        (CF(2, kernel="rbf", kernel_params=5), TypeError, "kernel_params=5 must be a dict"),
        (CF(2, kernel_params={"gamma": 5}), ValueError, "goes with a named kernel, not 'linear'"),
    ):
        with pytest.raises(error, match=sentence):
            model.fit(X)
    signs = np.where(np.eye(24), 1.0, -0.5)
    with pytest.raises(ValueError, match="kernel is not positive semi-definite"):
        CF(3, kernel="precomputed", init=(np.ones((24, 3)), np.ones((3, 24)))).fit(signs)
    kernel = LCF(2, kernel="precomputed").fit(X @ X.T)
    with pytest.raises(ValueError, match=r"LCF needs k\(x, x\) of new samples"):
        kernel.transform(X @ X.T)
    with pytest.raises(AttributeError):
        CF(2, kernel="rbf").fit(X).inverse_transform(V[:, :2])
    with pytest.raises(ValueError, match="sample_weight='ncw' needs samples whose similarities add up"):
        CF(2).fit(np.vstack([X, -X[:3]]), sample_weight="ncw")
    warm = CF(2, warm_start=True).fit(X)
    with pytest.raises(ValueError, match=r"warm_start=True needs the shape of the last fit, 2 concepts of 24 samples"):
        warm.fit(X[:10])


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_squares_of_large_and_small_samples_fit_into_the_type_they_are_iterated_in(scale):
    X = concept_problem()[0].astype(np.float32) * np.float32(scale)
    model = LCF(3, init="nndsvd", alpha_V=1e-3, max_iter=5, random_state=0).fit(X)
    assert model.representation_.dtype == np.float64
    assert np.isfinite(model.objective_).all()
