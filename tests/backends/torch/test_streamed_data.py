"""Data that are walked over block by block give what they give in one piece."""

import numpy as np
import pytest
from scipy import sparse
from tests.conftest import problem

torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")

from manifact.backends import as_data, on_host  # noqa: E402
from manifact.backends.torch.host_samples import HostSamples  # noqa: E402
from manifact.backends.torch.placement import placed  # noqa: E402
from manifact.solvers import all_solvers  # noqa: E402, F401
from manifact.solvers.engine import run  # noqa: E402
from manifact.solvers.solver import SOLVERS  # noqa: E402
from manifact.terms import Frobenius, KullbackLeibler  # noqa: E402
from manifact.terms.state import State  # noqa: E402

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
KINDS = {"dense": np.asarray, "sparse": sparse.csr_array}


@pytest.fixture(params=KINDS)
def X(request):
    return KINDS[request.param](problem(n=50)[0])


def both(X, weight=None):
    streamed = as_data(HostSamples(X, DEVICE, 600), weight)
    return streamed, as_data(placed(X, DEVICE), weight)


def close(mine, expected):
    torch.testing.assert_close(torch.as_tensor(mine), torch.as_tensor(expected), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_every_pass_is_that_over_the_whole(X, weighted):
    weight = np.linspace(0, 2, 50) if weighted else None
    mine, whole = both(X, weight)
    assert len(mine._samples.ranges) > 3
    V, U = (torch.as_tensor(P, device=DEVICE) for P in problem(n=50)[2:])
    close(mine.times(U), whole.times(U))
    close(mine.times_transposed(V), whole.times_transposed(V))
    for one, other in zip(mine.ratio_times(U, V), whole.ratio_times(U, V), strict=True):
        close(one, other)
    close(mine.ratio_times_transposed(U, V), whole.ratio_times_transposed(U, V))
    for name in ("row_squares", "squares", "square_sum", "entry_sum", "entropy_sum"):
        close(getattr(mine, name), getattr(whole, name))
    close(mine.row(7), whole.row(7))
    assert mine.signed == whole.signed
    close(mine.settled(-1.0, U, V), whole.settled(-1.0, U, V))


def test_projections_take_their_own_rows_along(X):
    mine, whole = both(X)
    V, U = (torch.as_tensor(P, device=DEVICE) for P in problem(n=50)[2:])
    held = torch.linspace(0, 1, 50, dtype=torch.float64, device=DEVICE)
    for pull, shift in ((None, 0.1), (V, held)):
        close(mine.project_least_squares(U, U.T @ U, pull, shift, 0.1),
              whole.project_least_squares(U, U.T @ U, pull, shift, 0.1))  # fmt: skip
        close(mine.project_divergence(U, pull, shift, 0.1, 0.0), whole.project_divergence(U, pull, shift, 0.1, 0.0))


def test_halves_are_those_of_the_whole(X):
    mine, whole = both(X - 0.3 if isinstance(X, np.ndarray) else -X)
    assert mine.signed
    U = torch.as_tensor(problem(n=50)[3], device=DEVICE)
    for one, other in zip(mine.halves(), whole.halves(), strict=True):
        close(one.times(U), other.times(U))


def test_blocks_are_all_rows_once_and_dense_ones_are_given_to_losses(X):
    mine, _whole = both(X)
    ends = [stop for _, stop in mine._samples.ranges]
    assert [start for start, _ in mine._samples.ranges] == [0, *ends[:-1]]
    assert ends[-1] == 50
    if sparse.issparse(X):
        with pytest.raises(TypeError, match="dense X"):
            list(mine.dense_blocks())
    else:
        close(torch.cat([block for _, block in mine.dense_blocks()]).cpu(), X)
        assert [rows.start for rows, _ in mine.dense_blocks()] == [0, *ends[:-1]]


@pytest.mark.parametrize(("solver", "loss"), [("mu", KullbackLeibler()), ("bcd", Frobenius())])
def test_a_run_is_that_over_the_whole(X, solver, loss):
    V, U = (torch.as_tensor(P, device=DEVICE) for P in problem(n=50)[2:])
    streamed, whole = (run(State(data, U, V), [loss], SOLVERS[solver], max_iter=10, tol=0) for data in both(X))
    np.testing.assert_allclose(streamed.objective, whole.objective, rtol=1e-10)
    close(streamed.state.V, whole.state.V)


def test_empty_samples_at_the_end_are_somebodys():
    X = sparse.csr_array(np.vstack([problem(n=20)[0], np.zeros((3, 17))]))
    mine, whole = both(X)
    U = torch.as_tensor(problem()[3], device=DEVICE)
    assert mine.times(U).shape == (23, 4)
    close(mine.times(U), whole.times(U))


def test_the_host_keeps_the_samples(X):
    samples = HostSamples(X, DEVICE, 600)
    back = on_host(samples)
    assert type(back) is type(X)
    assert not (back != X).sum()
