"""SIGKILL at random moments: what goes on from the checkpoint ends with the same bits."""

import os

import numpy as np
import pytest
from benchmarks.kills import fits, killed_until

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
FITS = fits(120, 12)


@pytest.mark.parametrize("name", FITS)
def test_a_fit_that_is_killed_three_times_ends_as_if_nothing_had_happened(name, tmp_path):
    tally = killed_until(3, FITS[name], tmp_path, np.random.default_rng(len(name)))
    assert tally.kills == 3
    assert tally.identical == tally.runs > 0
    assert tally.left == 0
