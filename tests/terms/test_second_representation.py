import numpy as np
import pytest
from tests.terms.cases import TERMS, embedding, state

from manifact.baselines.npnmf import Reconstruction
from manifact.solvers.multiplicative import multiplicative
from manifact.terms import (
    Affinity,
    ElasticNet,
    Frobenius,
    KullbackLeibler,
    OnSecond,
    SimplexBasis,
    State,
    gather,
)


@pytest.mark.parametrize("term", [Frobenius(), KullbackLeibler(), ElasticNet("V", 0.7, 1.3)])
def test_a_term_sees_the_second_representation(term):
    s = state("two representations", weighted=True)
    assert OnSecond(term).value(s) == term.value(State(s.data, s.U, s.A))


@pytest.mark.parametrize(
    ("term", "need", "sentence"),
    [
        (Affinity(embedding(), 1.0), "rows", "no quadratic form row by row"),
        (Frobenius(), "bound", "no bound of the form"),
        # The term has it, with V; nobody has asked for it with A.
        (ElasticNet("V", 1.0, 1.0), "bound", "no bound of the form"),
        (OnSecond(Frobenius()), "gradient", "OnSecond(Frobenius) is not defined for X ~ A Uᵀ"),
        (SimplexBasis(), "gradient", "constraints hold factors by their names"),
    ],
)
def test_it_lacks_what_its_term_lacks_and_what_it_does_not_offer_itself(term, need, sentence):
    assert sentence in OnSecond(term).lacks(need)


def test_it_says_what_it_is():
    assert str(OnSecond(Frobenius())) == "OnSecond(Frobenius)"


def test_penalties_on_it_add_up():
    both = OnSecond(ElasticNet("V", 1.0, 2.0)).added(OnSecond(ElasticNet("V", 0.5, 0.0)))
    assert both.term.l1 == 1.5
    assert OnSecond(ElasticNet("V", 1.0, 2.0)).added(OnSecond(Frobenius())) is None
    assert OnSecond(ElasticNet("V", 1.0, 2.0)).added(OnSecond(ElasticNet("U", 1.0, 2.0))) is None


def test_its_steps_take_the_powers_of_its_term():
    (term,) = TERMS[Reconstruction]
    assert term.powers == {"V": 0.5}
    assert OnSecond(term).powers == {"A": 0.5}
    s = state("two representations")
    after, _ = multiplicative([Frobenius(), OnSecond(Frobenius()), OnSecond(term)], s, {})
    positive, negative = gather([OnSecond(Frobenius()), OnSecond(term)], s, "A")
    np.testing.assert_allclose(after.A, s.A * np.sqrt(negative / positive))
