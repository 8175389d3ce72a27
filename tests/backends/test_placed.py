"""Copies beside arrays of other devices, made once."""

import pickle

import numpy as np
import pytest

from manifact.backends import Placed


def test_the_host_needs_no_copy():
    P = np.ones(3)
    assert Placed(P).beside(np.zeros(1)) is P


def test_a_copy_is_made_once_and_not_pickled():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install torch")
    held = Placed(np.ones(3))
    assert held.beside(torch.zeros(1)) is held.beside(torch.zeros(2))
    again = pickle.loads(pickle.dumps(held))
    assert again._copies == {}
    np.testing.assert_array_equal(again.array, held.array)
