"""A solver says what it needs, and refuses before any work what it cannot minimise."""

import pytest
from tests.solvers.cases import SUMS, start_of
from tests.terms.cases import TERMS, embedding, graph, state

from manifact.baselines.sparse_nmf import Sparseness
from manifact.solvers.all_solvers import SOLVERS
from manifact.solvers.solver import Solver
from manifact.terms import (
    Affinity,
    ElasticNet,
    EntropicSmoothness,
    Frobenius,
    KullbackLeibler,
    Locality,
    Loss,
    OnSecond,
    Redundancy,
    Repulsion,
    SimplexBasis,
    Smoothness,
    Structure,
    Term,
    gather_forms,
)
from manifact.utils.errors import BadValueError

ROWS = "no quadratic form row by row"
BOUND = "no bound of the form a v − c log v"
LEAVES = "steps would leave the set that U must stay in"
ELSEWHERE = "it is not defined for X ~ V Uᵀ"
LANDMARKS = "its near graph is a LandmarkOperator, whose edges are not listed: use KNNGraph"
FAR = Repulsion(graph("far"), 1.0)
UNSUITABLE = {
    ("mu", "factors"): [(OnSecond(Frobenius()), ELSEWHERE), (Structure(graph("landmark"), 1.0, FAR), LANDMARKS)],
    ("mu", "two representations"): [(OnSecond(SimplexBasis()), "constraints hold factors by their names")],
    ("mu", "concepts"): [
        (KullbackLeibler(), "it is not defined for X ~ V CᵀX"),
        (SimplexBasis(), "it is not defined for X ~ V CᵀX"),
        (OnSecond(Frobenius()), "it is not defined for X ~ V CᵀX"),
    ],
    ("bcd", "factors"): [
        (Locality(1.0), ROWS),
        (EntropicSmoothness(graph("knn"), 1.0), ROWS),
        (FAR, ROWS),
        (Structure(graph("knn"), 1.0, FAR), ROWS),
        (Affinity(embedding(), 1.0), ROWS),
        (SimplexBasis(), LEAVES),
        (Sparseness("U", 0.5), LEAVES),
        (OnSecond(Frobenius()), ELSEWHERE),
    ],
    ("newton", "factors"): [
        (Smoothness(graph("knn"), 1.0), BOUND),
        (Redundancy(1.0), BOUND),
        (Locality(1.0), BOUND),
        (SimplexBasis(), LEAVES),
        (OnSecond(Frobenius()), ELSEWHERE),
    ],
    ("simplex", "factors"): [
        (Locality(1.0), "Locality has no quadratic form row by row"),
        (EntropicSmoothness(graph("knn"), 1.0), "EntropicSmoothness has no quadratic form row by row"),
        (Affinity(embedding(), 1.0), "Affinity has no quadratic form row by row"),
        (Sparseness("U", 0.5), LEAVES),
        (OnSecond(Frobenius()), ELSEWHERE),
    ],
    ("affinity", "two representations"): [
        (Locality(1.0), ROWS),
        (EntropicSmoothness(graph("knn"), 1.0), ROWS),
        (FAR, ROWS),
        (SimplexBasis(), LEAVES),
        (Smoothness(graph("knn"), 1.0), "Smoothness of V has no exact step beside Affinity"),
        (OnSecond(Locality(1.0)), ROWS),
    ],
    ("columns", "factors"): [
        (Locality(1.0), ROWS),
        (SimplexBasis(), LEAVES),
        (ElasticNet("V", 1.0, 1.0), "ElasticNet is neither the loss nor a constraint of sparseness"),
        (Smoothness(graph("knn"), 1.0), "Smoothness is neither the loss nor a constraint of sparseness"),
    ],
}
UNSUITABLE["projected", "factors"] = UNSUITABLE["columns", "factors"]
CASES = [(name, kind, term, sentence) for (name, kind), cases in UNSUITABLE.items() for term, sentence in cases]


def suitable(name, kind):
    """A sum that this solver accepts on such a state."""
    return SUMS[name][1] if name in SUMS and SUMS[name][0] == kind else [Frobenius()]


def refused(name, kind, terms, sentence, signed=False):
    s = state(kind, signed=signed)
    with pytest.raises(BadValueError) as refusal:
        SOLVERS[name].refuse(terms, kind, s.data)
    assert str(refusal.value).startswith(f"solver={name!r} ")
    assert sentence in str(refusal.value)
    return str(refusal.value)


@pytest.mark.parametrize(("name", "kind", "term", "sentence"), CASES)
def test_an_unsuitable_term_is_named(name, kind, term, sentence):
    terms = suitable(name, kind)
    SOLVERS[name].refuse(terms, kind, state(kind).data)
    message = refused(name, kind, [*terms, term] if not isinstance(term, Loss) else [term], sentence)
    assert str(term) in message


@pytest.mark.parametrize("name", ["bcd", "newton", "simplex", "affinity", "columns", "projected"])
def test_exact_solvers_take_one_loss(name):
    kind = "two representations" if name == "affinity" else "factors"
    terms = suitable(name, kind)
    (loss,) = (term for term in terms if isinstance(term, Loss))
    refused(name, kind, [*terms, loss], f"needs one loss, got {loss}, {loss}: choose 'mu'")
    refused(name, kind, [*terms, KullbackLeibler()], f"needs one loss, got {loss}, KullbackLeibler: choose 'mu'")
    refused(name, kind, [term for term in terms if term is not loss], "needs one loss, got none")


@pytest.mark.parametrize("name", SOLVERS)
def test_other_kinds_of_states_are_refused(name):
    kinds = SOLVERS[name].kinds
    sentences = {
        "factors": "does not work on X ~ V Uᵀ: choose another solver",
        "two representations": "does not work on X ~ V Uᵀ and X ~ A Uᵀ: choose another solver",
        "concepts": "does not work on X ~ V CᵀX: choose another solver",
    }
    for kind, sentence in sentences.items():
        if kind not in kinds:
            refused(name, kind, [Frobenius()], sentence)
    assert (len(kinds) == 3) == (name == "mu")


def test_a_kernel_of_both_signs_needs_quadratic_forms():
    terms = [Frobenius(), EntropicSmoothness(graph("knn"), 1.0)]
    SOLVERS["mu"].refuse(terms, "concepts", state("concepts").data)
    sentence = "cannot minimise a sum with EntropicSmoothness: no quadratic form for matrices of any sign"
    refused("mu", "concepts", terms, sentence, signed=True)


@pytest.mark.parametrize("name", ["mu", "columns", "projected"])
def test_two_sets_for_one_factor_are_refused(name):
    one, other = Sparseness("U", 0.5), Sparseness("U", 0.7)
    SOLVERS[name].refuse([Frobenius(), one, Sparseness("U", 0.5), Sparseness("V", 0.7)], "factors", state().data)
    refused(name, "factors", [Frobenius(), one, other], "Sparseness and Sparseness both constrain U, keep one of them")


def test_a_simplex_is_asked_for():
    refused("simplex", "factors", [Frobenius()], "it keeps basis vectors on the simplex, add SimplexBasis")


def test_a_solver_for_the_host_refuses_other_arrays():
    class Elsewhere:
        backend = type("Backend", (), {"__name__": "manifact.backends.torch"})
        signed = False

    with pytest.raises(BadValueError, match="solver='columns' works on NumPy and SciPy arrays"):
        SOLVERS["columns"].refuse([Frobenius()], "factors", Elsewhere())


@pytest.mark.parametrize("cls", TERMS)
@pytest.mark.parametrize("name", SOLVERS)
def test_what_is_accepted_can_be_stepped(cls, name):
    """Every solver on every class of terms: refused with its name, or a step is made."""
    for term in TERMS[cls]:
        for kind in sorted(SOLVERS[name].kinds):
            s, terms = state(kind), [*suitable(name, kind)]
            if isinstance(term, Loss):
                terms = [other for other in terms if not isinstance(other, Loss)]
            terms.append(term)
            try:
                SOLVERS[name].refuse(terms, kind, s.data)
            except BadValueError as refusal:
                assert str(term) in str(refusal)  # noqa: PT017
            else:
                after, _ = SOLVERS[name].step(terms, SOLVERS[name].begin(terms, s), {})
                assert type(after) is type(s)


def test_a_solver_is_one_function_and_what_it_needs():
    """One declared outside the package, for terms that it knows, is a solver like all others."""

    class Toy(Term):
        def value(self, s):
            return 0.0

    def step(terms, s, memory):
        form = gather_forms(terms[:1], "rows", s, "V")
        return s.replace("V", form.lowered(s.V, 1)), memory

    toy = Solver("toy", step, needs="rows", knows=(Toy,))
    terms, _, s = start_of("mu")
    toy.refuse([*terms, Toy()], "factors", s.data)
    with pytest.raises(BadValueError, match="solver='toy' cannot minimise a sum with Locality"):
        toy.refuse([*terms, Locality(1.0)], "factors", s.data)


def test_solvers_that_step_down_one_loss_take_one():
    data = state("factors").data
    for name in ("bcd", "newton", "simplex", "affinity"):
        for terms, given in (([], "none"), ([Frobenius(), Frobenius()], "Frobenius, Frobenius")):
            with pytest.raises(BadValueError, match=f"solver='{name}' needs one loss, got {given}: choose 'mu'"):
                SOLVERS[name].refuse(terms, SUMS[name][0], data)
