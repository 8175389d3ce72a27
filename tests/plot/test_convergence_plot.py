import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError

from manifact import GNMF, NMF, plot


@pytest.fixture(scope="module")
def models():
    X = np.random.default_rng(0).random((30, 8))
    return [GNMF(3, solver="mu", max_iter=7, random_state=0).fit(X), NMF(3, random_state=0).fit(X)]


def test_one_curve_with_all_values(models, ax):
    assert plot.convergence(models[0], ax=ax) is ax
    np.testing.assert_array_equal(ax.lines[0].get_xdata(), np.arange(8))
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), models[0].objective_)
    assert ax.get_legend() is None
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("iteration", "objective")


def test_names_come_from_the_models_a_dict_or_the_caller(models):
    def names(ax):
        return [text.get_text() for text in ax.get_legend().get_texts()]

    assert names(plot.convergence(models)) == ["GNMF, mu", "NMF, bcd"]
    assert names(plot.convergence(dict(zip("ab", models, strict=True)))) == ["a", "b"]
    assert names(plot.convergence(models, labels=["x", "y"])) == ["x", "y"]


def test_only_a_run_that_converged_ends_in_a_filled_point(models):
    stopped, ended = plot.convergence(models).lines
    assert (models[0].converged_, models[1].converged_) == (False, True)
    assert stopped.get_markerfacecolor() == "white"
    assert ended.get_markerfacecolor() == ended.get_color()


def test_relative_to_the_start_every_curve_begins_at_one(models):
    for line, model in zip(plot.convergence(models, relative="start").lines, models, strict=True):
        assert line.get_ydata()[0] == 1
        np.testing.assert_allclose(line.get_ydata() * model.objective_[0], model.objective_)


def test_relative_to_the_best_the_lowest_value_of_all_is_zero(models):
    ax = plot.convergence(models, relative="best", log=True)
    values = np.concatenate([line.get_ydata() for line in ax.lines])
    lowest = min(model.objective_.min() for model in models)
    assert values.min() == 0
    np.testing.assert_allclose(values, np.concatenate([m.objective_ for m in models]) / lowest - 1, atol=1e-12)
    assert ax.get_yscale() == "log"


def test_bad_input_is_refused(models):
    with pytest.raises(NotFittedError, match="GNMF is not fitted: call fit before drawing it"):
        plot.convergence([models[0], GNMF()])
    with pytest.raises(ValueError, match=r"labels=\['one'\] must hold one name for each of the 2 models"):
        plot.convergence(models, labels=["one"])
    with pytest.raises(ValueError, match="models is empty"):
        plot.convergence({})
    with pytest.raises(TypeError, match="PCA has no objective_: it cannot be drawn this way"):
        plot.convergence(PCA(2).fit(np.eye(4)))
    with pytest.raises(ValueError, match="relative=True is not known: choose one of None, 'start', 'best'"):
        plot.convergence(models, relative=True)
