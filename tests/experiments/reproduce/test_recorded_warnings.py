"""What a run warns of is kept, once each, and none is lost where runs share work."""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from manifact.experiments import methods
from manifact.experiments.reproduce.job_runner import Runner
from manifact.experiments.reproduce.jobs import Job, Store
from manifact.experiments.reproduce.recorded_warnings import issue, recorded, texts
from manifact.experiments.reproduce.reproduce_papers import warnings_table
from manifact.experiments.reproduce.tasks import clustering_scores

SETTINGS = {"data": "digits", "classes": 2, "draw": 0, "seed": 0, "method": "PCA", "kmeans": {"n_init": 1}}


class Warns:
    """A representation that is made with a complaint, or is not finite."""

    def __init__(self, *complaints, value=1.0):
        self.complaints, self.value, self.fits = complaints, value, 0

    def fit_transform(self, X):
        self.fits += 1
        for each in self.complaints:
            warnings.warn(each, ConvergenceWarning, stacklevel=2)
        return np.where(np.arange(X.shape[0]) % 2, 0.0, self.value)[:, None]


@pytest.fixture
def made(monkeypatch):
    """made(estimator) has the tasks use it as PCA."""

    def use(estimator):
        monkeypatch.setitem(methods.OTHERS, "PCA", methods.Method("representation", lambda **parameters: estimator))
        clustering_scores._represent.cache_clear()
        return estimator

    yield use
    clustering_scores._represent.cache_clear()


def test_warnings_are_recorded_and_not_shown(recwarn):
    with recorded() as found:
        warnings.warn("careful", RuntimeWarning, stacklevel=1)
        warnings.warn("careful", RuntimeWarning, stacklevel=1)
        warnings.warn("gone in 2.0", DeprecationWarning, stacklevel=1)
    assert texts(found) == ["RuntimeWarning: careful"]
    assert not recwarn.list
    with pytest.warns(RuntimeWarning, match="careful"):
        issue(found)


def test_a_result_has_the_warnings_of_its_run(made):
    made(Warns("did not\n  converge", "again"))
    found = Job("clustering_scores", SETTINGS).run()
    assert found["warnings"] == ["ConvergenceWarning: again", "ConvergenceWarning: did not converge"]
    made(Warns())
    assert "warnings" not in Job("clustering_scores", SETTINGS).run()


def test_runs_that_share_a_representation_all_have_its_warnings(made):
    estimator = made(Warns("did not converge"))
    first, second = (Job("clustering_scores", {**SETTINGS, "clusterings": count}).run() for count in (1, 2))
    assert estimator.fits == 1
    assert first["warnings"] == second["warnings"] == ["ConvergenceWarning: did not converge"]


def test_fewer_distinct_rows_than_clusters_are_told(made):
    made(Warns())
    found = Job("clustering_scores", {**SETTINGS, "classes": 3}).run()
    assert "distinct clusters" in found["warnings"][0]


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("task", ["clustering_scores", "line_embedding"])
def test_a_representation_that_is_not_finite_fails(made, task, value):
    made(Warns(value=value))
    with pytest.raises(
        ValueError, match=r"PCA gave a representation with NaN or infinite values \(data digits, .*seed \d+"
    ):
        Job(task, SETTINGS).run()


def test_the_runner_counts_runs_and_the_table_joins_messages(tmp_path, made):
    made(Warns("ended at 1.5e-03"))
    runner = Runner(Store(tmp_path))
    jobs = [Job("clustering_scores", {**SETTINGS, "seed": seed}) for seed in (0, 1, 1)]
    again = Runner(Store(tmp_path))
    assert runner.run("first", jobs) == again.run("from the store", jobs)
    assert runner.warned == again.warned == {("PCA", "ConvergenceWarning: ended at 1.5e-03"): {j.key for j in jobs}}
    table = warnings_table(runner.warned | {("PCA", "ConvergenceWarning: ended at 7"): {"x"}, ("NMF", "other"): {"y"}})
    assert list(table.rows) == [
        {"method": "NMF", "warning": "other", "runs": 1},
        {"method": "PCA", "warning": "ConvergenceWarning: ended at 1.5e-03", "runs": 3},
    ]
