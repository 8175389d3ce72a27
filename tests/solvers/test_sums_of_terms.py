"""Random sums of terms: a solver lowers exactly the objective that is reported, or refuses and names the term."""

from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.conftest import KINDS, problem
from tests.terms.cases import STATES, embedding, graph

from manifact.backends import as_data, as_gram
from manifact.baselines.sparse_nmf import Sparseness
from manifact.solvers import momentum, newton
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.engine import run
from manifact.solvers.line_search import backtrack
from manifact.terms import (
    Affinity,
    ConceptState,
    ElasticNet,
    EntropicSmoothness,
    Frobenius,
    KullbackLeibler,
    Locality,
    Loss,
    OnSecond,
    Orthogonality,
    Redundancy,
    Repulsion,
    SimplexBasis,
    Smoothness,
    State,
    Structure,
    TwofoldState,
    total,
)
from manifact.utils.errors import BadValueError

ITERATIONS = 6
many = settings(max_examples=150)
#: Simplest first: hypothesis draws the first most often.
STRENGTHS = [1.0, 0.01, 100.0, 0.0]
GRAPHS = ["knn", "landmark", "labels", "sum"]
PENALTIES = {"ElasticNet", "Redundancy", "Orthogonality"}
#: What each solver takes beside one loss of its own, by the kind of states; "second": in OnSecond.
ACCEPTS = {
    ("bcd", "factors"): {"Smoothness", *PENALTIES},
    ("newton", "factors"): {"EntropicSmoothness", "ElasticNet"},
    ("simplex", "factors"): {"Smoothness", "Repulsion", "Structure", "SimplexBasis", *PENALTIES},
    ("affinity", "two representations"): {"Smoothness", "Affinity", *PENALTIES},
}
LOSS = {"bcd": Frobenius, "newton": KullbackLeibler, "simplex": Frobenius, "affinity": Frobenius}
#: Sums for which the multiplicative rule is the minimum of a bound.
BOUNDED_BY_MU = {"Smoothness", "Locality", *PENALTIES}


@dataclass(frozen=True)
class Problem:
    """A start, and what terms on its samples need."""

    state: State
    seed: int

    @property
    def n(self):
        return len(self.state.V)


@st.composite
def problems(draw, kinds):
    kind, seed = draw(st.sampled_from(kinds)), draw(st.integers(0, 2**16))
    n, m, k = draw(st.integers(4, 14)), draw(st.integers(1, 9)), draw(st.integers(1, 4))
    X, _, V, U = problem(seed, n, m, k, draw(st.floats(0.1, 1)))
    X = X * 10.0 ** draw(st.integers(-2, 2))
    rng = np.random.default_rng(seed)
    gamma = draw(st.sampled_from([None, rng.random(n) + 0.01, np.arange(n) % 3.0]))
    form = KINDS[draw(st.sampled_from(["dense", "csr"]))]
    if kind == "concepts":
        X = X - draw(st.sampled_from([0.0, 0.3])) * X.max()
        return Problem(ConceptState(as_gram(form(X), gamma), rng.random(V.shape) + 0.1, V), seed)
    data = as_data(form(X), gamma)
    start = State(data, U, V) if kind == "factors" else TwofoldState(data, U, V, rng.random(V.shape) + 0.1)
    return Problem(start, seed)


def make(name, draw, case):
    """A term of this class for the samples of a problem."""
    lam, n = draw(st.sampled_from(STRENGTHS)), case.n

    def drawn(names):
        return graph(draw(st.sampled_from(names)), n, case.seed % 5)

    match name:
        case "Frobenius" | "KullbackLeibler" | "SimplexBasis":
            return {"Frobenius": Frobenius, "KullbackLeibler": KullbackLeibler, "SimplexBasis": SimplexBasis}[name]()
        case "Smoothness":
            return Smoothness(drawn(GRAPHS), lam)
        case "EntropicSmoothness":
            return EntropicSmoothness(drawn(GRAPHS), lam)
        case "ElasticNet":
            return ElasticNet(draw(st.sampled_from("VU")), lam, draw(st.sampled_from(STRENGTHS)))
        case "Redundancy":
            return Redundancy(lam)
        case "Orthogonality":
            return Orthogonality(lam)
        case "Locality":
            return Locality(lam)
        case "Repulsion":
            return Repulsion(drawn(["far", "affinity"]), lam)
        case "Structure":
            return Structure(drawn(["knn", "landmark"]), lam, Repulsion(drawn(["far", "affinity"]), lam))
        case "Affinity":
            return Affinity(draw(st.sampled_from([1.0, 3.0])) * embedding(n), lam)
        case "Sparseness":
            return Sparseness(draw(st.sampled_from("VU")), 0.5)
    raise AssertionError(name)


@st.composite
def sums(draw, solver):
    """A start and a sum that the solver accepts."""
    (kind,) = [kind for name, kind in ACCEPTS if name == solver]
    case = draw(problems([kind]))
    names = draw(st.lists(st.sampled_from(sorted(ACCEPTS[solver, kind])), max_size=5))
    if solver == "affinity" and "Affinity" in names:
        names = [name for name in names if name != "Smoothness"]
    terms = [make(name, draw, case) for name in names]
    if solver == "simplex":
        terms.append(SimplexBasis())
    if kind == "two representations" and draw(st.booleans()):
        inner = draw(st.lists(st.sampled_from(["Smoothness", *sorted(PENALTIES)]), max_size=3))
        terms += [OnSecond(Frobenius()), *(OnSecond(make(name, draw, case)) for name in inner)]
    # Some of them twice.
    terms += draw(st.lists(st.sampled_from(terms), max_size=2)) if terms and kind == "factors" else []
    return case, draw(st.permutations([LOSS[solver](), *terms]))


def rounding(terms, s):
    """What may be lost of the digits of an objective."""
    size = s.data.square_sum + sum(abs(term.value(s)) for term in terms)
    if any(isinstance(term, KullbackLeibler) for term in terms):
        size += s.data.entry_sum + abs(s.data.entropy_sum)
    return 1e-10 * size + 1e-300


@contextmanager
def bare_steps():
    """Steps without momentum, and without a safeguard that takes back those that rise."""

    def plain(trial, values, limit, first, **settings):
        return (trial(0.0), 0.0) if np.ndim(first) == 0 else backtrack(trial, values, limit, first, **settings)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(momentum, "FIRST", 0.0)
        for module in (momentum, newton):
            patch.setattr(module, "backtrack", plain)
        yield


def assert_descends(case, terms, solver):
    """The trace of a run never rises, is that of the sum, and is none that only a safeguard keeps down."""
    start = solver.begin(terms, case.state)
    noise = rounding(terms, start)
    for steps in (nullcontext, bare_steps):
        with steps():
            result = run(start, terms, solver, max_iter=ITERATIONS, tol=0)
        falls = -np.diff(result.objective)
        assert (falls >= -noise).all()
        assert falls[0] > 0 or result.objective[0] <= noise
        assert result.objective[-1] == pytest.approx(sum(term.value(result.state) for term in terms), abs=noise)
        assert all(result.state[block].min() >= 0 for block in start.blocks)
    # The engine gives solvers one term in place of several of a kind; they need no such help.
    step, _ = solver.step(terms, start, {})
    assert total(terms, step) == pytest.approx(run(start, terms, solver, max_iter=1, tol=0).objective[1], abs=noise)


@pytest.mark.filterwarnings("ignore:.*parts had become empty")
@pytest.mark.parametrize("solver", list(LOSS))
def test_a_step_never_raises_the_objective_that_is_reported(solver):
    @many
    @given(sums(solver))
    def check(drawn):
        case, terms = drawn
        assert_descends(case, terms, SOLVERS[solver])

    check()


@st.composite
def bounded_sums(draw):
    """A start and a sum for which the multiplicative rule is the minimum of a bound."""
    case = draw(problems(list(STATES)))
    if case.state.kind != "concepts" and draw(st.booleans()):
        penalties = [
            ElasticNet(block, draw(st.sampled_from(STRENGTHS)), 0.0) for block in draw(st.text("VU", max_size=3))
        ]
        return case, draw(st.permutations([KullbackLeibler(), *penalties]))
    terms = [make(name, draw, case) for name in draw(st.lists(st.sampled_from(sorted(BOUNDED_BY_MU)), max_size=5))]
    terms += [Frobenius()] * draw(st.integers(1, 2))
    if case.state.kind == "two representations":
        terms += map(OnSecond, draw(st.lists(st.sampled_from(terms), max_size=3)))
    return case, draw(st.permutations(terms))


@many
@given(bounded_sums())
def test_multiplicative_steps_do_not_rise_where_they_minimise_a_bound(drawn):
    case, terms = drawn
    assert_descends(case, terms, SOLVERS["mu"])


#: Every class of terms that a sum may have, in OnSecond as well.
EVERYTHING = ["Frobenius", "KullbackLeibler", "Locality", "Sparseness", *sorted(set().union(*ACCEPTS.values()))]


@st.composite
def altered_sums(draw, solver):
    """A start and a sum that the solver accepts, but that a term was added or left out, or the state is another."""
    case, terms = draw(sums(solver))
    terms = list(terms)
    if draw(st.booleans()):
        added = make(draw(st.sampled_from(EVERYTHING)), draw, case)
        terms.insert(draw(st.integers(0, len(terms))), OnSecond(added) if draw(st.booleans()) else added)
    elif draw(st.booleans()):
        terms.pop(draw(st.integers(0, len(terms) - 1)))
    else:
        case = draw(problems(list(STATES)).filter(lambda other: other.n == case.n))
    return case, terms


def expected_refusals(solver, case, terms):
    """What a refusal may say: what is wrong with the loss, or the name of a term; nothing where the sum is accepted."""
    kind = case.state.kind
    if (solver, kind) not in ACCEPTS:
        return ["does not work on"]
    if sum(isinstance(term, Loss) for term in terms) != 1:
        return ["needs one loss"]
    allowed = ACCEPTS[solver, kind] | {LOSS[solver].__name__}
    if kind == "two representations":
        allowed |= {f"OnSecond({name})" for name in allowed - {"Affinity"}}
    wrong = [f"{term}" for term in terms if str(term) not in allowed]
    return wrong or expected_problems(solver, terms)


def expected_problems(solver, terms):
    """What is wrong with a sum none of whose terms is."""
    names = [str(term) for term in terms]
    if solver == "simplex" and "SimplexBasis" not in names:
        return ["add SimplexBasis"]
    if solver == "affinity" and {"Affinity", "Smoothness"} <= set(names):
        return ["Smoothness of V has no exact step beside Affinity"]
    on_second = [name for name in names if name.startswith("OnSecond")]
    if on_second and on_second.count("OnSecond(Frobenius)") != 1:
        return ["the second representation needs one loss"]
    return []


@pytest.mark.filterwarnings("ignore:.*parts had become empty")
@pytest.mark.parametrize("solver", list(LOSS))
def test_what_a_solver_cannot_minimise_is_refused_by_name_and_everything_else_falls(solver):
    @many
    @given(altered_sums(solver))
    def check(drawn):
        case, terms = drawn
        sentences = expected_refusals(solver, case, terms)
        if not sentences:
            assert_descends(case, terms, SOLVERS[solver])
            return
        with pytest.raises(BadValueError) as refusal:
            run(case.state, terms, SOLVERS[solver], max_iter=1, tol=0)
        assert f"solver={solver!r}" in str(refusal.value)
        assert any(sentence in str(refusal.value) for sentence in sentences)

    check()
