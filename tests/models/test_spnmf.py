import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import KINDS, problem
from tests.reference import updates as plain

from manifact import SPNMF
from manifact.graphs import KNNGraph, LabelGraph, LandmarkGraph


def graphs(n=24):
    """A near and a far graph that share some edges."""
    near = problem(seed=1, n=n)[1]
    far = problem(seed=2, n=n)[1] * 4
    assert ((near > 0) & (far > 0)).any()
    return near, far


@pytest.mark.parametrize("kind", ["dense", "csr"])
@pytest.mark.parametrize("basis_penalty", ["redundancy", "orthogonality"])
@pytest.mark.parametrize(
    ("alpha", "beta", "gamma"), [(1.0, 0.1, 0.01), (10.0, 1.0, 1.0), (0.0, 1.0, 0.0), (2.0, 1.0, 0.0), (2.0, 0.0, 0.5)]
)
def test_fifty_published_iterations_equal_the_transcription(kind, basis_penalty, alpha, beta, gamma):
    X, _, V, U = problem()
    U = U / U.sum(axis=0)
    near, far = graphs()
    model = SPNMF(
        4, solver="mu", graph_reg=alpha, repulsion_reg=beta, basis_reg=gamma, graph=near, far_graph=far,
        basis_penalty=basis_penalty, init=(V, U.T), max_iter=50, tol=0, normalize=None,
    )  # fmt: skip
    mine = model.fit_transform(KINDS[kind](X))
    # β = 0 has no far graph to split against: attraction alone is GNMF's rule, with its degrees on the diagonal.
    first = plain.objective_spnmf(X, U, V, near, far, alpha, beta, gamma if basis_penalty == "redundancy" else 0)
    if basis_penalty == "redundancy":
        assert model.objective_[0] == pytest.approx(first)
    for _ in range(50):
        U, V = plain.spnmf(X, U, V, near, far, alpha, beta, gamma, orthogonal=basis_penalty == "orthogonality")
    assert np.linalg.norm(mine - V) <= 1e-9 * np.linalg.norm(V)
    assert np.linalg.norm(model.components_.T - U) <= 1e-9 * np.linalg.norm(U)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)


@st.composite
def settings(draw):
    n, m, k = draw(st.integers(2, 12)), draw(st.integers(1, 8)), draw(st.integers(1, 4))
    strengths = st.sampled_from([0.0, 0.01, 1.0, 100.0])
    parameters = {"graph_reg": draw(strengths), "repulsion_reg": draw(strengths), "basis_reg": draw(strengths)}
    parameters["basis_penalty"] = draw(st.sampled_from(["redundancy", "orthogonality"]))
    seed = draw(st.integers(0, 10**6))
    X, near, _, _ = problem(seed, n, m, k)
    far = problem(seed + 1, n, m, k)[1]
    return X * draw(st.sampled_from([0.1, 1.0, 10.0])), {"graph": near, "far_graph": far, **parameters}, k, seed


@given(settings(), st.booleans(), st.booleans())
def test_the_default_solver_never_raises_the_objective(case, sparse_data, weighted):
    X, parameters, k, seed = case
    gamma = np.random.default_rng(seed).random(len(X)) + 0.01 if weighted else None
    model = SPNMF(k, random_state=seed, max_iter=40, tol=0, normalize=None, **parameters)
    model.fit(KINDS["csr" if sparse_data else "dense"](X), sample_weight=gamma)
    o = model.objective_
    assert model.solver_ == "simplex"
    assert (np.diff(o) <= 1e-10 * o[:-1] + 1e-13 * np.sum(X**2)).all()
    np.testing.assert_allclose(model.components_.sum(axis=1), 1)


def test_the_published_rule_does_raise_its_objective():
    X = problem(density=1.0)[0]
    near, far = graphs()
    model = SPNMF(4, solver="mu", graph_reg=1.0, repulsion_reg=1.0, graph=near, far_graph=far, random_state=0).fit(X)
    assert (np.diff(model.objective_) > 0).any()


@pytest.mark.parametrize(("scale", "dtype"), [(1e20, np.float64), (1e10, np.float32), (1e-20, np.float64)])
def test_columns_sum_to_one_at_any_scale(scale, dtype):
    model = SPNMF(3, random_state=0, normalize=None).fit((problem()[0] * scale).astype(dtype))
    np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-5)


def test_weight_zero_leaves_the_iterate_where_repulsion_holds_it():
    X = problem()[0]
    near, far = graphs()
    weight = (np.arange(24) > 4).astype(float)
    model = SPNMF(
        2, graph_reg=0, basis_reg=0, repulsion_reg=1, graph=near, far_graph=far, normalize=None, random_state=0
    )
    V = model.fit_transform(X, sample_weight=weight)
    squares = ((V[:, None] - V[None]) ** 2).sum(axis=2)
    fit = np.sum(weight[:, None] * (X - V @ model.components_) ** 2)
    assert model.objective_[-1] == pytest.approx(fit + 0.5 * np.sum(far * np.exp(-squares)))


def test_orthogonality_makes_the_basis_more_orthogonal():
    X = problem(n=60, density=1.0)[0]

    def overlap(model):
        U = model.fit(X).components_
        G = U @ U.T
        return (G.sum() - np.trace(G)) / np.trace(G)

    free = SPNMF(4, basis_reg=0.0, random_state=0)
    tight = SPNMF(4, basis_reg=100.0, basis_penalty="orthogonality", random_state=0)
    assert overlap(tight) < 0.5 * overlap(free)


def test_repulsion_keeps_far_samples_apart():
    X = problem(n=60)[0]
    spread = []
    for beta in (0.0, 5.0):
        model = SPNMF(2, graph_reg=0.0, repulsion_reg=beta, random_state=0, normalize=None)
        V = model.fit_transform(X)
        far = model._build_far_graph(X, None).W
        rows, columns = far.nonzero()
        spread.append(np.mean(np.exp(-np.sum((V[rows] - V[columns]) ** 2, axis=1))))
    assert spread[1] < 0.5 * spread[0]


def test_what_it_cannot_do_is_refused():
    X = problem()[0]
    for parameters, sentence in (
        ({"repulsion_reg": -1}, "repulsion_reg=-1 must be a finite number >= 0"),
        ({"basis_penalty": "l1"}, "basis_penalty='l1' is not known: choose one of 'redundancy', 'orthogonality'"),
        ({"solver": "newton"}, "solver='newton' cannot minimise SPNMF: choose one of 'auto', 'simplex', 'mu'"),
        (
            {"solver": "mu", "graph": LandmarkGraph(5)},
            "its near graph is a LandmarkOperator, whose edges are not listed: use KNNGraph",
        ),
        ({"far_graph": KNNGraph(2) + LabelGraph()}, "LabelGraph needs labels"),
        (
            {"far_graph": LandmarkGraph(5)},
            "far_graph must be a graph whose edges are listed, got LandmarkOperator: use",
        ),
        ({"far_graph": np.ones((3, 3))}, "far_graph is a 3 x 3 affinity but X has 24 samples"),
    ):
        with pytest.raises(ValueError, match=sentence):
            SPNMF(2, **parameters).fit(X)


@pytest.mark.parametrize("name", ["graph", "far_graph"])
def test_weights_beyond_single_precision_are_refused_with_float32_alone(name):
    X, W = problem()[:2]
    model = SPNMF(3, max_iter=2, random_state=0).set_params(**{name: 1e35 * W})
    assert np.isfinite(model.fit_transform(X)).all()
    with pytest.raises(ValueError, match=rf"{name} has weights that add up to .* float32 cannot hold: divide them"):
        model.fit(X.astype(np.float32))
