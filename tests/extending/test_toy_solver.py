import numpy as np
import pytest
from tests.conftest import KINDS, problem

from manifact import CF, GNMF, NMF, SPNMF

SETTINGS = {"n_components": 3, "solver": "projected-gradient", "random_state": 0}


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_its_loss_offer_it(toy, kind):
    toy("solver")
    X = problem(n=40, m=20)[0]
    model = NMF(max_iter=200, tol=0, **SETTINGS).fit(KINDS[kind](X))
    assert model.solver_ == "projected-gradient"
    assert (np.diff(model.objective_) <= 0).all()
    best = NMF(3, random_state=0, max_iter=500, tol=0).fit(X).objective_[-1]
    assert model.objective_[-1] < 1.05 * best


def test_it_lowers_every_sum_of_terms_with_gradients(toy):
    toy("solver")
    X, W, _, _ = problem(n=40, m=20)
    model = GNMF(graph=W, graph_reg=1.0, alpha_V=0.1, l1_ratio=0.5, max_iter=50, tol=0, **SETTINGS).fit(X)
    assert (np.diff(model.objective_) <= 0).all()
    assert model.objective_[-1] < 0.9 * model.objective_[0]


def test_what_it_remembers_is_in_the_checkpoint(toy, tmp_path):
    toy("solver")
    X, path = problem(n=40, m=20)[0], tmp_path / "run.safetensors"
    NMF(max_iter=7, tol=0, **SETTINGS).fit(X, checkpoint=path, every=1)
    resumed = NMF(max_iter=20, tol=0, **SETTINGS).fit(X, checkpoint=path)
    np.testing.assert_array_equal(resumed.objective_, NMF(max_iter=20, tol=0, **SETTINGS).fit(X).objective_)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: NMF(loss="kullback-leibler", **SETTINGS), "NMF with loss='kullback-leibler': choose one of 'auto'"),
        (lambda: CF(**SETTINGS), "CF: choose one of 'auto', 'mu'"),
        (lambda: SPNMF(**SETTINGS), "SPNMF: choose one of 'auto', 'simplex', 'mu'"),
    ],
)
def test_other_models_refuse_it(toy, make, told):
    toy("solver")
    with pytest.raises(ValueError, match=f"solver='projected-gradient' cannot minimise {told}"):
        make().fit(problem()[0])


def test_it_refuses_sums_with_constraints(toy):
    from manifact.backends import as_data
    from manifact.solvers.engine import run
    from manifact.solvers.solver import SOLVERS
    from manifact.terms import Frobenius, SimplexBasis, State

    toy("solver")
    X, _, V, U = problem()
    told = "solver='projected-gradient' cannot minimise a sum with SimplexBasis: steps would leave the set that U must"
    with pytest.raises(ValueError, match=told):
        run(State(as_data(X), U, V), [Frobenius(), SimplexBasis()], SOLVERS["projected-gradient"], max_iter=1, tol=0)


def test_it_runs_where_the_arrays_live(toy):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    toy("solver")
    X = problem(n=40, m=20)[0]
    model, twin = (NMF(max_iter=20, tol=0, **SETTINGS).fit(data) for data in (X, torch.from_numpy(X)))
    np.testing.assert_allclose(twin.objective_, model.objective_, rtol=1e-9)
