import subprocess
import sys

import numpy as np
import pytest

from manifact import plot


def test_without_axes_a_new_figure_each_time():
    import matplotlib.pyplot as plt

    first, second = (plot.confusion([0, 1], [0, 1]) for _ in range(2))
    assert first is not second
    assert len(plt.get_fignums()) == 2


def test_nothing_is_shown(monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.setattr(plt, "show", lambda *_: pytest.fail("a window was opened"))
    plot.basis(np.ones((1, 4)), (2, 2))
    plot.sensitivity([1], [1])


def test_without_matplotlib_one_sentence():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from manifact import plot\n"
        "try: plot.confusion([0, 1], [0, 1])\n"
        "except ImportError as error: print(error)"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "manifact.plot needs matplotlib: pip install matplotlib"


def test_importing_draws_nothing_in():
    code = "import sys, manifact.plot; print(sorted({'matplotlib', 'sklearn'} & set(sys.modules)))"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
