"""Figures without a window, closed after each test."""

import pytest

matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
matplotlib.use("Agg")


@pytest.fixture
def ax():
    """An Axes to draw on."""
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


@pytest.fixture(autouse=True)
def _closed():
    import matplotlib.pyplot as plt

    yield
    plt.close("all")
