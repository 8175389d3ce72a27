from dataclasses import replace

import numpy as np
import pytest
from tests.solvers.cases import SUMS, assert_same_memory, assert_same_state, start_of
from tests.terms.cases import graph

from manifact.solvers.engine import run
from manifact.solvers.solver import Solver
from manifact.terms import ElasticNet, Frobenius, Smoothness, total


def test_tol_zero_runs_exactly_max_iter():
    terms, solver, state = start_of("mu")
    result = run(state, terms, solver, max_iter=37, tol=0)
    assert result.n_iter == 37
    assert len(result.objective) == 38
    assert result.reason == "max_iter"
    assert not result.converged


def test_the_tolerance_is_over_ten_iterations():
    terms, solver, state = start_of("mu")
    result = run(state, terms, solver, max_iter=5000, tol=1e-3)
    o = result.objective
    assert result.converged
    assert o[-11] - o[-1] <= 1e-3 * o[-11]
    assert o[-12] - o[-2] > 1e-3 * o[-12]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", ["dense", "csr"])
@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("half", [1, 8])
def test_a_run_in_two_halves_is_the_run(name, form, weighted, half):
    terms, solver, state = start_of(name, form, weighted)
    whole = run(state, terms, solver, max_iter=20, tol=0)
    first = run(state, terms, solver, max_iter=half, tol=0)
    rest = run(first.state, terms, solver, max_iter=20, tol=0, history=first.objective, memory=first.memory)
    np.testing.assert_array_equal(whole.objective, rest.objective)
    assert_same_state(whole.state, rest.state)
    assert_same_memory(whole.memory, rest.memory)


@pytest.mark.parametrize("name", ["bcd", "newton", "affinity"])
def test_without_its_memory_a_solver_goes_another_way(name):
    """Or the test above would show nothing."""
    terms, solver, state = start_of(name)
    whole = run(state, terms, solver, max_iter=20, tol=0)
    first = run(state, terms, solver, max_iter=8, tol=0)
    rest = run(first.state, terms, solver, max_iter=20, tol=0, history=first.objective)
    assert first.memory
    assert not np.array_equal(whole.state.V, rest.state.V)


def test_callbacks_see_every_iterate_and_can_stop():
    terms, solver, state = start_of("bcd")
    seen = []

    def look(iteration):
        assert iteration.objective[-1] == pytest.approx(total(terms, iteration.state))
        seen.append((iteration.number, iteration.memory.get("rate")))
        return iteration.number == 4

    result = run(state, terms, solver, max_iter=20, tol=0, callbacks=[look])
    assert [number for number, _ in seen] == [0, 1, 2, 3, 4]
    assert seen[0][1] is None
    assert seen[4][1] == result.memory["rate"]
    assert result.reason == "callback"
    assert result.n_iter == 4


def test_an_interrupt_keeps_the_last_iterate_and_what_was_remembered_there():
    terms, solver, state = start_of("bcd")
    expected = run(state, terms, solver, max_iter=5, tol=0)
    calls = []

    def interrupted(terms, s, memory):
        calls.append(1)
        if len(calls) == 6:
            raise KeyboardInterrupt
        return solver.step(terms, s, memory)

    result = run(state, terms, replace(solver, step=interrupted), max_iter=20, tol=0)
    assert result.reason == "interrupted"
    np.testing.assert_array_equal(result.objective, expected.objective)
    assert_same_state(result.state, expected.state)
    assert_same_memory(result.memory, expected.memory)


def test_a_broken_objective_is_reported():
    terms, _, state = start_of("mu")
    broken = Solver("broken", lambda terms, s, memory: (s.replace("V", s.V * np.nan), memory), needs="gradient")
    with pytest.raises(FloatingPointError, match="after iteration 1: rescale X"):
        run(state, terms, broken, max_iter=3, tol=0)


def test_only_a_device_that_is_full_is_told_as_such(monkeypatch):
    terms, _, state = start_of("mu")

    def fails(terms, s, memory):
        raise RuntimeError("no such device")

    failing = Solver("failing", fails, needs="gradient")
    with pytest.raises(RuntimeError, match="no such device"):
        run(state, terms, failing, max_iter=3, tol=0)
    monkeypatch.setattr(type(state.data), "out_of_memory", lambda data, trouble, k: f"{k} parts are too many")
    with pytest.raises(MemoryError, match="4 parts are too many"):
        run(state, terms, failing, max_iter=3, tol=0)


def test_a_sum_is_refused_before_any_work():
    _, solver, state = start_of("bcd")

    class Unsuitable(Frobenius):
        rows = property()

        def value(self, s):
            pytest.fail("work was done")

    callbacks = [lambda iteration: pytest.fail("a callback was called")]
    with pytest.raises(ValueError, match="cannot minimise a sum with Unsuitable"):
        run(state, [Unsuitable()], solver, max_iter=3, tol=0, callbacks=callbacks)


def test_the_objective_is_that_of_the_terms_as_they_are():
    """Several terms of a kind are one to the solver; the trace is that of all of them."""
    _, solver, state = start_of("bcd")
    terms = [
        Frobenius(),
        *[Smoothness(graph(name), 0.2) for name in ("knn", "labels", "knn")],
        *[ElasticNet("V", 0.1, 0)] * 2,
    ]
    result = run(state, terms, solver, max_iter=5, tol=0)
    assert result.objective[-1] == pytest.approx(sum(term.value(result.state) for term in terms), rel=1e-12)
    assert (np.diff(result.objective) < 0).all()
