import pickle

import pytest

from manifact.utils import checks
from manifact.utils.errors import (
    BadTypeError,
    BadValueError,
    MissingPackageError,
    Parameter,
    Sentence,
    TooLargeError,
    worded,
)


def dashed(parameter):
    return f"--{parameter.replace('_', '-')}"


def test_parameters_are_renamed_and_values_are_not():
    error = BadValueError("{max_iter}={!r} is not {}, see {max_iter}.csv", "max_iter", "max_iter=3")
    assert str(error) == "max_iter='max_iter' is not max_iter=3, see max_iter.csv"
    assert worded(error, dashed) == "--max-iter='max_iter' is not max_iter=3, see --max-iter.csv"


def test_values_with_braces_are_only_values():
    assert str(BadValueError("{init}={!r}: {}", "{tol}", "{0}")) == "init='{tol}': {0}"


def test_formats_and_braces_of_the_sentence():
    assert str(Sentence("{tol}={:g} is not in {{0, 1}}, {!r:>5}", 1e-3, "a")) == "tol=0.001 is not in {0, 1},   'a'"


def test_what_is_no_error_of_ours_keeps_its_words():
    assert worded(ValueError("max_iter.csv is empty"), dashed) == "max_iter.csv is empty"


def test_sentences_within_sentences():
    remedy = Sentence("use {init}={!r}", "random") + " or a number"
    error = TooLargeError("{} is too large: {}", "init.npy", remedy)
    assert worded(error, dashed) == "init.npy is too large: use --init='random' or a number"
    assert worded(BadValueError(remedy.edited(str.upper)), dashed) == "USE --init='RANDOM' OR A NUMBER"


@pytest.mark.parametrize(
    ("kind", "base"),
    [
        (BadValueError, ValueError),
        (BadTypeError, TypeError),
        (TooLargeError, MemoryError),
        (MissingPackageError, ImportError),
    ],
)
def test_they_are_what_python_users_catch_and_travel_between_processes(kind, base):
    error = kind("{n_init}={!r} of {}", {1}, Parameter("starts"))
    assert isinstance(error, base)
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (kind, "n_init={1} of starts")
    assert worded(again, dashed) == "--n-init={1} of --starts"


@pytest.mark.parametrize(
    ("check", "sentence"),
    [
        (lambda: checks.option("init", "max_iter", ["tol"]), "--init='max_iter' is not known: choose one of 'tol'"),
        (lambda: checks.integer("max_iter", 1.5, 0), "--max-iter=1.5 must be an integer >= 0"),
        (lambda: checks.integer("max_iter", -1, 0), "--max-iter=-1 must be an integer >= 0"),
        (lambda: checks.real("tol", "tol", at_least=0), "--tol='tol' must be a number >= 0"),
        (
            lambda: checks.real("tol", float("nan"), above=0, at_most=1),
            "--tol=nan must be a finite number > 0 and <= 1",
        ),
    ],
)
def test_checks_know_their_parameter(check, sentence):
    with pytest.raises((ValueError, TypeError)) as caught:
        check()
    assert worded(caught.value, dashed) == sentence
    assert str(caught.value) == sentence.replace("--", "").replace("max-iter", "max_iter")
