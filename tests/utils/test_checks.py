import numpy as np
import pytest

from manifact.utils import checks


def test_options_are_compared_by_name_or_identity():
    checks.option("how", "a", ("a", None))
    checks.option("how", None, ("a", None))
    for bad in ("b", 1, np.array(["a"]), True):
        with pytest.raises(ValueError, match="is not known: choose one of 'a', None"):
            checks.option("how", bad, ("a", None))


@pytest.mark.parametrize("value", [1.0, "1", None, True, np.True_])
def test_integers_are_integers(value):
    with pytest.raises(TypeError, match="must be an integer >= 1"):
        checks.integer("n", value, at_least=1)


def test_bounds():
    checks.integer("n", np.int64(1), at_least=1)
    checks.real("x", np.float32(0.5), above=0, at_most=1)
    with pytest.raises(ValueError, match="x=2 must be a finite number > 0 and <= 1"):
        checks.real("x", 2, above=0, at_most=1)
    with pytest.raises(ValueError, match="x=inf must be a finite number >= 0"):
        checks.real("x", np.inf, at_least=0)
    with pytest.raises(TypeError, match="x='a' must be a number"):
        checks.real("x", "a")
