from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits

from manifact import CF, GNMF, LPNMF, NMF
from manifact.baselines import CNMF
from manifact.models.callbacks import as_callbacks

X = load_digits().data[:120]
Y = load_digits().target[:120]


@pytest.mark.parametrize("model", [NMF(3), GNMF(3, solver="mu"), LPNMF(3), CF(3)], ids=lambda m: type(m).__name__)
def test_a_callable_sees_every_iterate(model):
    seen = []
    model.set_params(max_iter=5, tol=0, normalize=None, random_state=0)
    model.fit(X, callbacks=lambda iteration: seen.append((iteration.number, iteration.objective[-1])))
    assert [number for number, _ in seen] == list(range(6))
    np.testing.assert_array_equal([value for _, value in seen], model.objective_)


def test_the_last_iterate_is_what_the_model_keeps():
    states = []
    model = NMF(3, max_iter=5, normalize=None, random_state=0)
    V = model.fit_transform(X, callbacks=[lambda iteration: states.append(iteration.state)])
    np.testing.assert_array_equal(states[-1].V, V)
    np.testing.assert_array_equal(states[-1].U.T, model.components_)


def test_a_true_answer_ends_the_run():
    others = []
    model = GNMF(3, assign="kmeans", random_state=0)
    labels = model.fit_predict(X, callbacks=[lambda it: it.number == 4, lambda it: others.append(it.number)])
    assert model.n_iter_ == 4
    assert not model.converged_
    assert len(model.objective_) == 5
    assert others == [0, 1, 2, 3, 4]
    np.testing.assert_array_equal(labels, model.labels_)


def test_what_cannot_be_called_is_refused_before_any_work():
    with pytest.raises(TypeError, match="callbacks='loud' cannot be called"):
        NMF(3).fit(X, callbacks=["loud"])
    with pytest.raises(TypeError, match="callbacks=3 cannot be called"):
        as_callbacks(3)


@pytest.mark.skipif(find_spec("sklearn.callback") is None, reason="scikit-learn before 1.9 has no callbacks")
class TestScikitLearn:
    class Recorder:
        """Every hook with the number of its task, and the fitted twin's objective."""

        def __init__(self, stop_after=None):
            self.log = []
            self.fitted = []
            self.stop_after = stop_after

        def setup(self, estimator, context):
            self.log.append("setup")

        def teardown(self, estimator, context):
            self.log.append("teardown")

        def on_fit_task_begin(self, estimator, context):
            self.log.append(("begin", context.task_name, context.task_id))

        def on_fit_task_end(self, estimator, context, *, X=None, fitted_estimator=None):
            self.log.append(("end", context.task_name, context.task_id))
            if fitted_estimator is not None:
                self.fitted.append(fitted_estimator)
            return context.task_name == "iteration" and context.task_id + 1 == self.stop_after

    def test_tasks_are_nested_and_closed(self):
        recorder = self.Recorder()
        NMF(3, max_iter=2, tol=0, random_state=0).set_callbacks(recorder).fit(X)
        inner = [(hook, "iteration", number) for number in range(2) for hook in ("begin", "end")]
        assert recorder.log == ["setup", ("begin", "fit", 0), *inner, ("end", "fit", 0), "teardown"]

    @pytest.mark.parametrize(
        "model", [NMF(3), GNMF(3), LPNMF(3), CF(3), CNMF(5)], ids=lambda model: type(model).__name__
    )
    def test_the_fitted_twin_is_what_a_shorter_run_gives(self, model):
        known = np.where(np.arange(len(Y)) < 40, Y, -1)
        recorder = self.Recorder()
        model = clone(model).set_params(max_iter=4, tol=0, random_state=0)
        clone(model).set_callbacks(recorder).fit(X, known)
        assert len(recorder.fitted) == 4
        for number, twin in enumerate(recorder.fitted, start=1):
            short = clone(model).set_params(max_iter=number).fit(X, known)
            np.testing.assert_allclose(twin.objective_, short.objective_)
            np.testing.assert_allclose(twin.representation_, short.representation_)
            np.testing.assert_allclose(twin.transform(X[:5]), short.transform(X[:5]))

    def test_a_callback_can_stop_the_fit(self):
        recorder = self.Recorder(stop_after=3)
        model = NMF(3, random_state=0).set_callbacks(recorder).fit(X)
        assert model.n_iter_ == 3
        assert recorder.log[-3:] == [("end", "iteration", 2), ("end", "fit", 0), "teardown"]

    def test_an_iteration_that_the_tolerance_made_needless_is_closed(self):
        recorder = self.Recorder()
        model = NMF(3, tol=0.1, random_state=0).set_callbacks(recorder).fit(X)
        assert model.converged_
        begun, ended = (sum(entry[0] == hook for entry in recorder.log) for hook in ("begin", "end"))
        assert begun == ended
        assert len(recorder.fitted) == model.n_iter_

    def test_callbacks_are_torn_down_after_a_failure(self):
        recorder = self.Recorder()
        model = NMF(3).set_callbacks(recorder)
        with pytest.raises(ZeroDivisionError):
            model.fit(X, callbacks=lambda iteration: 1 / 0)
        assert recorder.log[-1] == "teardown"

    def test_scikit_learns_own_monitor_works(self):
        from sklearn.callback import ScoringMonitor

        monitor = ScoringMonitor(scoring=lambda estimator, X, y: {"score": estimator.score(X)})
        model = NMF(3, max_iter=3, tol=0, random_state=0).set_callbacks(monitor)
        model.fit(X, Y)
        scores = [row["score"] for row in monitor.get_logs().data if "score" in row]
        assert len(scores) == 3
        assert scores == sorted(scores)
