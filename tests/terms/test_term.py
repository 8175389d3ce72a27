"""What a term offers is true of its value: for every class of terms, every kind of state, every block."""

import numpy as np
import pytest
from tests.reference import forms
from tests.terms.cases import TERMS, graph, state, term_classes

from manifact.terms import Affinity, ElasticNet, Frobenius, Smoothness, Structure, gather, gather_quadratic, merged
from manifact.terms.term import total

STEP = 1e-5
INSTANCES = [(cls, index) for cls in TERMS for index in range(len(TERMS[cls]))]
#: How data of a kind are held, and whether they have both signs.
DATA = {
    "factors": [("dense", False), ("csr", False)],
    "two representations": [("dense", False), ("csr", False)],
    "concepts": [(form, signed) for form in ("dense", "csr", "kernel") for signed in (False, True)],
}
weights = pytest.mark.parametrize("weighted", [False, True])


def named(part):
    return getattr(part, "__name__", part)


def wherever(kinds, *offers):
    """All places where a term that has one of these offers can be, of such kinds of states."""
    places = [
        (cls, index, kind, form, signed)
        for cls, index in INSTANCES
        for kind in sorted(TERMS[cls][index].kinds & set(kinds))
        for form, signed in DATA[kind]
        if any(TERMS[cls][index].lacks(offer) is None for offer in offers)
    ]
    return pytest.mark.parametrize(("cls", "index", "kind", "form", "signed"), places, ids=named)


def test_no_class_of_terms_is_forgotten():
    assert set(TERMS) == term_classes()


def slope(value, s, block, direction):
    """The derivative of a value at s along a direction of one block."""
    ahead, behind = (value(s.replace(block, s[block] + sign * STEP * direction)) for sign in (1, -1))
    return (ahead - behind) / (2 * STEP)


def assert_gradient(parts, term, s, block, rng):
    """``parts``, of which the last is taken off the others, are the gradient of the value."""
    direction = rng.standard_normal(s[block].shape)
    found = slope(term.value, s, block, direction)
    if parts is None:
        assert found == pytest.approx(0, abs=1e-7)
        return
    gradient = np.broadcast_to(parts, direction.shape)
    size = abs(term.value(s))
    assert np.sum(gradient * direction) == pytest.approx(found, rel=1e-5, abs=1e-6 * size)


def assert_parts(*parts):
    for part in parts:
        assert np.min(part) >= 0


@wherever(DATA, "gradient", "quadratic")
@weights
def test_gradients_are_those_of_the_value(cls, index, kind, form, signed, weighted, rng):
    term, s = TERMS[cls][index], state(kind, form, weighted, signed)
    assert s.data.signed == signed
    for block in s.blocks:
        if term.lacks("gradient") is None:
            parts = term.gradient(s, block)
            assert_gradient(None if parts is None else parts[0] - parts[1], term, s, block, rng)
            if parts is not None and not signed:
                assert_parts(*parts)
        if term.lacks("quadratic") is None:
            parts = term.quadratic(s, block)
            assert_gradient(None if parts is None else parts[0] - parts[1] + parts[2], term, s, block, rng)
            if parts is not None:
                assert_parts(*parts[:2])


@wherever(["factors", "two representations"], "rows")
@weights
def test_row_quadratics_differ_from_the_value_by_a_constant(cls, index, kind, form, signed, weighted, rng):
    term, s = TERMS[cls][index], state(kind, form, weighted)
    for block in s.blocks:
        found, other = term.rows(s, block), s.replace(block, s[block] * rng.uniform(0.2, 3, s[block].shape))
        difference = term.value(other) - term.value(s)
        expected = 0.0
        if found is not None:
            expected = forms.row_quadratic(found, other[block]) - forms.row_quadratic(found, s[block])
        assert difference == pytest.approx(expected, rel=1e-9, abs=1e-10 * (1 + term.value(s)))


def sorted_by_sign(form, P):
    """Half of what the form's gradient adds and what it takes off, as a multiplicative step has them."""
    n, k = P.shape
    G = np.zeros((k, k)) if form.G is None else form.G
    scale, shift = (
        np.broadcast_to(part, (n,))[:, None] for part in (1.0 if form.scale is None else form.scale, form.shift)
    )
    positive, negative = scale * (P @ G) + shift * P + form.l1, np.zeros((n, k)) if form.B is None else form.B
    if form.graph is not None:
        positive = positive + form.lam * form.graph.degree(P)
        negative = negative + form.lam * form.graph.adjacency(P)
    return positive, negative


@wherever(["factors"], "rows")
@weights
def test_forms_by_sign_are_the_parts_of_the_gradient(cls, index, kind, form, signed, weighted):
    term, s = TERMS[cls][index], state(kind, form, weighted)
    if not term.rows_by_sign:
        pytest.skip("its step takes another way")
    for block in s.blocks:
        parts, rows = term.gradient(s, block), term.rows(s, block)
        assert (parts is None) == (rows is None)
        if parts is not None:
            found = sorted_by_sign(rows, s[block])
            for mine, theirs in zip(found, parts, strict=True):
                np.testing.assert_allclose(2 * mine, np.broadcast_to(theirs, mine.shape), rtol=1e-10, atol=1e-12)


@wherever(["factors", "two representations"], "bound")
@weights
def test_bounds_touch_the_value_and_are_nowhere_below_it(cls, index, kind, form, signed, weighted, rng):
    term, s = TERMS[cls][index], state(kind, form, weighted)
    for block in s.blocks:
        bound = term.bound(s, block)
        direction = rng.standard_normal(s[block].shape)
        if bound is None:
            assert slope(term.value, s, block, direction) == pytest.approx(0, abs=1e-7)
            continue
        own = slope(lambda at: forms.log_bound(bound, at[block]), s, block, direction)  # noqa: B023
        assert own == pytest.approx(slope(term.value, s, block, direction), rel=1e-5, abs=1e-6)
        gap = forms.log_bound(bound, s[block]) - term.value(s)
        for spread in (1.01, 2.0, 10.0):
            other = s.replace(block, s[block] * rng.uniform(1 / spread, spread, s[block].shape))
            assert forms.log_bound(bound, other[block]) - gap >= term.value(other) - 1e-9 * abs(term.value(s))


@pytest.mark.parametrize(("cls", "index"), INSTANCES, ids=named)
def test_two_terms_of_a_kind_are_merged_without_loss(cls, index, rng):
    """The merged terms and the two of them differ by a constant."""
    kind = "two representations" if "two representations" in TERMS[cls][index].kinds else "factors"
    one, s = TERMS[cls][index], state(kind)
    for other in TERMS[cls]:
        both = merged([one, other])
        values = []
        for _ in range(3):
            point = s
            for block in s.blocks:
                point = point.replace(block, s[block] * rng.uniform(0.5, 2, s[block].shape))
            values.append(total(both, point) - one.value(point) - other.value(point))
        np.testing.assert_allclose(values, values[0], atol=1e-9 * (abs(one.value(s)) + abs(other.value(s)) + 1))


@weights
def test_structure_has_two_splits_of_one_gradient(weighted, rng):
    (term,), s = TERMS[Structure], state(weighted=weighted)
    one, other = term.gradient(s, "V"), term.structural_gradient(s, "V")
    np.testing.assert_allclose(one[0] - one[1], other[0] - other[1], atol=1e-10)
    assert_parts(*other)
    assert term.structural_gradient(s, "U") is None


def test_gathering_adds_the_parts_up():
    s = state()
    smooth, net = Smoothness(graph("affinity"), 3.0), ElasticNet("U", 1, 1)
    positive, negative = gather([Frobenius(), smooth, net], s, "V")
    one, other = Frobenius().gradient(s, "V"), smooth.gradient(s, "V")
    np.testing.assert_array_equal(positive, one[0] + other[0])
    np.testing.assert_array_equal(negative, one[1] + other[1])
    found = gather_quadratic([Frobenius(), net], s, "U")
    for mine, first, second in zip(found, Frobenius().quadratic(s, "U"), net.quadratic(s, "U"), strict=True):
        np.testing.assert_array_equal(mine, first + second)


def test_a_block_in_no_term_has_no_gradient():
    s = state("two representations")
    assert gather([Frobenius(), ElasticNet("V", 1, 1)], s, "A") is None
    assert gather_quadratic([Smoothness(graph("affinity"), 3.0)], s, "U") is None


def test_the_objective_is_computed_once_for_a_state_and_a_sum():
    s, calls = state(), []

    class Counted(Frobenius):
        def value(self, s):
            calls.append(1)
            return super().value(s)

    terms = [Counted()]
    assert total(terms, s) == total(terms, s)
    assert len(calls) == 1
    assert total([*terms, ElasticNet("V", 1, 1)], s) > total(terms, s)
    assert total(terms, s.replace("V", 2 * s.V)) != total(terms, s)


def test_terms_that_cannot_be_added_are_both_kept():
    far = Affinity(np.eye(24)[:, :3], 0.5)
    near = TERMS[Affinity][0]
    assert merged([near, far]) == [near, far]
    on_V, on_U = TERMS[ElasticNet]
    assert merged([on_V, on_U, on_V])[1] is on_U
    assert merged([on_V, on_U, on_V])[0].l1 == 2 * on_V.l1
